"""noxfile.py as a script: what it makes, mends, keeps, and says when something is missing."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


def test_too_old_python_is_refused_with_the_versions_that_do(noxfile: ModuleType) -> None:
    with pytest.raises(noxfile.SetUpError, match=r"Python 3\.10\.4.*3\.11 or newer"):
        noxfile.check_python((3, 10, 4))
    noxfile.check_python((3, 11, 0))
    noxfile.check_python((3, 14, 1))


def test_file_can_be_parsed_by_a_python_that_is_too_old(noxfile: ModuleType) -> None:
    import ast

    source = Path(noxfile.__file__ or "").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case _: pass", feature_version=(3, 7))


def test_python_without_ensurepip_and_pip_is_told_the_missing_package(
    noxfile: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noxfile, "has_module", lambda name: name == "venv")
    with pytest.raises(noxfile.SetUpError, match="apt install python3-venv"):
        noxfile.create_environment()


def test_caches_stay_in_the_checkout_unless_pip_was_told_otherwise(
    noxfile: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_CACHE_DIR", raising=False)
    monkeypatch.delenv("PIP_NO_CACHE_DIR", raising=False)
    assert noxfile.environment()["PIP_CACHE_DIR"].startswith(str(noxfile.ROOT))
    monkeypatch.setenv("PIP_CACHE_DIR", "/the/reader's/own")
    assert noxfile.environment()["PIP_CACHE_DIR"] == "/the/reader's/own"


def test_settings_of_pip_reach_what_is_started(
    noxfile: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    assert noxfile.environment()["PIP_INDEX_URL"] == "https://index.example/simple"


def test_failed_installation_says_so_and_exits_with_1(noxfile: ModuleType) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    done = subprocess.run(
        [sys.executable, str(noxfile.__file__), "verify"],
        env=kept | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "could not be installed" in done.stderr
    assert "pip's own settings" in done.stderr
    assert "Traceback" not in done.stderr
    assert (noxfile.VENV / "faultlab-stamp").read_text(encoding="utf-8") == "begun\n"


@pytest.mark.house
def test_interrupted_environment_is_made_anew(
    noxfile: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    noxfile.VENV.mkdir()
    (noxfile.VENV / "faultlab-stamp").write_text("begun\n", encoding="utf-8")
    (noxfile.VENV / "half").write_text("made", encoding="utf-8")
    noxfile.make_environment()
    assert not (noxfile.VENV / "half").exists()
    assert noxfile.works("import nox")
    assert "Making it anew" in capfd.readouterr().out

    noxfile.make_environment()
    assert capfd.readouterr().out == "", "a whole environment is left alone"

    noxfile.VENV_PYTHON.unlink()
    noxfile.make_environment()
    assert noxfile.works("import nox")


@pytest.mark.house
def test_environment_made_by_hand_is_kept(noxfile: ModuleType) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(noxfile.VENV)], check=True)
    (noxfile.VENV / "mine").write_text("kept", encoding="utf-8")
    noxfile.make_environment()
    assert (noxfile.VENV / "mine").exists()
    assert noxfile.works("import nox")


@pytest.mark.house
def test_python_without_ensurepip_uses_the_pip_it_has(
    noxfile: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noxfile, "has_module", lambda name: name != "ensurepip")
    noxfile.make_environment()
    assert noxfile.works("import nox")
    assert not noxfile.works("import pip")
