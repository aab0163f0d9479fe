"""Quotes, read from the raw Markdown in a second way and compared with the saved runs."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from faultlab_docs import checks, fences, quotes
from faultlab_docs.places import DOCS, DocsError

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS += ["eleven", "twelve"]


def raw(page: str) -> list[str]:
    return (DOCS / page).read_text(encoding="utf-8").split("\n")


def inline(page: str) -> Iterator[tuple[str, str]]:
    """Text and address of each quote in prose and captions; not in code."""
    kept, fence = [], ""
    for line in raw(page):
        if line.startswith("```"):
            fence = "" if fence else line[3:]
        elif not fence or fence.split()[0] == "figure":
            kept.append(line)
        else:
            kept.append("")
    prose = "\n".join(kept)
    position = prose.find("](run:")
    while position >= 0:
        start = prose.rindex("[", 0, position)
        end = prose.index(")", position)
        paragraph = prose[prose.rfind("\n\n", 0, start) + 1 : start]
        if paragraph.count("`") % 2 == 0:
            yield " ".join(prose[start + 1 : position].split()), prose[position + 6 : end]
        position = prose.find("](run:", end)


def blocks(page: str) -> Iterator[tuple[str, str, bool]]:
    """Body and address of each quoted block, and whether it may leave keys out."""
    body: list[str] | None = None
    address, part = "", False
    for line in raw(page):
        opened = re.match(r'```json .*\bquote="([^"]+)"', line)
        if opened:
            address, part, body = opened[1], 'part="yes"' in line, []
        elif line == "```" and body is not None:
            yield "\n".join(body), address, part
            body = None
        elif body is not None:
            body.append(line)


def value(address: str) -> Any:
    file, pointer = address.split("#")
    found = json.loads((DOCS / "records" / f"{file}.json").read_text(encoding="utf-8"))
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        found = found[int(key)] if isinstance(found, list) else found[key]
    return found


def same(text: str, quoted: Any) -> bool:
    text = text.strip("`")
    if isinstance(quoted, list):
        return text == ", ".join(map(str, quoted))
    if isinstance(quoted, bool) or quoted is None:
        return text == {True: "true", False: "false", None: "null"}[quoted]
    if isinstance(quoted, int):
        return text == str(quoted) or text.lower() == dict(enumerate(NUMBERS)).get(quoted)
    return bool(text == quoted)


INLINE = [(page, *quote) for page in fences.pages() for quote in inline(page)]
BLOCKS = [(page, *block) for page in fences.pages() for block in blocks(page)]


@pytest.mark.parametrize(
    ("page", "text", "address"), INLINE, ids=[f"{page}: {text}" for page, text, _ in INLINE]
)
def test_a_quote_says_what_its_saved_run_says(page: str, text: str, address: str) -> None:
    assert same(text, value(address)), f"docs/{page}: {text!r}, but {value(address)!r}"


@pytest.mark.parametrize(
    ("page", "body", "address", "part"), BLOCKS, ids=[f"{p}: {a}" for p, _, a, _ in BLOCKS]
)
def test_a_quoted_block_is_the_json_of_its_saved_run(
    page: str, body: str, address: str, part: bool
) -> None:
    quoted, saved = json.loads(body), value(address)
    if part:
        assert quoted
        assert quoted.items() <= saved.items()
        assert list(quoted) == [key for key in saved if key in quoted]
    else:
        assert json.dumps(quoted) == json.dumps(saved)


@pytest.mark.parametrize("page", fences.pages())
def test_both_readings_of_a_page_find_the_same_quotes(page: str) -> None:
    first = [(" ".join(quote.text.split()), quote.address) for quote in quotes.read(page)]
    assert first == list(inline(page))
    checks.page_quotes(page)


def test_the_pages_quote_their_saved_runs() -> None:
    assert len(INLINE) >= 40
    assert {address.split("#")[0] for *_, address in INLINE} >= {
        "lab/map",
        "lab/final_write",
        "lab/native_reply",
        "lab/before_send",
    }


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("A page.\n\nIt is [failed](run:lab/final_write#/record/status).\n", "failed"),
        ("A page.\n\nIt ends\n[as\nfailed](run:lab/final_write#/record/status)\n", "as\nfailed"),
        ("`a` [2](run:lab/success#/record/send_count) `b`\n", "2"),
        ('```figure kind="map"\nIn [12](run:lab/map#/summary/end_states).\n```\n', "12"),
    ],
)
def test_a_wrong_quote_is_found_wherever_prose_may_stand(text: str, wrong: str) -> None:
    (quote,) = quotes.find(text, "page.md")
    assert quote.text == wrong
    assert quote.line == text[: text.index(f"[{wrong}")].count("\n") + 1
    with pytest.raises(DocsError, match="the page says"):
        quotes.check(quote.text, quote.address, quote.place)


def test_a_quote_shown_as_code_is_no_quote() -> None:
    shown = "Write `[11](run:lab/map#/x)` or ``[`11`](run:lab/map#/x)``.\n"
    fenced = '```python exec="on"\ntext = "[11](run:lab/map#/x)"\n```\n'
    assert list(quotes.find(shown + fenced, "page.md")) == []
