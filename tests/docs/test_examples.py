"""Each example is in good form, runs, and prints what the documentation says that it prints."""

import contextlib
import io
import re
import sys
import traceback
from pathlib import Path

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples
from pytest_examples.config import ExamplesConfig

from faultlab import snippets
from faultlab_docs import checks, fences
from faultlab_docs.places import DOCS, ROOT, SNIPPETS

ALL = list(snippets.snippets().values())
SESSIONS = [page for page in fences.pages() if fences.session(page)]
DOCSTRINGS = list(find_examples(ROOT / "src" / "faultlab"))


class Program(CodeExample):
    """A whole file. pytest-examples would hold a .py file to the rules of docstrings."""

    def in_py_file(self) -> bool:
        return False

    @property
    def module_name(self) -> str:
        return self.path.stem


class OwnRules(ExamplesConfig):
    """Rules for shown code alone: the project's own forbid `print`."""

    def ruff_config(self) -> tuple[str, ...]:
        return ("--isolated", *super().ruff_config())


COMPLETE = OwnRules(
    line_length=88,
    quotes="double",
    target_version="py311",
    isort=True,
    upgrade=True,
    ruff_select=["B", "C4", "PIE", "RET", "SIM", "W"],
)
JOINED = OwnRules(
    quotes="double",
    target_version="py311",
    # Blocks of one page import as they go, and may import the same name again.
    ruff_ignore=["E402", "F811"],
)


def program(source: str, path: Path) -> CodeExample:
    made: CodeExample = Program.create(source, path=path, prefix="python")
    return made


def without_empty_lines(source: str) -> str:
    """Source in which no expected line is empty: black would write a lone `#>` as `# >`."""
    return re.sub(r"^( *#>)$", r"\1 .", source, flags=re.MULTILINE)


def printed(example: CodeExample, eval_example: EvalExample) -> str:
    """All that an example prints, whoever prints it. A raising one fails, on 3.11 too."""
    output = io.StringIO()
    main = sys.modules["__main__"]
    try:
        with contextlib.redirect_stdout(output):
            eval_example.run(example, rewrite_assertions=False)
    except (Exception, SystemExit) as error:
        trace = "".join(traceback.format_exception_only(error))
        pytest.fail(f"{example} raises:\n{trace}", pytrace=False)
    finally:
        sys.modules["__main__"] = main
    return output.getvalue()


# Snippets


@pytest.mark.parametrize("snippet", ALL, ids=[snippet.id for snippet in ALL])
def test_a_snippet_is_in_good_form_as_it_is_kept_and_as_it_is_copied(
    snippet: snippets.Snippet, eval_example: EvalExample
) -> None:
    path = SNIPPETS / f"{snippet.id.replace('-', '_')}.py"
    eval_example.config = COMPLETE
    eval_example.lint(program(without_empty_lines(path.read_text(encoding="utf-8")), path))
    eval_example.lint(program(snippet.program, path))


@pytest.mark.parametrize("snippet", ALL, ids=[snippet.id for snippet in ALL])
def test_a_snippet_prints_exactly_its_expected_lines(
    snippet: snippets.Snippet, eval_example: EvalExample
) -> None:
    path = SNIPPETS / f"{snippet.id.replace('-', '_')}.py"
    output = printed(program(snippet.program, path), eval_example)
    assert output == snippet.expected
    assert output
    checks.snippet_prints(snippet)


@pytest.mark.parametrize("path", sorted(SNIPPETS.glob("*.py")), ids=lambda path: path.stem)
def test_a_snippet_is_a_file_whose_name_is_an_id(path: Path) -> None:
    assert path.stem.replace("_", "-") in {snippet.id for snippet in ALL}
    assert len(ALL) == len(list(SNIPPETS.glob("*.py")))


# Pages


@pytest.mark.parametrize("page", SESSIONS)
def test_a_pages_session_is_one_program_in_good_form_and_prints_its_expected_lines(
    page: str, eval_example: EvalExample
) -> None:
    source = fences.session(page)
    example = program(source, DOCS / page)
    eval_example.config = JOINED
    eval_example.lint_ruff(example)
    output = printed(example, eval_example)
    expected = snippets.expected(source)
    assert output == expected or checks.names_its_lines(expected)
    checks.session_prints(page)


@pytest.mark.parametrize("page", fences.pages())
def test_each_block_of_a_page_runs_and_prints_its_own_expected_lines(page: str) -> None:
    checks.page_prints(page)


@pytest.mark.parametrize("page", SESSIONS)
def test_a_block_written_on_the_page_itself_is_in_good_form(
    page: str, eval_example: EvalExample
) -> None:
    eval_example.config = COMPLETE
    for fence in fences.read(page):
        if fence.kind == "python" and fences.code(fence).snippet is None:
            eval_example.lint_black(program(fences.code(fence).source, DOCS / page))


def test_there_are_sessions_to_check() -> None:
    assert len(SESSIONS) >= 2


# Docstrings


@pytest.mark.parametrize("example", DOCSTRINGS, ids=str)
def test_an_example_in_a_docstring_is_in_good_form_and_prints_its_expected_lines(
    example: CodeExample, eval_example: EvalExample
) -> None:
    eval_example.config = COMPLETE
    eval_example.lint(example)
    assert printed(example, eval_example) == snippets.expected(example.source)
    assert snippets.expected(example.source)


def test_the_lab_shows_itself_in_its_docstring() -> None:
    assert ROOT / "src" / "faultlab" / "lab.py" in {example.path for example in DOCSTRINGS}


def test_the_docstring_examples_of_pytest_and_of_the_mutants_session_are_the_same() -> None:
    ours = [(e.path, e.line, e.source) for e in checks.docstring_examples()]
    assert ours == [(e.path, e.start_line, e.source) for e in DOCSTRINGS]
    for example in checks.docstring_examples():
        checks.docstring_prints(example)
