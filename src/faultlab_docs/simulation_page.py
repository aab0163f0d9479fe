"""What the pages on simulation take from the kernel: the world's table, and what is portable."""

from collections import Counter
from collections.abc import Iterable
from html import escape
from typing import Final

from faultlab.kernel import NOT_PORTABLE, OUTSIDE, PORTABLE, Outside

_HEADINGS: Final = {
    "virtual": ("Virtual", "the clock shows virtual time", "What it gives"),
    "seeded": ("Seeded", "chance comes from the run's seed", "What it gives"),
    "refused": ("Refused", "it raises an error that names the call", "What to do instead"),
    "escapes": ("Escapes", "it acts for real all the same", "What to do about it"),
}


def outside() -> str:
    """The world's table in four parts, each a sentence with the whole of it behind."""
    return "\n\n".join(_part(kind) for kind in _HEADINGS)


def _part(kind: str) -> str:
    title, meaning, what = _HEADINGS[kind]
    found = [row for row in OUTSIDE if row.kind == kind]
    modules = Counter(row.call.split(".")[0] for row in found if _is_name(row))
    public = [module for module, _ in modules.most_common() if not module.startswith("_")]
    named = ", ".join(f"`{module}`" for module in public)
    calls = sum(modules.values())
    others = len(found) - calls
    counted = f"{calls} calls: {named}" + (f"; and {others} other ways" if others else "")
    rows: dict[str, list[Outside]] = {}
    for row in found:
        rows.setdefault(row.what, []).append(row)
    body = "".join(_row(calls, text) for text, calls in rows.items())
    return (
        f"### {title}: {meaning}\n\n{counted}.\n\n"
        f'<details class="fl-behind"><summary>Each of them</summary>'
        f'<div class="fl-scroll" role="region" aria-label="{title}" tabindex="0">'
        f'<table><thead><tr><th scope="col">Call</th><th scope="col">{what}</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div></details>"
    )


def _row(calls: list[Outside], text: str) -> str:
    return f"<tr><td>{', '.join(map(_call, calls))}</td><td>{escape(text)}</td></tr>"


def _is_name(row: Outside) -> bool:
    return all(part.isidentifier() for part in row.call.split("."))


def _call(row: Outside) -> str:
    """A name as code, which may break after a dot; what has none is a description."""
    if not _is_name(row):
        return escape(row.call)
    return f"<code>{row.call.replace('.', '.<wbr>')}</code>"


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
