"""Runs a page's code blocks: one namespace a page, real stdout, nothing swallowed."""

import contextlib
import io
import linecache
import shlex
import sys
import traceback
from types import ModuleType
from typing import Any

from faultlab import snippets
from faultlab.cli import main
from faultlab_docs.fences import Fence
from faultlab_docs.places import DocsError


class Session:
    """The executed blocks of one page, in order, in one namespace."""

    def __init__(self, page: str) -> None:
        self._module = ModuleType(
            "faultlab_page_" + "".join(c if c.isalnum() else "_" for c in page)
        )

    @property
    def namespace(self) -> dict[str, Any]:
        """What the blocks share."""
        return self._module.__dict__

    def run(self, code: str, place: str, snippet: snippets.Snippet | None = None) -> str:
        """Execute code and return all that it prints, prints of library code included.

        A section of a snippet runs under the name and the line numbers of the file that a
        reader copies: what it prints of its own lines is then true of that file.

        Args:
            code: One block.
            place: Where the page has it, for messages.
            snippet: What the block is a section of.

        Raises:
            DocsError: The code raises; the message carries the traceback.
        """
        name, file, text = self._module.__name__, f"<{place}>", code
        if snippet is None:
            note_lines(file, code)
        else:
            name = file_stem(snippet)
            file = f"{name}.py"
            note_lines(file, snippet.program)
            text = as_copied(code, snippet)
        namespace = self.namespace
        namespace["__name__"] = name
        # dataclasses and pickle look a class's module up by name while the block runs.
        hidden = sys.modules.get(name)
        sys.modules[name] = self._module
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(text, file, "exec"), namespace)
        except (Exception, SystemExit) as error:
            trace = "".join(traceback.format_exception(error))
            raise DocsError(
                place, f"this block fails. Mend it, or the package.\n{trace}"
            ) from error
        finally:
            del sys.modules[name]
            if hidden is not None:
                sys.modules[name] = hidden
        return printed.getvalue()


def file_stem(snippet: snippets.Snippet) -> str:
    """The name of a snippet's file, without its suffix."""
    return snippet.id.replace("-", "_")


def note_lines(file: str, text: str) -> None:
    """Lets tracebacks and reports show the lines of code that is in no file."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def as_copied(code: str, snippet: snippets.Snippet) -> str:
    """A section below so many blank lines that its numbers are those of the reader's copy."""
    shown = snippets.clean(code)
    before = max(0, snippet.program.find(shown))
    return "\n" * snippet.program.count("\n", 0, before) + shown


def run_console(fence: Fence) -> str:
    """Run the `$ faultlab …` lines of a console fence and return what they print.

    A line `$ echo $?` prints the exit code of the command before it.

    Raises:
        DocsError: A line is no such command.
    """
    output = io.StringIO()
    exit_code = 0
    for number, line in enumerate(fence.body.splitlines(), start=fence.line + 1):
        place = f"docs/{fence.page}:{number}"
        if not line.startswith("$ "):
            raise DocsError(place, "an executed console line starts with '$ '. Output is computed.")
        words = shlex.split(line[2:])
        if words[:1] == ["faultlab"]:
            exit_code = _call(words[1:], output)
        elif words == ["echo", "$?"]:
            output.write(f"{exit_code}\n")
        else:
            raise DocsError(place, "only `faultlab …` and `echo $?` can be executed here.")
    return output.getvalue()


def _call(arguments: list[str], output: io.StringIO) -> int:
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            return main(arguments)
        except SystemExit as error:  # argparse leaves by this door
            return error.code if isinstance(error.code, int) else 1
