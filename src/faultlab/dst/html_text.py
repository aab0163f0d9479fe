"""Small pieces of a page: escaped text, and elements."""

import json
import re
from html import escape
from typing import Any

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""What a page would not show, or would let turn its text around, or could not be saved."""


def text(value: object) -> str:
    """Text for a page, or for an attribute in double quotes; the unseen is spelt out."""
    return escape(UNSEEN.sub(_spelt, str(value)), quote=True)


def _spelt(found: "re.Match[str]") -> str:
    return f"\\u{ord(found.group()):04x}"


def data(value: Any) -> str:
    """JSON that may stand inside of a script element: ASCII, and without `<`."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")


def code(value: object) -> str:
    """A code element."""
    return f"<code>{text(value)}</code>"


def many(count: int, noun: str) -> str:
    """`1 run`, `2,000 runs`."""
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
