"""A clean clone, an empty environment, and the noxfile as a module."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import nox.registry
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
RUN_SLOW: Final = os.environ.get("FAULTLAB_HOUSE") == "1"
NETWORK: Final = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
PIP_FILES: Final = (".config/pip/pip.conf", ".pip/pip.conf")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("house") and not RUN_SLOW:
            item.add_marker(pytest.mark.skip(reason="takes minutes: run `nox -s house`"))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A new clone of this checkout, with whatever is not committed yet."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, so there is nothing to clone")
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    for name in _git("diff", "--name-only", "--diff-filter=D", "HEAD"):
        (folder / name).unlink(missing_ok=True)
    for name in _git("ls-files", "--cached", "--others", "--exclude-standard"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _git(*arguments: str) -> list[str]:
    command = ["git", "-C", str(ROOT), "-c", "core.quotepath=off", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which nothing may appear."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def empty_environment(home: Path) -> dict[str, str]:
    """What `env -i` would leave, with this Python's programs and the way to a package index."""
    places = [str(Path(sys.base_prefix) / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]
    values = {"PATH": os.pathsep.join(places), "HOME": str(home)}
    values |= {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.upper() in NETWORK
    }
    for file in PIP_FILES:
        if (Path.home() / file).is_file():
            values.setdefault("PIP_CONFIG_FILE", str(Path.home() / file))
    return values


def load_noxfile(folder: Path) -> ModuleType:
    """The noxfile of a folder as a module, as nox reads it."""
    nox.registry._REGISTRY.clear()
    spec = importlib.util.spec_from_file_location("house_noxfile", folder / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def house_noxfile() -> ModuleType:
    """The noxfile of this checkout; afterwards, nox's registry holds its sessions."""
    return load_noxfile(ROOT)


@pytest.fixture
def noxfile(tmp_path: Path) -> ModuleType:
    """The noxfile of a folder that holds nothing else but pyproject.toml."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for name in ("noxfile.py", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    return load_noxfile(folder)
