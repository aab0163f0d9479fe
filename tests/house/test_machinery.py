"""What the two commands stand on: the counts, the server, the comparison of two builds."""

import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultlab_docs.building import differing_files
from faultlab_docs.serving import bind
from faultlab_docs.summary import Stage, summary

TESTS = """
import pytest
def test_passes(): pass
def test_fails(): assert False
@pytest.fixture
def broken(): raise RuntimeError
def test_errs(broken): pass
def test_skips(): pytest.skip("no reason but this")
"""


def stage(folder: Path, name: str, source: str) -> Stage:
    """A real run of pytest over a file of tests."""
    file, report = folder / f"test_{name}.py", folder / f"{name}.xml"
    file.write_text(source, encoding="utf-8")
    options = ["-p", "no:cacheprovider", "--quiet", f"--junitxml={report}"]
    command = [sys.executable, "-m", "pytest", str(file), *options]
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    return Stage(name=name, succeeded=done.returncode == 0, report=report)


def test_summary_adds_up_stages_and_gives_each_skip_its_reason(tmp_path: Path) -> None:
    tests = stage(tmp_path, "tests", TESTS)
    more = stage(tmp_path, "more", "def test_passes(): pass")
    build = Stage(name="build", succeeded=True, report=tmp_path / "none.xml")
    *skips, last = summary([tests, more, build]).splitlines()
    assert last == "3 passed, 2 failed, 1 skipped"
    assert len(skips) == 1
    assert "test_skips" in skips[0]
    assert "no reason but this" in skips[0]


def test_stage_that_breaks_outside_its_tests_counts_as_failed(tmp_path: Path) -> None:
    build = Stage(name="build", succeeded=False, report=tmp_path / "none.xml")
    assert summary([build]).splitlines() == [
        "failed: build: see its output above",
        "0 passed, 1 failed, 0 skipped",
    ]
    empty = stage(tmp_path, "empty", "")
    assert summary([empty]).splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    unread = stage(tmp_path, "unread", "import nothing_of_that_name")
    assert summary([unread]).splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "index.html").write_text("home", encoding="utf-8")
    (tmp_path / "404.html").write_text("not here", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "model.wasm").write_bytes(b"\0asm")
    (tmp_path / "module.mjs").write_text("export {}", encoding="utf-8")
    with bind(tmp_path, 8000) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("name", "kind"), [("model.wasm", "application/wasm"), ("module.mjs", "text/javascript")]
)
def test_server_names_the_type_that_a_browser_insists_on(
    address: str, name: str, kind: str
) -> None:
    with urllib.request.urlopen(f"{address}/{name}", timeout=5) as answer:
        assert answer.headers.get_content_type() == kind


@pytest.mark.parametrize("path", ["nowhere", "folder/"])
def test_server_answers_a_wrong_address_with_the_sites_own_page(address: str, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{address}/{path}", timeout=5)
    assert caught.value.code == 404
    assert caught.value.read() == b"not here"
    caught.value.close()


def test_server_takes_the_next_port_if_one_is_taken(tmp_path: Path) -> None:
    with bind(tmp_path, 8000) as first, bind(tmp_path, first.server_port) as second:
        assert second.server_port > first.server_port
        assert second.server_address[0] == "127.0.0.1"


def test_two_builds_that_differ_in_a_byte_or_a_file_are_told_apart(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "page.html").write_text("same", encoding="utf-8")
    assert differing_files(one, other) == []
    (one / "deep" / "page.html").write_text("sane", encoding="utf-8")
    (other / "more.html").write_text("", encoding="utf-8")
    assert differing_files(one, other) == ["deep/page.html", "more.html"]
