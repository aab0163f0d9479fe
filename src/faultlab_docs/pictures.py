"""Pictures of saved runs as HTML, with the table behind each. The drawing itself: lanes.py."""

from html import escape
from typing import Final

from faultlab.lab_account import GLYPHS, Step, steps
from faultlab.lab_runs import SavedRun
from faultlab_docs.lanes import opener, trace
from faultlab_docs.scenario_map import lab_map

__all__ = ["figure", "key", "lab_map", "opener", "table", "trace"]

_KEY: Final = {
    "asked": "asked for; dashed: never reached",
    "reached": "reached",
    "stopped": "stopped",
    "happened": "happened",
    "known": "known",
    "unknown": "unknown to the worker",
}


def key() -> str:
    """What each glyph of a lane picture stands for."""
    entries = "".join(
        f'<li class="g-{name}"><span class="fl-glyph" aria-hidden="true">{GLYPHS[name]}</span> '
        f"{text}</li>"
        for name, text in _KEY.items()
    )
    return f'<ul class="fl-key">{entries}</ul>'


def table(run: SavedRun) -> str:
    """The same steps as an HTML table, for those who read better than they see."""
    rows = "".join(_row(step) for step in steps(run))
    return (
        '<div class="fl-scroll" role="region" aria-label="The run as a table" tabindex="0">'
        '<table class="fl-steps"><thead><tr><th scope="col">Place</th>'
        '<th scope="col" class="m">Asked for</th><th scope="col">Reached</th>'
        '<th scope="col">Happened</th><th scope="col">Known</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(step: Step) -> str:
    reached = "stopped here" if step.stopped else ("yes" if step.reached else "no")
    happened = escape(step.happened)
    if "effect" in happened:
        send, effect = happened.split(", ")
        happened = f'{send}<span class="m">, {effect}</span>'
    known = step.known
    if step.effect_unknown and not known:
        known = "effect still unknown"
    kind = "" if step.reached else ' class="faint"'
    return (
        f'<tr{kind}><th scope="row"><code>{step.place}</code></th>'
        f'<td class="m">{escape(step.asked)}</td><td>{reached}</td>'
        f"<td>{happened}</td><td>{escape(known)}</td></tr>"
    )


def figure(run: SavedRun, *, title: str, href: str) -> str:
    """Picture, table and source of one run, as an HTML figure without its caption."""
    return (
        f'<div class="fl-run"><p class="fl-run-title">{escape(title)}</p>{trace(run)}'
        f'<details class="fl-behind"><summary>The same as a table</summary>{table(run)}{key()}'
        f"</details>"
        f'<p class="fl-source"><a href="{escape(href)}">saved run</a></p></div>'
    )
