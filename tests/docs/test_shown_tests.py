"""The test files that pages show pass in a pytest session of their own, as a reader runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faultlab_docs.places import ROOT, SNIPPETS

FILES = sorted((SNIPPETS / "tests").glob("test_*.py"))


def session(path: Path) -> "subprocess.CompletedProcess[str]":
    """What pytest says of one file, with faultlab's plugin and no other."""
    plugin = ("-p", "faultlab.testing.plugin", "-p", "no:cacheprovider")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, path.name],
        cwd=path.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_there_is_a_file() -> None:
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shown_test_passes(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_text(path.read_text("utf-8"), encoding="utf-8")
    done = session(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shown_test_fails_without_its_lock(path: Path, tmp_path: Path) -> None:
    source = path.read_text("utf-8").replace("asyncio.Lock()", "contextlib.nullcontext()")
    copy = tmp_path / path.name
    copy.write_text(source.replace("import asyncio", "import asyncio\nimport contextlib"), "utf-8")
    done = session(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "violated" in done.stdout
    assert "1 decision" in done.stdout
