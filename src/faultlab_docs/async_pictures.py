"""The drawing of saved runs of the Async Failure Lab: lanes as SVG, and the table behind them.

The grammar is that of lanes.py, with a time axis: a lane for each actor, time running down, a
glyph of its own for each of the four things, hatching for what is unknown. Marks of class `m`
are what only the model knows, marks of class `w` what takes their place in the worker's view.
Each event is a group of class `ev` that carries its number, so that a script can step.
"""

from collections.abc import Iterator
from html import escape
from typing import Final

from faultlab.async_lab import AsyncRun
from faultlab.mock import LANES, LaneEvent
from faultlab_docs.async_axis import (
    BREAK,
    COUNTS,
    HEAD,
    ROW,
    Axis,
    axis,
    effect,
    is_timeout,
    lives,
    messages,
    stops,
)
from faultlab_docs.async_marks import X, arrow, hatch, line, mark, n

WIDTH: Final = 364
TEXT: Final = 226
ONE_LINE: Final = 20
"""So many characters have room in one line beside the lanes."""
CLOCK: Final = 42
KINDS: Final[dict[str, str]] = {"broker": "h", "worker": "r", "journal": "h", "receiver": "h"}
GLYPHS: Final[dict[str, str]] = {"asked": "◇", "reached": "●", "happened": "■", "known": "◎"}

_KEY: Final = (
    ("happened", "■", "happened; large: an effect"),
    ("reached", "●", "reached: a call"),
    ("known", "◎", "known to the worker"),
    ("unknown", "░", "unknown to the worker"),
    ("asked", "◇", "asked for: the fault"),
    ("stopped", "✕", "the worker stops"),
)


def pair(naive: AsyncRun, durable: AsyncRun) -> tuple[str, str]:
    """The pictures of two runs on one time axis: equal times stand at equal heights."""
    shared = axis(naive, durable)
    return trace(naive, shared), trace(durable, shared)


def trace(run: AsyncRun, shared: Axis | None = None) -> str:
    """The lane picture of one run as an SVG element, on its own axis or on a shared one."""
    shared = shared or axis(run)
    body = "".join(
        [
            *_heads(),
            *_clock(shared, run["events"]),
            *_lanes(shared, run["events"]),
            *_breaks(shared, run["events"]),
            *_effects(shared, run["events"]),
            *_unknown(shared, run["events"]),
            *_arrows(shared, run["events"]),
            f'<rect class="curtain" x="0" y="{shared.height}" width="{WIDTH}" height="0"/>',
            *_events(shared, run["events"]),
        ]
    )
    return (
        f'<svg class="fl-lanes fl-async-lanes" role="img" viewBox="0 0 {WIDTH} {shared.height}" '
        f'width="{WIDTH}" height="{shared.height}" aria-label="{escape(label(run))}" '
        f'data-worker-label="{escape(label(run, worker=True))}">{body}</svg>'
    )


def label(run: AsyncRun, *, worker: bool = False) -> str:
    """The picture in one sentence; what the worker can know of it, if that is asked for."""
    last_s = run["events"][-1]["at_ms"] / 1000
    names = COUNTS[:2] if worker else COUNTS
    told = ", ".join(f"{name.replace('_', ' ')} {run[name]}" for name in names)  # type: ignore[literal-required]
    ending = "" if worker else f" {run['headline']}."
    return f"The {run['mode']} runtime over {last_s:.3f} seconds: {told}.{ending}"


def key() -> str:
    """What each sign of a picture stands for."""
    entries = "".join(
        f'<li class="g-{name}"><span class="fl-glyph" aria-hidden="true">{glyph}</span> {text}</li>'
        for name, glyph, text in _KEY
    )
    return f'<ul class="fl-key">{entries}</ul>'


def table(run: AsyncRun) -> str:
    """The same events as an HTML table, for those who read better than they see."""
    rows = "".join(
        f'<tr data-n="{event["number"]}"{_model(event)}><th scope="row">{clock(event)}</th>'
        f"<td>{event['lane']}</td><td>{_glyph(event)} {event['kind']}</td>"
        f"<td>{escape(event['text'])}</td></tr>"
        for event in run["events"]
    )
    return (
        f'<div class="fl-scroll" role="region" aria-label="The {run["mode"]} run as a table" '
        'tabindex="0"><table class="fl-steps"><thead><tr><th scope="col">Time, s</th>'
        '<th scope="col">Lane</th><th scope="col">Which of four</th><th scope="col">Event</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def clock(event: LaneEvent) -> str:
    """The time of an event in seconds."""
    return f"{event['at_ms'] / 1000:.3f}"


def two_lines(event: LaneEvent) -> tuple[str, str]:
    """An event's words as a line and a remark below it, short enough to stand beside the lanes."""
    found, text = effect(event), event["text"]
    if found:
        number, new = found
        if new:
            return text, "the account is debited" if number == 1 else "debited once more"
        return f"effect {number} found", "by its key; no new debit"
    for between, lead in ((": ", ""), (" under ", "key ")):
        first, _, second = text.partition(between)
        if second and len(text) > ONE_LINE:
            return first, lead + second
    return text, ""


def _model(event: LaneEvent) -> str:
    return ' class="m"' if event["seen_by"] == "model" else ""


def _glyph(event: LaneEvent) -> str:
    glyph = "✕" if stops(event) else GLYPHS[event["kind"]]
    return f'<span class="fl-glyph g-{event["kind"]}" aria-hidden="true">{glyph}</span>'


def _heads() -> Iterator[str]:
    yield f'<text class="head" x="{CLOCK}" y="14" text-anchor="end">time, s</text>'
    for name in LANES:
        yield (
            f'<text class="head {KINDS[name]}" x="{X[name]}" y="14" '
            f'text-anchor="middle">{name}</text>'
        )


def _clock(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """A hairline at each moment, and the time at those at which something happens here."""
    lines = "".join(f"M{CLOCK + 6} {moment.top}H{WIDTH}" for moment in shared.moments)
    yield f'<path class="row" d="{lines}"/>'
    seen: dict[int, bool] = {}
    for event in events:
        seen[event["at_ms"]] = seen.get(event["at_ms"], True) and event["seen_by"] == "model"
    for moment in shared.moments:
        if moment.at_ms in seen:
            mark = " m" if seen[moment.at_ms] else ""
            yield (
                f'<text class="clock{mark}" x="{CLOCK}" y="{n(moment.top + ROW / 2 + 4)}" '
                f'text-anchor="end">{moment.at_ms / 1000:.3f}</text>'
            )


def _lanes(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """Whole lanes for what outlives a worker, and a piece of lane for each worker."""
    lines, bottom = shared.lines(events), shared.height
    for name in LANES:
        if name != "worker":
            yield line("h", X[name], HEAD - 12, bottom)
    for life in lives(events):
        end = bottom if life.end is None else lines[life.end]
        yield line("r", X["worker"], lines[life.start], end)
        if life.end is not None and not life.stopped:
            mark = " m" if events[life.end]["seen_by"] == "model" else ""
            drop = 13 if is_timeout(events[life.end]) else 0
            x, half = X["worker"], 8
            yield f'<path class="bar r{mark}" d="M{x - half} {n(end + drop)}h{2 * half}"/>'


def _breaks(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """Where the axis is broken, the lanes that go on are dotted and the time is told."""
    lines = shared.lines(events)
    living = [
        (lines[life.start], shared.height if life.end is None else lines[life.end])
        for life in lives(events)
    ]
    for moment in shared.moments:
        if not moment.break_ms:
            continue
        bottom = moment.top
        top = bottom - BREAK
        yield f'<rect class="break" x="0" y="{top}" width="{WIDTH}" height="{BREAK}"/>'
        for name in LANES:
            alive = any(start <= top and bottom <= end for start, end in living)
            if name != "worker" or alive:
                yield line(f"{KINDS[name]} broken", X[name], top + 3, bottom - 3)
        y = top + BREAK / 2 + 4
        yield f'<text class="clock" x="{CLOCK}" y="{n(y)}" text-anchor="end">⋮</text>'
        yield (
            f'<text class="note" x="{TEXT}" y="{n(y)}">{moment.break_ms / 1000:.2f} s pass</text>'
        )


def _effects(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """What an effect leaves: a line that nothing breaks off, whatever becomes of the worker."""
    lines = shared.lines(events)
    new = [i for i, event in enumerate(events) if (found := effect(event)) and found[1]]
    for nth, index in enumerate(new):
        x = X["receiver"] + 6 * nth - 3 * (len(new) - 1)  # side by side, around the lane
        yield line("h m after", x, lines[index], shared.height)


def _unknown(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """From each dispatch to its answer, or to the end of the worker's lane, it can't know.

    In the worker's view the lane that it waits for is hatched as well, whatever happens there.
    """
    lines = shared.lines(events)
    for message in messages(events):
        if message.op == "holds":  # reading changes nothing
            continue
        top = lines[message.sent]
        bottom = shared.height if message.settled is None else lines[message.settled]
        if message.op == "debit":
            yield f'<g class="unknown">{hatch(X["worker"], 5, top, bottom)}</g>'
        yield f'<g class="unknown w">{hatch(X[message.to], 7, top, bottom)}</g>'


def _arrows(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    """Requests and answers as slanted lines, since a way takes time; a lost one is broken off."""
    lines, worker = shared.lines(events), X["worker"]
    for life in lives(events):
        start = lines[life.start]
        yield arrow(X["broker"] + 8, start, worker - 5, start + ROW - 5, "faint")
    for message in messages(events):
        x, kind = X[message.to], "" if message.op == "debit" else "faint"
        side = 1 if x > worker else -1
        sent = lines[message.sent]
        half = (worker + 7 * side, sent, (worker + x) / 2, sent + ROW / 2)
        if message.op == "holds" and message.answered is not None:
            middle = (sent + lines[message.answered]) / 2
            yield arrow(worker + 7, sent, x, middle, kind)
            yield arrow(x, middle, worker + 10, lines[message.answered], kind)
            continue
        yield arrow(*half, f"{kind} lost w")
        if message.arrived is None:
            yield arrow(*half, f"{kind} lost m")
            continue
        there = lines[message.arrived]
        room = 12 if message.op == "debit" else 9
        yield arrow(worker + 7 * side, sent, x - room * side, there, f"{kind} m")
        if message.answered is not None:
            yield arrow(x - room * side, there, worker + 10, lines[message.answered], kind)
        elif message.op != "acknowledge":
            middle = (worker + x) / 2
            yield arrow(x - room * side, there, middle, there + ROW / 2, f"{kind} lost m")


def _events(shared: Axis, events: list[LaneEvent]) -> Iterator[str]:
    for event, y in zip(events, shared.lines(events), strict=True):
        place, note = two_lines(event)
        found = effect(event)
        model = " m" if event["seen_by"] == "model" else ""
        strong = f" new n{found[0]}" if found and found[1] else ""
        top = n(y - 2 if note else y + 4)
        words = f'<text class="place" x="{TEXT}" y="{top}">{escape(place)}</text>'
        if note:
            words += f'<text class="note" x="{TEXT}" y="{n(y + 11.5)}">{escape(note)}</text>'
        yield (
            f'<g class="ev{model}{strong}" data-n="{event["number"]}">'
            f'<rect class="band" x="{CLOCK + 6}" y="{n(y - ROW / 2 + 1)}" '
            f'width="{WIDTH - CLOCK - 6}" height="{ROW - 2}"/>'
            f"{mark(event, y)}{words}</g>"
        )
