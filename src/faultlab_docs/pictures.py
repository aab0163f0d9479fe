"""Lane pictures of saved runs as SVG, and the table behind each.

One grammar for all of them: a lane for each actor, time running down, a glyph of its own for
each of the four things, hatching for what is unknown. Colours come from the style sheet;
marks of class `m` are what only the model knows, marks of class `w` are what takes their
place in the worker's view.
"""

from collections.abc import Iterator
from html import escape
from typing import Any, Final

from faultlab.lab_account import Step, conclusion, steps
from faultlab.lab_runs import SavedRun, never_reached

ROW: Final = 34
HEAD: Final = 30
LANES: Final = {"asked": 22, "worker": 66, "receiver": 110, "known": 154}
TEXT: Final = 182

PLACES: Final[dict[str, str]] = {
    "prepare_write": "write “prepared”",
    "after_prepare": "gap",
    "dispatch_write": "write “dispatched”",
    "before_send": "gap",
    "synthetic_send": "send",
    "after_send": "gap",
    "native_reply": "reply",
    "read": "read back",
    "verification": "verify",
    "observation": "judge the read",
    "final_write": "final receipt",
}


def trace(run: SavedRun) -> str:
    """The lane picture of one run as an SVG element, at most 320 CSS pixels wide in need."""
    told = steps(run)
    height = HEAD + ROW * len(told) + 10
    sentences = conclusion(run)
    label = ". ".join(f"{kind.capitalize()}: {text}" for kind, text in sentences.items())
    body = "".join(
        [*_heads(), *_lines(told, height), *_unknown(told), *_marks(run, told), *_words(run, told)]
    )
    return (
        f'<svg class="fl-lanes" role="img" width="100%" height="{height}" '
        f'aria-label="{escape(label)}.">{body}</svg>'
    )


def _y(row: int) -> int:
    return HEAD + ROW * row + ROW // 2


def _heads() -> Iterator[str]:
    for name, x in LANES.items():
        kind = {"asked": "a m", "worker": "r", "receiver": "h", "known": "k"}[name]
        yield f'<text class="head {kind}" x="{x}" y="16" text-anchor="middle">{name}</text>'


def _lines(told: list[Step], height: int) -> Iterator[str]:
    top, bottom = HEAD - 4, height - 8
    last = max(row for row, step in enumerate(told) if step.reached)
    stopped = any(step.stopped for step in told)
    end = _y(last) if stopped else bottom
    yield f'<line class="lane a m" x1="{LANES["asked"]}" x2="{LANES["asked"]}" y1="{top}" y2="{bottom}"/>'
    yield f'<line class="lane r" x1="{LANES["worker"]}" x2="{LANES["worker"]}" y1="{top}" y2="{end}"/>'
    for name, kind in (("receiver", "h"), ("known", "k")):
        x = LANES[name]
        yield f'<line class="lane {kind}" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>'
    if not stopped:
        x = LANES["worker"]
        yield f'<line class="bar r" x1="{x - 7}" x2="{x + 7}" y1="{bottom}" y2="{bottom}"/>'


def _unknown(told: list[Step]) -> Iterator[str]:
    """The hatched stretch of the known lane, and of the receiver's lane in the worker's view."""
    rows = [row for row, step in enumerate(told) if step.effect_unknown]
    if not rows:
        return
    to_the_end = not any(step.reached for step in told[rows[-1] + 1 :])
    top = _y(rows[0]) - 9
    bottom = _y(len(told) - 1) + 14 if to_the_end else _y(rows[-1]) + 14
    yield f'<g class="unknown">{_hatch(LANES["known"], top, bottom)}</g>'
    yield f'<g class="unknown w">{_hatch(LANES["receiver"], top, bottom)}</g>'


def _hatch(x: int, top: int, bottom: int) -> str:
    left, right = x - 7, x + 7
    strokes = "".join(
        f"M{left} {min(y + 14, bottom)}L{right - max(0, y + 14 - bottom)} {y}"
        if y + 14 > bottom
        else f"M{left} {y + 14}L{right} {y}"
        for y in range(top, bottom - 2, 6)
    )
    return (
        f'<rect x="{left}" y="{top}" width="14" height="{bottom - top}"/>'
        f'<path d="{strokes}"/>'
    )


def _marks(run: SavedRun, told: list[Step]) -> Iterator[str]:
    unmet = never_reached(run)
    for row, step in enumerate(told):
        y = _y(row)
        if step.asked:
            name = {"fault": "fault", "cancellation": "cancel_at"}.get(step.asked, "observation")
            yield _diamond(LANES["asked"], y, met=name not in unmet)
        if step.place == "synthetic_send" and step.reached:
            yield _arrow(LANES["worker"] + 6, LANES["receiver"] - 9, y)
            yield f'<rect class="mark h m" x="{LANES["receiver"] - 6}" y="{y - 6}" width="12" height="12"/>'
        if step.place == "read" and step.reached:
            yield _arrow(LANES["receiver"] - 3, LANES["worker"] + 8, y)
        if step.reached:
            yield _cross(LANES["worker"], y) if step.stopped else _dot(LANES["worker"], y)
        if step.known and not step.effect_unknown:
            yield _ring(LANES["known"], y)


def _diamond(x: int, y: int, *, met: bool) -> str:
    kind = "met" if met else "unmet"
    return f'<path class="mark a m {kind}" d="M{x} {y - 8}l8 8l-8 8l-8 -8z"/>'


def _dot(x: int, y: int) -> str:
    return f'<circle class="mark r" cx="{x}" cy="{y}" r="4.5"/>'


def _cross(x: int, y: int) -> str:
    return f'<path class="cross r" d="M{x - 6} {y - 6}l12 12m0 -12l-12 12"/>'


def _ring(x: int, y: int) -> str:
    return (
        f'<circle class="ring k" cx="{x}" cy="{y}" r="7"/>'
        f'<circle class="mark k" cx="{x}" cy="{y}" r="2.5"/>'
    )


def _arrow(start: int, end: int, y: int) -> str:
    back = -5 if end > start else 5
    return (
        f'<path class="arrow" d="M{start} {y}H{end}m{back} -4l{-back} 4l{back} 4"/>'
    )


def _words(run: SavedRun, told: list[Step]) -> Iterator[str]:
    unmet = never_reached(run)
    for row, step in enumerate(told):
        y = _y(row)
        faint = "" if step.reached else " faint"
        yield f'<text class="place{faint}" x="{TEXT}" y="{y - 2}">{step.place}</text>'
        note = _note(step, unmet)
        if note:
            yield f'<text class="note{faint}" x="{TEXT}" y="{y + 12}">{note}</text>'


def _note(step: Step, unmet: list[str]) -> str:
    """At most two short remarks under a place's name; what only the model knows is marked."""
    parts = []
    if step.asked:
        name = {"fault": "fault", "cancellation": "cancel_at"}.get(step.asked, "observation")
        if name in unmet:
            parts.append(f'<tspan class="m">{step.asked}: never reached</tspan>')
        elif step.stopped and not step.known:
            what = {"fault": "fails here", "cancellation": "cancelled here"}[step.asked]
            parts.append(what)
    if step.place == "synthetic_send" and step.reached:
        parts.append('<tspan class="m">the receiver takes effect</tspan>')
        parts.append('<tspan class="w">effect unknown</tspan>')
    elif step.known:
        parts.append(step.known)
    return "".join(parts)


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
    return (
        f'<tr{"" if step.reached else " class=faint"}><th scope="row"><code>{step.place}</code></th>'
        f'<td class="m">{escape(step.asked)}</td><td>{reached}</td>'
        f"<td>{happened}</td><td>{escape(known)}</td></tr>"
    )


def figure(run: SavedRun, *, title: str, href: str) -> str:
    """Picture, table and source of one run, as an HTML figure without its caption."""
    return (
        f'<div class="fl-run"><p class="fl-run-title">{escape(title)}</p>{trace(run)}'
        f'<details class="fl-behind"><summary>The same as a table</summary>{table(run)}</details>'
        f'<p class="fl-source"><a href="{escape(href)}">saved run</a></p></div>'
    )


def lab_map(the_map: dict[str, Any]) -> str:
    """The map of 72 scenarios as an HTML table, and the end states as another."""
    runs = {run["id"]: run for run in the_map["runs"]}
    faults = list(dict.fromkeys(run["scenario"]["fault"] for run in the_map["runs"]))
    cancels = list(dict.fromkeys(run["scenario"]["cancel_at"] for run in the_map["runs"]))
    sights = list(dict.fromkeys(run["scenario"]["observation"] for run in the_map["runs"]))
    head = "".join(
        f'<th scope="colgroup" colspan="{len(sights)}"><span class="fl-of">cancel at</span> '
        f"<code>{cancel}</code></th>"
        for cancel in cancels
    )
    sub = "".join(
        f'<th scope="col"><abbr title="{sight}">{_short(sight)}</abbr></th>'
        for _ in cancels
        for sight in sights
    )
    body = "".join(
        f'<tr><th scope="row"><code>{fault}</code></th>'
        + "".join(
            _cell(runs[f"{fault}.{cancel}.{sight}"]) for cancel in cancels for sight in sights
        )
        + "</tr>"
        for fault in faults
    )
    return (
        '<div class="fl-scroll" role="region" aria-label="Map of all scenarios" tabindex="0">'
        '<table class="fl-map"><thead><tr><th scope="col" rowspan="2">'
        f'<span class="fl-of">fault</span></th>{head}</tr>'
        f"<tr>{sub}</tr></thead><tbody>{body}</tbody></table></div>{_end_states(the_map)}"
    )


def _short(sight: str) -> str:
    return {"match": "=", "mismatch": "≠", "unavailable": "?"}[sight]


def _cell(run: dict[str, Any]) -> str:
    scenario, unmet = run["scenario"], run["never_reached"]
    status = run["record"]["status"]
    label = (
        f"fault {scenario['fault']}{', never reached' if 'fault' in unmet else ''}; "
        f"cancel at {scenario['cancel_at']}{', never reached' if 'cancel_at' in unmet else ''}; "
        f"observation {scenario['observation']}{', never judged' if 'observation' in unmet else ''}: "
        f"end state {run['end_state']}, {status}"
    )
    ticks = "".join(
        f'<i class="{"off" if name in unmet else "on" if _asked_for(scenario, name) else "no"}"></i>'
        for name in ("fault", "cancel_at", "observation")
    )
    kind = f"s-{status}" + (" unmet" if unmet else "")
    return (
        f'<td class="{kind}" id="{run["id"]}"><a href="#{run["id"]}" '
        f'data-scenario="{run["id"]}" aria-label="{escape(label)}">{run["end_state"]}'
        f'<span class="ticks" aria-hidden="true">{ticks}</span></a></td>'
    )


def _asked_for(scenario: dict[str, str], name: str) -> bool:
    return scenario[name] not in ("none", "match")


def _end_states(the_map: dict[str, Any]) -> str:
    rows = "".join(
        f'<tr id="end-state-{entry["number"]}"><td>{entry["number"]}</td>'
        f'<th scope="row">{escape(entry["stop"])}</th><td>{entry["scenarios"]}</td>'
        f'<td class="s-{entry["state"]["status"]}">{entry["state"]["status"]}</td>'
        f"<td>{entry['state']['outcome']}</td>"
        f"<td>{entry['state']['send_count']}/{entry['state']['read_count']}</td>"
        f"<td>{', '.join(entry['state']['memory_checkpoints']) or '–'}</td></tr>"
        for entry in the_map["end_states"]
    )
    return (
        '<div class="fl-scroll" role="region" aria-label="End states" tabindex="0">'
        '<table class="fl-ends"><thead><tr><th scope="col">No.</th><th scope="col">Stop</th>'
        '<th scope="col">Scenarios</th><th scope="col">Status</th><th scope="col">Outcome</th>'
        '<th scope="col">Sends/reads</th><th scope="col">Checkpoints</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
