"""The fenced blocks of a page, read strictly: what is not understood is an error."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from faultlab import snippets
from faultlab.errors import FaultlabError
from faultlab.naming import nearest
from faultlab_docs.places import DOCS, SNIPPETS, DocsError

OPTIONS: Final[dict[str, dict[str, bool]]] = {
    "python": {"exec": True, "caption": False},
    "console": {"exec": False, "caption": False, "unchecked": False},
    "json": {"quote": False, "file": False, "part": False, "caption": False},
    "yaml": {"file": True, "caption": False},
    "figure": {"kind": True, "run": False, "other": False, "wide": False},
    "source": {"file": True, "caption": False},
    "generated": {"by": True},
}
"""Per kind of fence, the options it knows and whether each is required."""

_ANY_FENCE: Final = re.compile(r"^(?P<indent>[ \t>]*)(?P<ticks>`{3,}|~{3,})(?P<rest>.*)$")
_HEADER: Final = re.compile(r'^ ?(?P<kind>[a-z]+)(?P<options>(?: [a-z-]+="[^"]*")*)\s*$')
_OPTION: Final = re.compile(r'([a-z-]+)="([^"]*)"')
_INCLUDE: Final = re.compile(r'^--8<-- "(?P<file>[^":]+)(?::(?P<section>[^"]+))?"$')


@dataclass(frozen=True, kw_only=True)
class Fence:
    """One fenced block of a page.

    Attributes:
        page: The page's path below docs/.
        line: The line of the opening fence, from 1.
        kind: The first word of the header.
        options: The rest of the header.
        body: What stands between the fences.
    """

    page: str
    line: int
    kind: str
    options: dict[str, str]
    body: str

    @property
    def place(self) -> str:
        return f"docs/{self.page}:{self.line}"

    @property
    def executed(self) -> bool:
        return self.options.get("exec") == "on"


@dataclass(frozen=True, kw_only=True)
class Code:
    """The code of an executed Python fence, and the snippet that it comes from."""

    snippet: snippets.Snippet | None
    section: str | None
    source: str

    @property
    def shown(self) -> str:
        return snippets.clean(self.source)

    @property
    def expected(self) -> str:
        return snippets.expected(self.source)


def read(page: str) -> list[Fence]:
    """The fences of a page below docs/."""
    return list(parse((DOCS / page).read_text(encoding="utf-8"), page))


def parse(text: str, page: str) -> Iterator[Fence]:
    """The fences of a page's Markdown.

    Raises:
        DocsError: A fence is not closed, is of an unknown kind, lacks a required option
            or has one that its kind does not know.
    """
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = _ANY_FENCE.match(lines[number])
        if opening is None:
            number += 1
            continue
        end = _closing(lines, number, opening, page)
        body = "\n".join(lines[number + 1 : end])
        yield _fence(opening, body, page, number + 1)
        number = end + 1


def _closing(lines: list[str], start: int, opening: re.Match[str], page: str) -> int:
    place = f"docs/{page}:{start + 1}"
    if opening["indent"] or opening["ticks"] != "```":
        raise DocsError(place, "a fence is three backticks at the start of a line. Write it so.")
    for number in range(start + 1, len(lines)):
        if lines[number].rstrip() == "```":
            return number
        if lines[number].startswith("```"):
            raise DocsError(
                place, f"another fence opens in line {number + 1}. Close this one before it."
            )
    raise DocsError(place, "this fence is never closed. Add a line ``` after the block.")


def _fence(opening: re.Match[str], body: str, page: str, line: int) -> Fence:
    place = f"docs/{page}:{line}"
    header = _HEADER.match(opening["rest"])
    if header is None:
        raise DocsError(
            place,
            f"the header {opening['rest'].strip()!r} can't be read. "
            'Write a kind and then options as name="value".',
        )
    kind = header["kind"]
    if kind not in OPTIONS:
        raise DocsError(
            place,
            f"there is no fence of kind {kind!r}.{nearest(kind, OPTIONS)} "
            f"Known: {', '.join(OPTIONS)}.",
        )
    options = dict(_OPTION.findall(header["options"]))
    for name in options:
        if name not in OPTIONS[kind]:
            raise DocsError(
                place,
                f"a {kind} fence has no option {name!r}.{nearest(name, OPTIONS[kind])} "
                f"Known: {', '.join(OPTIONS[kind])}.",
            )
    for name, required in OPTIONS[kind].items():
        if required and name not in options:
            raise DocsError(place, f'a {kind} fence needs {name}="…". Add it.')
    fence = Fence(page=page, line=line, kind=kind, options=options, body=body)
    _check_values(fence)
    return fence


def _check_values(fence: Fence) -> None:
    kind, options, place = fence.kind, fence.options, fence.place
    if options.get("exec", "on") != "on":
        raise DocsError(place, f'exec is "on", not {options["exec"]!r}. Correct it.')
    if kind == "console" and ("exec" in options) == ("unchecked" in options):
        raise DocsError(place, 'a console fence has exec="on", or unchecked="the reason".')
    if not options.get("unchecked", "a reason").strip():
        raise DocsError(place, "unchecked is the reason why this can't be executed. Give one.")
    if kind == "generated" and fence.body.strip():
        raise DocsError(place, "a generated block has no body of its own. Empty it.")
    if kind == "json" and ("quote" in options) == ("file" in options):
        raise DocsError(place, 'a json fence has quote="address", or file="path".')


def code(fence: Fence) -> Code:
    """The code of a Python fence, with an included section put in its place.

    Raises:
        DocsError: The snippet or its section does not exist; the message names the nearest.
    """
    include = _INCLUDE.match(fence.body.strip())
    if include is None:
        if "--8<--" in fence.body:
            raise DocsError(
                fence.place,
                'an include is the only line of its fence: --8<-- "file.py:section". Correct it.',
            )
        return Code(snippet=None, section=None, source=f"{fence.body}\n")
    file, section = include["file"], include["section"]
    snippet = _snippet(fence, file)
    sections = snippet_sections(snippet.source)
    if section is None:
        return Code(snippet=snippet, section=None, source=_body(snippet.source))
    if section not in sections:
        raise DocsError(
            fence.place,
            f"snippets/{file} has no section {section!r}.{nearest(section, sections)} "
            f"Its sections: {', '.join(sections) or 'none'}.",
        )
    return Code(snippet=snippet, section=section, source=sections[section])


def _snippet(fence: Fence, file: str) -> snippets.Snippet:
    names = [path.name for path in sorted(SNIPPETS.glob("*.py"))]
    if file not in names:
        raise DocsError(
            fence.place,
            f"there is no snippets/{file}.{nearest(file, names)} Known: {', '.join(names)}.",
        )
    try:
        return snippets.get(file.removesuffix(".py").replace("_", "-"))
    except FaultlabError as error:
        raise DocsError(fence.place, str(error)) from error


def snippet_sections(source: str) -> dict[str, str]:
    """The sections of a snippet by name, each with its expected lines."""
    sections: dict[str, list[str]] = {}
    current: str | None = None
    for line in source.splitlines():
        marker = re.match(r"^# --8<-- \[(start|end):([a-z0-9-]+)\]$", line)
        if marker is None:
            if current is not None:
                sections[current].append(line)
        elif marker[1] == "start":
            current = marker[2]
            sections[current] = []
        else:
            current = None
    return {name: "\n".join(lines).strip("\n") + "\n" for name, lines in sections.items()}


def _body(source: str) -> str:
    """A snippet without its docstring, which is for those who open the file."""
    return re.sub(r'\A""".*?"""\n+', "", source, flags=re.DOTALL)


def pages() -> list[str]:
    """Every page below docs/, sorted."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def session(page: str) -> str:
    """All executed Python of a page joined into one program, with its expected lines."""
    parts = [code(fence).source for fence in read(page) if fence.kind == "python"]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n" if parts else ""


def file_text(fence: Fence) -> tuple[Path, str]:
    """The file that a fence shows in full.

    Raises:
        DocsError: There is no such file in the checkout, or the fence has a body of its own.
    """
    name = fence.options["file"]
    path = SNIPPETS.parent / name
    if not path.is_file():
        folder = path.parent if path.parent.is_dir() else SNIPPETS
        names = [item.relative_to(SNIPPETS.parent).as_posix() for item in sorted(folder.iterdir())]
        raise DocsError(fence.place, f"there is no file {name}.{nearest(name, names)}")
    if fence.body.strip():
        raise DocsError(
            fence.place, f"this fence shows {name}; its own body would be lost. Empty it."
        )
    return path, path.read_text(encoding="utf-8")
