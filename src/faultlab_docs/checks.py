"""What pages and snippets say, compared with what the package does: one function a check.

pytest calls each as a test of its own. The mutants session runs them all in a fresh process,
`python -m faultlab_docs.checks`, against a changed copy of the package.
"""

import argparse
import ast
import contextlib
import difflib
import io
import json
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import faultlab
from faultlab import snippets
from faultlab_docs import fences, quotes, records, running
from faultlab_docs.places import DOCS, ROOT, DocsError


@dataclass(frozen=True, kw_only=True)
class Check:
    """One comparison of the documentation with the package.

    Attributes:
        kind: snippet, page, session, quote, docstring or saved run.
        subject: What is checked, by its path.
        run: Raises DocsError if they differ.
    """

    kind: str
    subject: str
    run: Callable[[], None]

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.subject}"


@dataclass(frozen=True, kw_only=True)
class Example:
    """A Python block of a docstring."""

    path: Path
    line: int
    source: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}"


def everything() -> Iterator[Check]:
    """Every check there is, in an order in which the cheap ones come first."""
    try:
        computed = list(records.files())
    except Exception as error:
        yield _check("saved run", "docs/records", _fail, "docs/records:1", str(error))
    else:
        for name, text in computed:
            yield _check("saved run", f"docs/{name}", saved_file, name, text)
    for snippet in snippets.snippets().values():
        yield _check("snippet", snippet.id, snippet_prints, snippet)
    for example in docstring_examples():
        yield _check("docstring", example.place, docstring_prints, example)
    for page in fences.pages():
        yield _check("page", f"docs/{page}", page_prints, page)
        yield _check("session", f"docs/{page}", session_prints, page)
        yield _check("quote", f"docs/{page}", page_quotes, page)


def _check(kind: str, subject: str, run: Callable[..., None], *of: Any) -> Check:
    return Check(kind=kind, subject=subject, run=partial(run, *of))


def _fail(place: str, cause: str) -> None:
    raise DocsError(place, f"the saved runs can't be computed: {cause}. Mend the package.")


def saved_file(name: str, text: str) -> None:
    """A computed file below docs/ is, byte for byte, what the package computes now."""
    path = DOCS / name
    saved = path.read_text(encoding="utf-8") if path.is_file() else ""
    _same(saved, text, f"docs/{name}:1", "saved", "computed", "run `nox -s records`")


def snippet_prints(snippet: snippets.Snippet) -> None:
    """A snippet, run as a program, prints exactly its `#> ` lines."""
    file = f"{running.file_stem(snippet)}.py"
    place = f"snippets/{file}:1"
    printed = run_program(snippet.program, place, file)
    _same(snippet.expected, printed, place, "expected", "printed", _CORRECT)


def docstring_prints(example: Example) -> None:
    """An example in a docstring prints exactly its `#> ` lines."""
    _prints(example.source, example.place)


def session_prints(page: str) -> None:
    """All Python of a page, joined into one program, runs and prints its `#> ` lines."""
    source = fences.session(page)
    place = f"docs/{page}:1"
    printed = run_program(source, place)
    expected = snippets.expected(source)
    if not names_its_lines(expected):
        _same(expected, printed, place, "expected", "printed", _CORRECT)


def page_prints(page: str) -> None:
    """Each executed block of a page runs, and each Python block prints its own `#> ` lines."""
    session = running.Session(page)
    for fence in fences.read(page):
        if fence.kind == "python":
            code = fences.code(fence)
            printed = session.run(code.source, fence.place, code.snippet)
            _same(code.expected, printed, fence.place, "expected", "printed", _CORRECT)
        elif fence.kind == "console" and fence.executed:
            running.run_console(fence)


def page_quotes(page: str) -> None:
    """Each quote of a page, inline or as a block, says what its saved run says."""
    for quote in quotes.read(page):
        quotes.check(quote.text, quote.address, quote.place)
    for fence in fences.read(page):
        if "quote" in fence.options:
            quotes.check_block(fence)


_CORRECT = "correct the `#> ` lines, or the package"


def _prints(source: str, place: str) -> None:
    printed = run_program(source, place)
    _same(snippets.expected(source), printed, place, "expected", "printed", _CORRECT)


_PLACE = re.compile(r"\b\w+\.py:\d+\b|^(?:violated|unexercised|clean): \w+", re.MULTILINE)


def names_its_lines(text: str) -> bool:
    """Whether a printed text names lines of the program that prints it, or its file.

    Where the blocks of a page are joined into one program both are others than in the files
    that readers copy. The checks of each block compare such texts.
    """
    return _PLACE.search(text) is not None


def run_program(source: str, place: str, file: str = "") -> str:
    """Run source as a main program in this process and return what it prints.

    Args:
        source: The program.
        place: Where it is kept, for messages.
        file: The name under which it runs, as that of a file in this folder.

    Raises:
        DocsError: It raises; the message carries the traceback.
    """
    module = ModuleType("__main__")
    main, printed = sys.modules["__main__"], io.StringIO()
    sys.modules["__main__"] = module
    name = file or f"<{place}>"
    module.__file__ = name
    running.note_lines(name, source)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, name, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        trace = "".join(traceback.format_exception(error))
        raise DocsError(place, f"this program fails. Mend it, or the package.\n{trace}") from error
    finally:
        sys.modules["__main__"] = main
    return printed.getvalue()


def _same(left: str, right: str, place: str, was: str, now: str, remedy: str) -> None:
    if left != right:
        diff = difflib.unified_diff(left.splitlines(), right.splitlines(), was, now, lineterm="")
        raise DocsError(place, f"{was} and {now} differ; {remedy}.\n" + "\n".join(diff))


def docstring_examples() -> list[Example]:
    """The fenced Python blocks in the docstrings of src/faultlab."""
    found = []
    for path in sorted((ROOT / "src" / "faultlab").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found += [Example(path=path, line=n, source=s) for n, s in _blocks(node)]
    return found


def _blocks(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[int, str]]:
    text = ast.get_docstring(node, clean=False)
    if text is None:
        return
    for match in re.finditer(r"^ *```python\n(.*?)^ *```$", text, flags=re.MULTILINE | re.DOTALL):
        yield node.body[0].lineno + text[: match.start()].count("\n"), textwrap.dedent(match[1])


def red() -> Iterator[str]:
    """The ids of the checks that fail, each as soon as it has failed."""
    for check in everything():
        try:
            check.run()
        except Exception:
            yield check.id


def main() -> int:
    """Print the ids of the failing checks as JSON and exit 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m faultlab_docs.checks", description=__doc__)
    parser.add_argument("--package", type=Path, help="where the package must come from")
    parser.add_argument("--first", action="store_true", help="stop at the first that fails")
    options = parser.parse_args()
    here = Path(faultlab.__file__).resolve().parent
    if options.package and here != options.package.resolve():
        print(f"faultlab was imported from {here}, not {options.package}", file=sys.stderr)
        return 2
    failed = list(islice(red(), 1)) if options.first else list(red())
    print(json.dumps(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
