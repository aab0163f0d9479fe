"""The rows of a simulation's run: what was reached, what happened, what is known.

A program is told line by line. A simulation is told call by call, from its history: a task
reaches a port, something happens at the store behind it, and an answer makes it known, or
does not. A lane for each task, and one for each store.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from faultlab.dst.lanes import Kind, Row, Told, asked_row, source_rows
from faultlab.dst.places import lane_name
from faultlab.dst.words import Decision
from faultlab.kernel import Event, History

UNKNOWN_ERRORS = frozenset({"Unreachable", "TimeoutError"})
"""Errors that do not say whether a call took effect."""

VALUE_MAX = 60
"""Characters of a value that a row shows."""

KEYS = {
    "lines": "● ran this line  ◇ decided by the simulator  ✕ raised here",
    "events": "● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed",
}
"""What the glyphs say, of lines of source and of a simulation's events."""

UNTOLD = frozenset({"start", "violation"})
"""Events without a row."""


def event_rows(history: History, decisions: Sequence[Decision]) -> list[Row]:
    """The rows of a run with port calls, in order; empty if it has none."""
    calls = {event.seq: event for event in history.of("call")}
    if not calls:
        return []
    ahead = sorted(
        ((made.time_s, number, made) for number, made in enumerate(decisions, 1) if made.step),
        key=lambda entry: entry[:2],
    )
    inside: dict[str, Event] = {}
    told_by_store: set[int] = set()
    rows: list[Row] = []
    for event in history:
        while ahead and ahead[0][0] <= event.time_s:
            _, number, made = ahead.pop(0)
            rows.append(asked_row(made, number))
        lane = _lane(event)
        if event.kind == "call":
            inside[lane] = event
        elif event.kind in ("happened", "return", "raise"):
            inside.pop(lane, None)
        within = inside.get(lane)
        if within is not None and _is_note(event):  # the store's own word for what happened
            told_by_store.add(within.seq)
            rows.append(_noted(event, _store(within)))
        elif event.kind != "happened" or event.fields["call"] not in told_by_store:
            rows += _rows(event, calls, history)
    return rows + [asked_row(made, number) for _, number, made in ahead]


def _is_note(event: Event) -> bool:
    known = event.kind in _OF_CALLS or event.kind in _OTHERS or event.kind in UNTOLD
    return not known and event.kind != "crash"


def _noted(event: Event, lane: str) -> Row:
    return _row(event, lane, "happened", f"{event.kind}({_values(event.fields)})")


def rows_of(told: Told) -> list[Row]:
    """The rows of a finding: its port calls if it made any, else its lines of source."""
    return event_rows(told.history, told.decisions) or source_rows(told)


def key_of(rows: Sequence[Row]) -> str:
    """What the glyphs of these rows say."""
    return KEYS["events" if tells_events(rows) else "lines"]


def tells_events(rows: Sequence[Row]) -> bool:
    """Whether rows tell a simulation's events, rather than lines of source."""
    return not {row.kind for row in rows} <= {"reached", "asked", "raised"}


def _rows(event: Event, calls: Mapping[int, Event], history: History) -> Iterator[Row]:
    """The row of an event, if it has one."""
    call = calls.get(event.fields.get("call", -1))
    if event.kind in _OF_CALLS:
        if call is not None:
            yield _OF_CALLS[event.kind](event, call)
    elif event.kind == "crash":
        words = f"{event.fields['process']} crashes"
        yield _row(event, _last_lane(event, history), "raised", words)
    elif event.kind in _OTHERS:
        yield _OTHERS[event.kind](event)
    elif event.kind not in UNTOLD and event.fields != {"value": None}:
        yield _noted(event, _lane(event) or "main")


def _returned(event: Event, call: Event) -> Row:
    known = event.fields["known"]
    answer = "" if known is None else f": {_short(known)}"
    return _row(event, _lane(event), "known", f"{call.fields['op']} answered{answer}")


def _raised(event: Event, call: Event) -> Row:
    unknown = event.fields["error"] in UNKNOWN_ERRORS
    words = f"{call.fields['op']}: {event.fields['error']}"
    words += ", whether it took effect is not known" if unknown else ""
    return _row(event, _lane(event), "unknown" if unknown else "known", words)


def _happened(event: Event, call: Event) -> Row:
    return _row(event, _store(call), "happened", f"{call.fields['op']} takes effect")


def _called(event: Event) -> Row:
    fields = event.fields
    words = f"{_name(event)}({_values(fields.get('asked') or {})})"
    return _row(event, _lane(event), "reached", words)


def _fault(event: Event) -> Row:
    leg = f" ({event.fields['leg']})" if "leg" in event.fields else ""
    return _row(event, _lane(event), "asked", f"{event.fields['fault']}{leg} strikes")


def _began(event: Event) -> Row:
    words = f"{event.fields.get('op', '')}({_values(event.fields.get('args') or {})})"
    return _row(event, _lane(event), "reached", words)


def _ended(event: Event) -> Row:
    result = event.fields.get("error") or event.fields.get("result")
    words = event.kind if result is None else f"{event.kind}: {result}"
    return _row(event, _lane(event), "known", words)


def _window(event: Event) -> Row:
    nodes = ", ".join(map(str, event.fields["isolated"]))
    words = "cut off" if event.kind == "partition" else "reachable again"
    return _row(event, "network", "happened", f"node {nodes} {words}")


_OF_CALLS: dict[str, Callable[[Event, Event], Row]] = {
    "happened": _happened,
    "return": _returned,
    "raise": _raised,
}
_OTHERS: dict[str, Callable[[Event], Row]] = {
    "call": _called,
    "fault": _fault,
    "begin": _began,
    "end": _ended,
    "failed": _ended,
    "partition": _window,
    "heal": _window,
}


def _lane(event: Event) -> str:
    return lane_name(event.process, event.task)


def _last_lane(event: Event, history: History) -> str:
    """The lane of the last task that the crashed process ran."""
    process = event.fields["process"]
    for seq in range(event.seq - 1, -1, -1):
        before = history[seq]
        if before.process == process:
            return lane_name(before.process, before.task)
    return str(process)


def _row(event: Event, lane: str, kind: Kind, text: str) -> Row:
    return Row(step=event.seq, time_s=event.time_s, lane=lane, kind=kind, line=None, text=text)


def _name(call: Event) -> str:
    fields = call.fields
    return f"{fields['surface']}/{fields['route']}.{fields['op']}"


def _store(call: Event) -> str:
    """The lane of what stands behind a port: its route, for several surfaces may share it."""
    return str(call.fields["route"])


def _values(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in fields.items())


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= VALUE_MAX else f"{text[: VALUE_MAX - 1]}…"
