"""The documentation's example programs: listed, copied, and checked against this version."""

import difflib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import faultlab
from faultlab.errors import FaultlabError
from faultlab.naming import nearest

RUN_TIMEOUT_S: Final = 60

_MARKER: Final = re.compile(r"^\s*# --8<-- \[(start|end):[a-z0-9-]+\]\s*$")
_EXPECTED: Final = re.compile(r"^\s*#> ?(.*)$")
_HEADER: Final = re.compile(r"^# faultlab snippet: (?P<id>[a-z0-9-]+) · version (?P<version>\S+)")


class SnippetError(FaultlabError):
    """A snippet does not exist, or its place is taken by something else."""


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """One complete example program.

    Attributes:
        id: Its permanent name, words joined by hyphens.
        page: The page that explains it, as a path of the site.
        source: The file as it is kept, with section markers and expected lines.
    """

    id: str
    page: str
    source: str

    @property
    def program(self) -> str:
        """The program as a reader gets it: a line of origin, no markers, no expected lines."""
        header = (
            f"# faultlab snippet: {self.id} · version {faultlab.__version__} · page {self.page}"
        )
        return f"{header}\n{clean(self.source)}"

    @property
    def expected(self) -> str:
        """The text that the program must print."""
        return expected(self.source)


@dataclass(frozen=True, kw_only=True)
class Check:
    """What came of running one copied snippet.

    Attributes:
        id: The snippet's name.
        path: The reader's copy.
        difference: A unified diff from the expected to the printed text; empty if equal.
    """

    id: str
    path: Path
    difference: str


def clean(source: str) -> str:
    """Source without section markers and expected lines, as it is shown and copied."""
    kept = [
        line
        for line in source.splitlines()
        if not _MARKER.match(line) and not _EXPECTED.match(line)
    ]
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept).strip("\n"))
    return f"{text}\n"


def expected(source: str) -> str:
    """The text that source must print, from its `#> ` lines."""
    found = (_EXPECTED.match(line) for line in source.splitlines())
    return "".join(f"{match.group(1)}\n" for match in found if match)


def snippets() -> dict[str, Snippet]:
    """All snippets of this version by id, in alphabetical order."""
    found = {}
    for entry in sorted(_folder().iterdir(), key=lambda item: item.name):
        if not entry.name.endswith(".py"):
            continue
        source = entry.read_text(encoding="utf-8")
        name = entry.name.removesuffix(".py").replace("_", "-")
        page = re.search(r"^Page: (\S+)$", source, flags=re.MULTILINE)
        if page is None:
            raise SnippetError(
                f"snippets/{entry.name} names no page. Add a line 'Page: …' to its docstring."
            )
        found[name] = Snippet(id=name, page=page.group(1), source=source)
    return found


def get(snippet_id: str) -> Snippet:
    """One snippet by its id.

    Raises:
        SnippetError: There is none of that id; the message names the nearest.
    """
    known = snippets()
    if snippet_id not in known:
        raise SnippetError(
            f"There is no snippet {snippet_id!r}.{nearest(snippet_id, known)} "
            "`faultlab snippets list` names them all."
        )
    return known[snippet_id]


def copy(snippet_id: str, folder: Path) -> list[Path]:
    """Write a snippet's program and its expected output into a folder.

    An identical file is left as it is; a different one is never overwritten.

    Raises:
        SnippetError: The id is unknown, or a file of that name has other contents.
    """
    snippet = get(snippet_id)
    stem = snippet_id.replace("-", "_")
    wanted = {
        folder / f"{stem}.py": snippet.program,
        folder / f"{stem}.expected.txt": snippet.expected,
    }
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise SnippetError(
                f"{path} exists and has other contents. Move it away, or copy into another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return list(wanted)


def check(folder: Path) -> list[Check]:
    """Run every copied snippet in a folder and compare what it prints now.

    Raises:
        SnippetError: The folder holds no copied snippet, or an expected output is missing.
    """
    checks = [_check(path, snippet_id) for path, snippet_id in _copies(folder)]
    if not checks:
        raise SnippetError(
            f"{folder} holds no copied snippet. "
            f"`faultlab snippets copy ID {folder}` puts one there."
        )
    return checks


def _copies(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.glob("*.py")):
        header = _HEADER.match(path.read_text(encoding="utf-8"))
        if header:
            yield path, header["id"]


def _check(path: Path, snippet_id: str) -> Check:
    expected_path = path.with_suffix(".expected.txt")
    if not expected_path.exists():
        raise SnippetError(
            f"{expected_path} is missing. Copy {snippet_id} again, or write the file yourself."
        )
    expected = expected_path.read_text(encoding="utf-8")
    printed = run(path)
    difference = "".join(
        difflib.unified_diff(
            expected.splitlines(keepends=True),
            printed.splitlines(keepends=True),
            str(expected_path),
            f"printed by faultlab {faultlab.__version__}",
        )
    )
    return Check(id=snippet_id, path=path, difference=difference)


def run(path: Path) -> str:
    """Run a program in a fresh interpreter and return what it prints.

    It runs in its own folder, for a report names files as seen from there. If it fails, its
    error is part of the text: what stands below the traceback, notes included.

    Raises:
        SnippetError: It is still running after `RUN_TIMEOUT_S` seconds.
    """
    command = [sys.executable, "-X", "utf8", path.name]
    try:
        done = subprocess.run(
            command,
            cwd=path.parent,
            env=os.environ | _search_path(),
            capture_output=True,
            encoding="utf-8",
            timeout=RUN_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SnippetError(
            f"{path} was still running after {RUN_TIMEOUT_S} s and was stopped. "
            "A snippet ends by itself: look for a loop in the copy."
        ) from error
    if done.returncode == 0:
        return done.stdout
    return f"{done.stdout}{_error(done.stderr) or f'exit code {done.returncode}'}\n"


def _search_path() -> dict[str, str]:
    """PYTHONPATH, if there is one, as it is seen from here."""
    given = os.environ.get("PYTHONPATH")
    if not given:
        return {}
    return {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, given.split(os.pathsep)))}


def _error(stderr: str) -> str:
    """The lines below a traceback, which itself is indented."""
    lines = stderr.strip().splitlines()
    indented = [number for number, line in enumerate(lines) if line.startswith(" ")]
    below = lines[indented[-1] + 1 :] if indented else lines
    return "\n".join(below or lines[-1:])


def _folder() -> Traversable:
    packaged = resources.files("faultlab") / "_snippets"
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[2] / "snippets"
    if checkout.is_dir():
        return checkout
    raise SnippetError(
        f"This installation of faultlab {faultlab.__version__} (Python {sys.version_info[0]}."
        f"{sys.version_info[1]}) carries no snippets. Install it again from the wheel."
    )
