"""A history told in lanes: broker, worker, journal, receiver; for terminals and pictures.

Which event belongs to which lane, which of the four things it is, and whether the worker that
is running then can know it: this is the one place that decides so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypedDict

from faultlab.kernel import Event
from faultlab.mock.faults import DuplicateDelivery

Lane = Literal["broker", "worker", "journal", "receiver"]
LANES: Final[tuple[Lane, ...]] = ("broker", "worker", "journal", "receiver")

GLYPHS: Final[dict[str, str]] = {"asked": "◇", "reached": "●", "happened": "■", "known": "◎"}
STOPPED: Final = "✕"
LEGEND: Final = "◇ asked for  ● reached  ✕ stopped  ■ happened  ◎ known"
_WIDTH: Final = 10
_SEEN: Final = "worker"
_UNSEEN: Final = "model"

ACKNOWLEDGED: Final = "acknowledged"
GAVE_UP: Final = "timeout: effect unknown"


class LaneEvent(TypedDict):
    """One line of a trace.

    `kind` is one of the four things, `seen_by` says whether the running worker can know it,
    `call` is the port call that a line of the runtime's code makes, or null.
    """

    number: int
    at_ms: int
    lane: str
    kind: str
    seen_by: str
    delivery: int
    call: str | None
    text: str


def lane_events(history: Iterable[Event]) -> list[LaneEvent]:
    """The events of a history that a reader needs, in order, numbered from 1."""
    history = list(history)
    calls = {event.seq: event for event in history if event.kind == "call"}
    told: list[LaneEvent] = []
    delivery = 0
    for event in history:
        if event.kind == "delivered":
            delivery = event.fields["delivery"]
        line = _line(event, calls)
        if line is None:
            continue
        lane, kind, seen_by, text = line
        call = calls.get(event.fields.get("call", event.seq))
        told.append(
            LaneEvent(
                number=len(told) + 1,
                at_ms=round(event.time_s * 1000),
                lane=lane,
                kind=kind,
                seen_by=seen_by,
                delivery=delivery,
                call=None if call is None else f"{call.fields['surface']}.{call.fields['op']}",
                text=text,
            )
        )
    return told


def _line(event: Event, calls: dict[int, Event]) -> tuple[str, str, str, str] | None:
    """Lane, kind, witness and words of an event; None for what a trace can do without."""
    fields = event.fields
    if event.kind == "call":
        return "worker", "reached", _SEEN, _called(fields)
    if event.kind == "return":
        return _returned(calls[fields["call"]].fields["op"], fields["known"])
    if event.kind == "raise":
        return "worker", "known", _SEEN, GAVE_UP
    if event.kind not in _HAPPENED:
        return None
    lane, kind, seen_by, words = _HAPPENED[event.kind]
    if fields.get("fault") == DuplicateDelivery.name:
        lane = "broker"  # the one fault here that befalls the broker, not the worker
    return lane, kind, seen_by, words.format(**fields)


_HAPPENED: Final[dict[str, tuple[str, str, str, str]]] = {
    "delivered": ("broker", "happened", _SEEN, "delivery {delivery}"),
    "acknowledged": ("broker", "happened", _UNSEEN, ACKNOWLEDGED),
    "applied": ("receiver", "happened", _UNSEEN, "effect {effect}"),
    "reused": ("receiver", "happened", _UNSEEN, "effect {effect} found by its key"),
    "conflict": ("receiver", "happened", _UNSEEN, "refused: the key was used for something else"),
    "recorded": ("journal", "happened", _UNSEEN, "result recorded"),
    "fault": ("worker", "asked", _UNSEEN, "fault: {fault}"),
    "crash": ("worker", "reached", _UNSEEN, "the worker stops"),
}


def _called(fields: Mapping[str, Any]) -> str:
    if fields["op"] == "debit":
        return f"dispatch under {fields['asked']['key']}"
    words = {
        "append": "record the result",
        "holds": "look into the journal",
        "acknowledge": "acknowledge",
    }
    return words.get(fields["op"], f"call {fields['surface']}.{fields['op']}")


def _returned(op: str, known: Any) -> tuple[str, str, str, str] | None:
    if op == "debit" and known["disposition"] == "conflict":
        return "worker", "known", _SEEN, "answer: conflict"
    if op == "debit":
        words = f"answer: effect {known['effect_id']} {known['disposition']}"
        return "worker", "known", _SEEN, words
    if op == "holds":
        found = "a result is stored" if known else "no result is stored"
        return "worker", "known", _SEEN, found
    if op == "append":
        return "worker", "known", _SEEN, "stored"
    return None


def ends_worker(event: LaneEvent) -> bool:
    """Whether the worker's lane ends here: it crashed, gave up or acknowledged."""
    if event["kind"] == "reached" and event["seen_by"] == "model":
        return True
    return event["text"] in (ACKNOWLEDGED, GAVE_UP)


def trace(history: Iterable[Event]) -> str:
    """A history as text, time running down, a lane for each actor."""
    return "\n".join(lanes(lane_events(history)))


def lanes(events: Sequence[LaneEvent]) -> Iterator[str]:
    """Head and rows of a trace, with a lane for each actor that takes part."""
    used = [lane for lane in LANES if any(event["lane"] == lane for event in events)]
    yield f"{'time':>8}  " + "".join(f"{lane:<{_WIDTH}}" for lane in used).rstrip()
    alive = False
    for event in events:
        alive = alive or event["lane"] == "worker"
        cells = []
        for lane in used:
            mark = "│" if lane == "worker" and alive else " "
            if lane == event["lane"]:
                stopped = event["kind"] == "reached" and event["seen_by"] == "model"
                mark = STOPPED if stopped else GLYPHS[event["kind"]]
            cells.append(f"{mark:<{_WIDTH}}")
        if ends_worker(event):
            alive = False
        yield f"{event['at_ms'] / 1000:>7.3f}s  {''.join(cells)}{event['text']}".rstrip()
