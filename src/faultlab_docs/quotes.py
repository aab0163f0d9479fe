"""Figures and words that a page takes from a saved run, compared with that run.

An address is `file#pointer`: a saved run below docs/records without its ending, and a
JSON pointer (RFC 6901) into it. `[needs_review](run:lab/final_write#/record/status)` is a
quote inline; a fence `json quote="lab/final_write#/record/trace"` is a quote as a block.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from faultlab.naming import nearest
from faultlab_docs.fences import Fence, parse
from faultlab_docs.places import DOCS, RECORDS, DocsError

_QUOTE: Final = re.compile(r"\[(?P<text>[^\[\]]*)\]\(run:(?P<address>[^)]*)\)")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", flags=re.DOTALL)
_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


@dataclass(frozen=True, kw_only=True)
class Quote:
    """One inline quote of a page: where it stands, what it says, what it quotes."""

    page: str
    line: int
    text: str
    address: str

    @property
    def place(self) -> str:
        return f"docs/{self.page}:{self.line}"


def read(page: str) -> list[Quote]:
    """The inline quotes of a page below docs/."""
    return list(find((DOCS / page).read_text(encoding="utf-8"), page))


def find(text: str, page: str) -> Iterator[Quote]:
    """The inline quotes of a page's Markdown, those in the captions of figures included."""
    prose = _prose(text, page)
    for match in _QUOTE.finditer(prose):
        line = prose.count("\n", 0, match.start()) + 1
        yield Quote(page=page, line=line, text=match["text"], address=match["address"])


def _prose(text: str, page: str) -> str:
    """The page with fences and quotes shown as code blanked out, line by line."""
    lines = text.splitlines()
    for fence in parse(text, page):
        first, last = fence.line - 1, fence.line + fence.body.count("\n") + 1
        if fence.kind == "figure":
            lines[first] = ""
        else:
            lines[first:last] = [""] * (last - first)
    return _CODE.sub(_unless_code, "\n".join(lines))


def _unless_code(span: re.Match[str]) -> str:
    """A code span as it is, or blank if what it shows is a quote's own syntax."""
    return "\n" * span[0].count("\n") if "](run:" in span[0] else span[0]


@cache
def saved(name: str) -> Any:
    """A saved run by its path below docs/records, without the ending."""
    return json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))


def names() -> list[str]:
    """Every saved run, by its path below docs/records without the ending."""
    return sorted(
        path.relative_to(RECORDS).with_suffix("").as_posix() for path in RECORDS.rglob("*.json")
    )


def resolve(address: str, place: str) -> Any:
    """The value at an address.

    Raises:
        DocsError: The address is malformed, or names a file or a key that is not there.
    """
    file, hash_sign, pointer = address.partition("#")
    if not hash_sign or (pointer and not pointer.startswith("/")):
        raise DocsError(place, f"the quote address {address!r} is not 'file#/key/key'. Correct it.")
    if file not in names():
        raise DocsError(
            place,
            f"the quote address {address!r} names no saved run.{nearest(file, names())} "
            f"Known: {', '.join(names())}.",
        )
    value = saved(file)
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        known = [str(k) for k in (range(len(value)) if isinstance(value, list) else value or ())]
        if not isinstance(value, dict | list) or key not in known:
            raise DocsError(
                place,
                f"the quote address {address!r} leads nowhere at {key!r}."
                f"{nearest(key, known)} Known there: {', '.join(known[:30]) or 'nothing'}.",
            )
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def spoken(value: Any) -> set[str]:
    """The ways in which prose may say a value of a saved run."""
    if isinstance(value, list):
        return {", ".join(str(item) for item in value)}
    if isinstance(value, str):
        return {value}
    ways = {json.dumps(value)}
    if type(value) is int and 0 <= value < len(_WORDS):
        ways |= {_WORDS[value], _WORDS[value].capitalize()}
    return ways


def check(text: str, address: str, place: str) -> None:
    """Compare an inline quote with its saved run.

    Raises:
        DocsError: The address leads nowhere, or the run says something else.
    """
    value = resolve(address, place)
    if " ".join(text.split()).strip("`") not in spoken(value):
        raise DocsError(
            place,
            f"the page says {text!r}, the saved run at {address!r} says {value!r}. "
            "Correct the page; or, if the package changed on purpose, run `nox -s records`.",
        )


def check_block(fence: Fence) -> None:
    """Compare a quoted block with its saved run; with part="yes" an object may leave keys out.

    Raises:
        DocsError: The block is no JSON, or the run says something else.
    """
    value = resolve(fence.options["quote"], fence.place)
    try:
        quoted = json.loads(fence.body)
    except json.JSONDecodeError as error:
        raise DocsError(fence.place, f"the quoted block is no JSON: {error}. Mend it.") from error
    if fence.options.get("part") == "yes" and isinstance(value, dict):
        value = {key: value[key] for key in quoted if key in value}
    if quoted != value or list(quoted) != list(value):
        raise DocsError(
            fence.place,
            f"the block differs from the saved run at {fence.options['quote']!r}, which says "
            f"{json.dumps(value)}. Correct the page, or run `nox -s records`.",
        )
