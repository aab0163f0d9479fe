"""What the pages on simulation take from the kernel: the world's table, and what is portable."""

from collections.abc import Iterable
from html import escape
from typing import Final

from faultlab.kernel import NOT_PORTABLE, OUTSIDE, PORTABLE, Outside

_CALLS_SHOWN: Final = 4
"""So many names of a group stand in the table; the others are behind a disclosure."""

_HEADINGS: Final = {
    "virtual": ("Virtual", "the clock shows virtual time", "what it gives"),
    "seeded": ("Seeded", "chance comes from the run's seed", "what it gives"),
    "refused": ("Refused", "raises an error that names the call", "what to do instead"),
    "escapes": ("Escapes", "acts for real all the same", "what to do about it"),
}


def outside() -> str:
    """The four tables of the world: a row for each thing that becomes of a call."""
    return "\n\n".join(_table(kind) for kind in _HEADINGS)


def _table(kind: str) -> str:
    title, meaning, what = _HEADINGS[kind]
    groups: dict[str, list[str]] = {}
    for row in OUTSIDE:
        if row.kind == kind:
            groups.setdefault(row.what, []).append(_call(row))
    rows = [f"| {_calls(calls)} | {_cell(text)} |" for text, calls in groups.items()]
    head = [f"### {title}: {meaning}", "", f"| call | {what} |", "| --- | --- |"]
    return "\n".join([*head, *rows])


def _call(row: Outside) -> str:
    """A name as code; what escapes without one is a description."""
    named = all(part.isidentifier() for part in row.call.split("."))
    return f"<code>{row.call}</code>" if named else escape(row.call)


def _calls(calls: list[str]) -> str:
    if len(calls) <= _CALLS_SHOWN + 2:
        return ", ".join(calls)
    shown, hidden = calls[:_CALLS_SHOWN], calls[_CALLS_SHOWN:]
    return (
        f"{', '.join(shown)} "
        f'<details class="fl-behind"><summary>and {len(hidden)} more</summary>'
        f"{', '.join(hidden)}</details>"
    )


def portable() -> str:
    """What gives the same history on every supported Python, as a list."""
    return _list(_cell(line) for line in PORTABLE)


def not_portable() -> str:
    """What differs, and why."""
    rows = [f"| {_cell(what)} | {_cell(why)} |" for what, why in NOT_PORTABLE.items()]
    return "\n".join(["| what | why, and what to do |", "| --- | --- |", *rows])


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _cell(text: str) -> str:
    """Plain text that Markdown leaves as it is."""
    return escape(text, quote=False).replace("_", "\\_").replace("*", "\\*").replace("|", "\\|")
