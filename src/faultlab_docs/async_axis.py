"""One time axis for several runs of the Async Failure Lab, and what of a run spans several rows.

A moment is as high as the fullest run needs it, so that equal times stand at equal heights.
Between two moments that lie far apart the axis is broken, and says so.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from faultlab.async_lab import AsyncRun
from faultlab.mock import LaneEvent, ends_worker

HEAD: Final = 34
ROW: Final = 31
BREAK: Final = 34
FOOT: Final = 8
FAR_APART_MS: Final = 1000
"""Moments that lie further apart than this are drawn with a break between them."""

_EFFECT: Final = re.compile(r"effect (\d+)")


@dataclass(frozen=True, kw_only=True)
class Moment:
    """All that happens at one time, in whichever run.

    Attributes:
        at_ms: The time.
        top: Its upper edge in the drawing.
        rows: How many rows it takes: those of the run with the most events then.
        break_ms: How much time passes unseen before it; 0 if the axis goes straight on.
    """

    at_ms: int
    top: int
    rows: int
    break_ms: int

    @property
    def bottom(self) -> int:
        return self.top + ROW * self.rows


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The moments of several runs, from above to below."""

    moments: tuple[Moment, ...]

    @property
    def height(self) -> int:
        return self.moments[-1].bottom + FOOT

    def moment(self, at_ms: int) -> Moment:
        return next(moment for moment in self.moments if moment.at_ms == at_ms)

    def tops(self, events: list[LaneEvent]) -> list[int]:
        """The upper edge of the row of each event of one run."""
        taken: Counter[int] = Counter()
        found = []
        for event in events:
            at_ms = event["at_ms"]
            found.append(self.moment(at_ms).top + ROW * taken[at_ms])
            taken[at_ms] += 1
        return found

    def lines(self, events: list[LaneEvent]) -> list[float]:
        """The middle of the row of each event of one run: its height in the drawing."""
        return [top + ROW / 2 for top in self.tops(events)]


def axis(*runs: AsyncRun) -> Axis:
    """The axis that these runs share."""
    counts = [Counter(event["at_ms"] for event in run["events"]) for run in runs]
    moments: list[Moment] = []
    top = HEAD
    for at_ms in sorted(set().union(*counts)):
        apart = at_ms - moments[-1].at_ms if moments else 0
        break_ms = apart if apart > FAR_APART_MS else 0
        top += BREAK if break_ms else 0
        rows = max(count[at_ms] for count in counts)
        moments.append(Moment(at_ms=at_ms, top=top, rows=rows, break_ms=break_ms))
        top += ROW * rows
    return Axis(moments=tuple(moments))


@dataclass(frozen=True, kw_only=True)
class Life:
    """One worker: from the delivery that starts it to the event that ends it, by index.

    Attributes:
        start: The delivery.
        end: The crash, the timeout or the acknowledgement; None if the run ends before.
        stopped: Whether that was a crash.
    """

    start: int
    end: int | None
    stopped: bool


def lives(events: list[LaneEvent]) -> Iterator[Life]:
    """The workers of a run, one for each delivery."""
    starts = [index for index, event in enumerate(events) if is_delivery(event)]
    for start, following in zip(starts, [*starts[1:], len(events)], strict=True):
        ends = (index for index in range(start, following) if ends_worker(events[index]))
        end = next(ends, None)
        yield Life(start=start, end=end, stopped=end is not None and stops(events[end]))


@dataclass(frozen=True, kw_only=True)
class Message:
    """One port call of a worker, by the indices of its events.

    Attributes:
        to: The lane of the port.
        op: What was called.
        sent: Where the worker enters the call.
        arrived: What then happened in that lane, or None.
        answered: Where the worker gets its answer, or None: it never comes.
        until: Where the worker's lane ends at the latest; None if the run ends before.
    """

    to: str
    op: str
    sent: int
    arrived: int | None
    answered: int | None
    until: int | None

    @property
    def settled(self) -> int | None:
        """Where the worker stops waiting, with or without an answer."""
        return self.until if self.answered is None else self.answered


def messages(events: list[LaneEvent]) -> Iterator[Message]:
    """The calls of a run, in order."""
    for life in lives(events):
        last = len(events) - 1 if life.end is None else life.end
        for sent in range(life.start, last + 1):
            event = events[sent]
            if event["kind"] != "reached" or event["call"] is None:
                continue
            to, _, op = event["call"].partition(".")
            after = [i for i in range(sent + 1, last + 1) if events[i]["call"] != event["call"]]
            back = [i for i in range(sent + 1, last + 1) if events[i]["call"] == event["call"]]
            answered = next((i for i in back if not is_timeout(events[i])), None)
            here = [i for i in after if events[i]["lane"] == to and i < (answered or len(events))]
            yield Message(
                to=to,
                op=op,
                sent=sent,
                arrived=next(iter(here), None),
                answered=answered,
                until=life.end,
            )


def is_delivery(event: LaneEvent) -> bool:
    """Whether the broker hands the task over here."""
    return event["lane"] == "broker" and event["seen_by"] == "worker"


def is_dispatch(event: LaneEvent) -> bool:
    """Whether the worker enters the call to the receiver here."""
    return event["kind"] == "reached" and event["call"] == "receiver.debit"


def is_result(event: LaneEvent) -> bool:
    """Whether the journal stores a result here."""
    return event["lane"] == "journal" and event["kind"] == "happened"


def stops(event: LaneEvent) -> bool:
    """Whether the worker is cut off here."""
    return event["kind"] == "reached" and event["seen_by"] == "model"


def is_timeout(event: LaneEvent) -> bool:
    """Whether the worker gives up waiting here."""
    return event["kind"] == "known" and ends_worker(event)


def effect(event: LaneEvent) -> tuple[int, bool] | None:
    """The number of the effect that the receiver's event is about, and whether it is a new one."""
    found = _EFFECT.match(event["text"]) if event["lane"] == "receiver" else None
    return (int(found[1]), found[0] == event["text"]) if found else None


COUNTS: Final = ("deliveries", "dispatch_attempts", "effects", "results_recorded")
"""What a saved run counts, in the order in which the page shows it."""


def counts(events: list[LaneEvent]) -> tuple[int, int, int, int]:
    """What a run has counted after its first events: the numbers of `COUNTS`."""
    return (
        sum(is_delivery(event) for event in events),
        sum(is_dispatch(event) for event in events),
        sum(found is not None and found[1] for found in map(effect, events)),
        sum(is_result(event) for event in events),
    )
