"""The example programs: what a reader's copy holds, and what checking it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import faultlab
from faultlab import snippets
from faultlab.snippets import SnippetError

ALL = list(snippets.snippets().values())
EVERY = pytest.mark.parametrize("snippet", ALL, ids=[snippet.id for snippet in ALL])


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with one copy in it; its program prints two lines."""
    snippets.copy("read-survives", tmp_path)
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


# Every published program


@EVERY
def test_a_published_program_prints_exactly_its_expected_text_in_a_fresh_interpreter(
    snippet: snippets.Snippet, tmp_path: Path
) -> None:
    program, expected = snippets.copy(snippet.id, tmp_path)
    command = [sys.executable, "-X", "utf8", str(program)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode() == expected.read_text(encoding="utf-8")
    assert done.stdout


@EVERY
def test_a_published_program_says_where_it_is_from_and_carries_no_machinery(
    snippet: snippets.Snippet,
) -> None:
    first, *rest = snippet.program.splitlines()
    assert first == (
        f"# faultlab snippet: {snippet.id} · version {faultlab.__version__} · page {snippet.page}"
    )
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", snippet.id)
    assert re.fullmatch(r"[a-z0-9-]+(/[a-z0-9-]+)*", snippet.page)
    for line in rest:
        assert "--8<--" not in line
        assert not line.lstrip().startswith("#>")
    assert snippet.program.endswith("\n")
    assert not snippet.program.endswith("\n\n")
    assert "\n\n\n\n" not in snippet.program


@EVERY
def test_a_snippet_is_one_idea_of_at_most_40_lines(snippet: snippets.Snippet) -> None:
    assert len([line for line in snippet.program.splitlines() if line.strip()]) <= 40


@EVERY
@pytest.mark.long
def test_a_fresh_copy_differs_in_nothing(snippet: snippets.Snippet, tmp_path: Path) -> None:
    snippets.copy(snippet.id, tmp_path)
    (check,) = snippets.check(tmp_path)
    assert (check.id, check.difference) == (snippet.id, "")


def test_the_source_of_a_snippet_is_the_published_program_plus_its_machinery() -> None:
    source = (
        '"""Say it.\n\nPage: learn/x\n"""\n\n\n# --8<-- [start:run]\nfor word in ("a", ""):\n'
        "    print(word)\n    #> a\n    #>\n# --8<-- [end:run]\n"
    )
    one = snippets.Snippet(id="say-it", page="learn/x", source=source)
    assert one.program == (
        f"# faultlab snippet: say-it · version {faultlab.__version__} · page learn/x\n"
        '"""Say it.\n\nPage: learn/x\n"""\n\n\nfor word in ("a", ""):\n    print(word)\n'
    )
    assert one.expected == "a\n\n"


def test_expected_lines_keep_the_spaces_of_the_output() -> None:
    assert snippets.expected("#> a\n#>   b\n#>\n#> \nx = 1  # > no\n") == "a\n  b\n\n\n"


# Copying


def test_copy_writes_the_program_and_its_expected_text(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    paths = snippets.copy("read-survives", folder)
    assert paths == [folder / "read_survives.py", folder / "read_survives.expected.txt"]
    snippet = snippets.get("read-survives")
    assert paths[0].read_text(encoding="utf-8") == snippet.program
    assert paths[1].read_text(encoding="utf-8") == snippet.expected == "True False\nneeds_review\n"


def test_copying_again_leaves_an_identical_copy_as_it_is(copied: Path) -> None:
    before = {path.name: path.read_bytes() for path in copied.iterdir()}
    snippets.copy("read-survives", copied)
    assert {path.name: path.read_bytes() for path in copied.iterdir()} == before


@pytest.mark.parametrize("name", ["read_survives.py", "read_survives.expected.txt"])
def test_copy_never_overwrites_other_contents_and_then_writes_nothing(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("mine\n", encoding="utf-8")
    with pytest.raises(SnippetError) as caught:
        snippets.copy("read-survives", tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / name} exists and has other contents. "
        "Move it away, or copy into another folder."
    )
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine\n"


def test_a_misspelt_id_gets_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(SnippetError) as caught:
        snippets.copy("reads-survive", tmp_path)
    assert str(caught.value) == (
        "There is no snippet 'reads-survive'. Did you mean 'read-survives'? "
        "`faultlab snippets list` names them all."
    )
    assert list(tmp_path.iterdir()) == []


# Checking


def test_check_shows_a_diff_when_the_copy_prints_something_else(copied: Path) -> None:
    change(copied / "read_survives.py", 'fault="final_write"', 'fault="native_reply"')
    (check,) = snippets.check(copied)
    assert check.path == copied / "read_survives.py"
    assert check.difference.splitlines() == [
        f"--- {copied / 'read_survives.expected.txt'}",
        f"+++ printed by faultlab {faultlab.__version__}",
        "@@ -1,2 +1,2 @@",
        "-True False",
        "+False False",
        " needs_review",
    ]


def test_check_shows_what_the_installed_version_no_longer_says(copied: Path) -> None:
    change(copied / "read_survives.expected.txt", "needs_review", "failed")
    (check,) = snippets.check(copied)
    assert "-failed\n+needs_review\n" in check.difference


def test_a_copy_that_raises_differs_by_its_error_and_the_errors_notes(copied: Path) -> None:
    change(copied / "read_survives.py", 'fault="final_write"', 'fault="finalwrite"')
    (check,) = snippets.check(copied)
    assert "+ValueError: INVALID_SCENARIO\n+fault='finalwrite' is not in" in check.difference
    assert "Traceback" not in check.difference


def test_a_copy_that_prints_all_and_then_fails_still_differs(copied: Path) -> None:
    path = copied / "read_survives.py"
    path.write_text(path.read_text(encoding="utf-8") + "raise SystemExit(3)\n", encoding="utf-8")
    (check,) = snippets.check(copied)
    assert "+exit code 3\n" in check.difference


def test_a_copy_whose_expected_text_is_missing_is_an_error_that_says_what_to_do(
    copied: Path,
) -> None:
    (copied / "read_survives.expected.txt").unlink()
    with pytest.raises(SnippetError) as caught:
        snippets.check(copied)
    assert str(caught.value) == (
        f"{copied / 'read_survives.expected.txt'} is missing. "
        "Copy read-survives again, or write the file yourself."
    )


@pytest.mark.parametrize("other", [None, "print('a program of my own')\n"])
def test_a_folder_without_a_copied_snippet_is_an_error_and_no_silent_success(
    other: str | None, tmp_path: Path
) -> None:
    if other is not None:
        (tmp_path / "own.py").write_text(other, encoding="utf-8")
    with pytest.raises(SnippetError, match="holds no copied snippet"):
        snippets.check(tmp_path)


def test_check_runs_the_copies_in_a_folder_and_leaves_other_programs_alone(copied: Path) -> None:
    snippets.copy("started-twice", copied)
    (copied / "own.py").write_text("raise SystemExit('not to be run')\n", encoding="utf-8")
    assert [check.id for check in snippets.check(copied)] == ["read-survives", "started-twice"]


def test_a_copy_that_never_ends_is_stopped_with_an_error(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippets, "RUN_TIMEOUT_S", 0.2)
    path = copied / "read_survives.py"
    path.write_text(path.read_text(encoding="utf-8") + "while True: pass\n", encoding="utf-8")
    with pytest.raises(SnippetError, match=r"still running after 0\.2 s and was stopped"):
        snippets.check(copied)


# Where they are kept


def test_a_snippet_that_names_no_page_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adrift.py").write_text('"""Nobody explains me."""\n', encoding="utf-8")
    monkeypatch.setattr(snippets, "_folder", lambda: tmp_path)
    with pytest.raises(SnippetError, match=r"snippets/adrift\.py names no page\. Add a line"):
        snippets.snippets()


def test_a_copy_that_names_its_own_lines_is_checked_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(faultlab.__file__).resolve().parents[1]))
    monkeypatch.chdir(tmp_path)
    snippets.copy("first-simulation", Path("examples"))
    (check,) = snippets.check(Path("examples"))
    assert check.difference == ""
    assert "first_simulation.py:17" in snippets.run(Path("examples/first_simulation.py"))
    assert "examples" not in snippets.run(Path("examples/first_simulation.py"))


def test_a_search_path_is_understood_from_the_folder_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("mine", "examples"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mine" / "helper.py").write_text("WORD = 'found'\n", encoding="utf-8")
    program = tmp_path / "examples" / "program.py"
    program.write_text("import helper\n\nprint(helper.WORD)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", "mine")
    assert snippets.run(Path("examples/program.py")) == "found\n"
    monkeypatch.delenv("PYTHONPATH")
    assert "No module named 'helper'" in snippets.run(Path("examples/program.py"))
