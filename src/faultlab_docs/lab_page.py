"""The Failure Lab's page: its controls, one run in full, and the data that its script shows.

Everything that the page says of a run is written here, at build time, by the package. The
script only chooses among the 72 results; it knows no scenario by name.
"""

from html import escape
from typing import Any, Final

from faultlab.cli import to_json
from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS
from faultlab.lab_account import GLYPHS, conclusion
from faultlab.lab_runs import (
    RECORD_KEYS,
    SavedRun,
    lab_map,
    never_reached,
    scenario_id,
)
from faultlab_docs import pictures

COMMAND: Final = (
    "faultlab lab --fault {fault} --cancel-at {cancel_at} --observation {observation} --json"
)
NEVER: Final = "asked for, never reached"

_INPUTS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "fault": ("Fault", "the point that fails", FAULTS),
    "cancel_at": ("Cancel at", "the gap it is stopped in", CANCELLATIONS),
    "observation": ("Observation", "what the read finds", OBSERVATIONS),
}

_TITLES: Final = {
    "asked": "Asked for",
    "reached": "Reached",
    "happened": "Happened",
    "known": "Known",
}
_HIDES: Final = {"asked": "m"}


def data() -> dict[str, Any]:
    """What the page's script shows, beside the saved runs themselves.

    Returns:
        `keys` (per key of a record its kind, and whether the worker can see it) and `runs`:
        per scenario its picture, table, sentences, and the line that is read aloud.
    """
    keys = {name: {"kind": key.kind, "seen_by": key.seen_by} for name, key in RECORD_KEYS.items()}
    return {"keys": keys, "runs": {run["id"]: _shown(run) for run in lab_map()["runs"]}}


def _shown(run: Any) -> dict[str, Any]:
    return {
        "svg": pictures.trace(run),
        "table": pictures.table(run),
        "sentences": sentences(run),
        "told": told(run),
    }


def sentences(run: SavedRun) -> dict[str, str]:
    """The four sentences as HTML. What only the model can know is marked with class `m`."""
    said = conclusion(run)
    reached, semicolon, unmet = said["reached"].partition("; ")
    sends, effects, reads = said["happened"].split(", ")
    return {
        "asked": escape(said["asked"]),
        "reached": escape(reached) + (_model(f"{semicolon}{unmet}") if unmet else ""),
        "happened": f"{sends}, {_model(f'{effects}, ')}{reads}",
        "known": escape(said["known"]),
    }


def _model(text: str) -> str:
    return f'<span class="m">{escape(text)}</span>'


def told(run: SavedRun) -> dict[str, str]:
    """The run in one line, as it is read aloud: everything, and what the worker can know."""
    said, record = conclusion(run), run["record"]
    sends, effects, _ = said["happened"].split(", ")
    status = record["status"].replace("_", " ")
    outcome = record["outcome"].replace("_", " ")
    unmet = said["reached"].partition("; ")[2]
    return {
        "everything": f"{status}: {sends}, {effects}, outcome {outcome}"
        + (f"; {unmet}" if unmet else ""),
        "worker": f"{status}: {sends}, outcome {outcome}",
    }


def html(run: SavedRun, assets: str) -> str:
    """Controls and one run in full.

    Args:
        run: The run that stands on the page before another is chosen.
        assets: The way from the published page to the site's folder of assets.
    """
    scenario = run["scenario"]
    return (
        f'<link rel="stylesheet" href="{assets}/lab.css">'
        f'<div class="fl-lab" data-scenario="{scenario_id(scenario)}" data-view="everything" '
        f'data-command="{COMMAND}">'
        # The script follows its controls at once, so that they are there before the first paint.
        f'<template>{_controls(run)}</template><script src="{assets}/lab.js"></script>'
        '<noscript><p class="fl-lab-noscript">Without JavaScript you see one run here, of the '
        f"scenario <code>{scenario_id(scenario)}</code>. The map below names the end of all 72, "
        "and the command runs any of them.</p></noscript>"
        '<p class="fl-lab-live fl-unseen" role="status"></p>'
        '<p class="fl-lab-error" role="alert" hidden>The saved runs could not be fetched, so '
        "this page can’t show another run. The map and the command below still work: "
        "the map names the end state of each scenario, and the command prints its record on your "
        "machine.</p>"
        f"{_result(run)}{_command(scenario)}</div>"
    )


def _controls(run: SavedRun) -> str:
    fields = "".join(_field(name, run) for name in _INPUTS)
    return (
        '<form class="fl-lab-controls" autocomplete="off" aria-label="The scenario">'
        f"{fields}</form>"
        '<div class="fl-lab-view"><button type="button" class="fl-lab-toggle" '
        'aria-pressed="false">Worker’s view</button><p>The running worker counts its own sends. '
        "It can’t see the receiver’s effect, nor that a fault was planned: its view leaves "
        "those out.</p></div>"
    )


def _field(name: str, run: SavedRun) -> str:
    title, what, values = _INPUTS[name]
    chosen = run["scenario"][name]  # type: ignore[literal-required]
    unmet = name in never_reached(run)
    mark = "unmet" if unmet else ""
    choices = "".join(
        f'<label><input type="radio" name="{name}" value="{value}"'
        f"{' checked' if value == chosen else ''}><code>{value}</code></label>"
        for value in values
    )
    return (
        f'<fieldset class="{mark}" data-input="{name}"><legend>{title} '
        f'<span class="fl-what">{what}</span> <span class="fl-never" data-words="{NEVER}">'
        f"{NEVER if unmet else ''}</span></legend>"
        f'<div class="fl-choices">{choices}</div></fieldset>'
    )


def _result(run: SavedRun) -> str:
    said = sentences(run)
    status = run["record"]["status"]
    rows = "".join(
        f'<div class="{_HIDES.get(kind, "")}"><dt class="g-{kind}">'
        f'<span class="fl-glyph" aria-hidden="true">{GLYPHS[kind]}</span> {title}</dt>'
        f'<dd data-part="{kind}">{said[kind]}</dd></div>'
        for kind, title in _TITLES.items()
    )
    return (
        '<div class="fl-lab-result">'
        '<p class="fl-lab-headline">'
        f'<code class="m" data-part="id">{scenario_id(run["scenario"])}</code> '
        f'<span class="fl-status s-{status}" data-part="status">{status}</span></p>'
        f'<dl class="fl-lab-sentences">{rows}</dl>'
        f'<div class="fl-lab-picture fl-run" data-part="svg">{pictures.trace(run)}</div>'
        '<div class="fl-lab-json"><p class="fl-lab-label" data-copy="json">The record '
        '<span class="fl-what">each key marked: asked, reached, happened or known</span></p>'
        '<pre tabindex="0" '
        f'aria-label="The record as JSON"><code data-part="json">{_record(run)}</code></pre></div>'
        '<details class="fl-behind" open><summary>The same as a table</summary>'
        f'<div data-part="table">{pictures.table(run)}</div>{pictures.key()}</details></div>'
    )


def _record(run: SavedRun) -> str:
    """The record as JSON, each line marked with the kind of its key. Its text is the command's."""
    kind, lines = "", []
    for line in to_json(run["record"]).split("\n"):
        key = line.partition('": ')[0]
        if key.startswith('  "'):
            kind = RECORD_KEYS[key[3:]].kind
        mark = f' data-kind="{kind}"' if key.startswith('  "') else ""
        lines.append(f"<span{mark}>{escape(line, quote=False)}</span>")
    return "\n".join(lines)


def _command(scenario: Any) -> str:
    return (
        '<div class="fl-lab-command"><p class="fl-lab-label" data-copy="command">'
        "The same on your machine</p>"
        f'<pre tabindex="0" aria-label="The command"><code data-part="command">'
        f"{COMMAND.format(**scenario)}</code></pre></div>"
    )
