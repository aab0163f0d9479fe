"""Calls as their callers see them: begun, and returned, raised, or pending for ever."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from faultlab.dst.selecting import (
    Names,
    Select,
    actor,
    events_of,
    fields,
    looks_at,
    matching,
    place,
    seconds,
)
from faultlab.kernel import Event, History

Outcome: TypeAlias = Literal["returned", "raised", "pending"]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A call, or a span between two events, from beginning to end.

    Attributes:
        op: What was called: the op of a port call, the kind of the event that began a span.
        asked: The plain arguments.
        outcome: `returned`, `raised` (it may have happened), or `pending` (no end: it may have
            happened, or may yet).
        known: What the caller learnt, if it returned.
        error: The name of the class of the error, if it raised.
        began_seq: The sequence number of its beginning.
        ended_seq: The sequence number of its end; None if it is pending.
        crashed_seq: The crash of its process that cut it off, if one did.
    """

    process: str
    task: str
    op: str
    asked: Mapping[str, Any]
    outcome: Outcome
    began_seq: int
    began_s: float
    known: Any = None
    error: str | None = None
    ended_seq: int | None = None
    ended_s: float | None = None
    crashed_seq: int | None = None

    @property
    def events(self) -> tuple[int, ...]:
        """The sequence numbers of its beginning and end."""
        return (self.began_seq,) if self.ended_seq is None else (self.began_seq, self.ended_seq)

    def __str__(self) -> str:
        """One line: where in the order, when, who, what, and how it ended."""
        asked = "".join(f" {name}={value!r}" for name, value in self.asked.items())
        span = f"#{self.began_seq}–{'' if self.ended_seq is None else f'#{self.ended_seq}'}"
        when = f"{seconds(self.began_s)} – {'' if self.ended_s is None else seconds(self.ended_s)}"
        end = {
            "returned": f"→ {self.known!r}",
            "raised": f"raised {self.error}: may have happened",
            "pending": "never returned: may have happened",
        }[self.outcome]
        return f"{span}  {when}  {actor(self.process, self.task)}  {self.op}{asked}  {end}"


Operations: TypeAlias = Callable[[History], Iterable[Operation]]
"""Which calls: `calls(…)`, `spans(…)`, or a function of your own."""


def calls(
    *, surface: Names | None = None, route: Names | None = None, op: Names | None = None
) -> Operations:
    """The port calls of a surface, route and op; each of them may be left open, or be several."""

    def select(history: History) -> list[Operation]:
        begins = matching(history, surface, route, op)
        ends = {event.fields["call"]: event for event in history.of("return", "raise")}
        crashes = history.of("crash")
        return [
            _operation(
                call,
                end := ends.get(seq),
                crashes,
                op=call.fields["op"],
                asked=dict(call.fields.get("asked", {})),
                known=None if end is None else end.fields.get("known"),
            )
            for seq, call in begins.items()
        ]

    select.__name__ = f"calls of {place(surface, route, op)}"
    return select


def spans(
    begin: Select,
    end: Select,
    *,
    failed: Select = (),
    by: tuple[str, ...] = ("process", "task"),
) -> Operations:
    """Operations between events that the program records: begun, and ended or failed.

    An end belongs to the latest open beginning with the same fields `by`. The fields of the
    beginning are what was asked, those of the end what is known; `error` of a failure names it.
    """

    def select(history: History) -> list[Operation]:
        ends = {event.seq: event for event in events_of(history, end)}
        ends |= (failures := {event.seq: event for event in events_of(history, failed)})
        begins = {event.seq: event for event in events_of(history, begin)}
        open_spans: dict[tuple[Any, ...], list[int]] = {}
        ended: dict[int, Event] = {}
        for seq, event in sorted((begins | ends).items()):
            waiting = open_spans.setdefault(fields(event, by), [])
            if seq in ends and waiting:
                ended[waiting.pop()] = event
            if seq in begins:
                waiting.append(seq)
        crashes = history.of("crash")
        made = []
        for seq, event in begins.items():
            last = ended.get(seq)
            if last is not None and last.seq in failures:
                last = _as_failure(last)
            known = None if last is None else dict(last.fields)
            made.append(
                _operation(
                    event, last, crashes, op=event.kind, asked=dict(event.fields), known=known
                )
            )
        return made

    select.__name__ = f"{looks_at(begin)} to {looks_at(end)}"
    return select


def _as_failure(event: Event) -> Event:
    return Event(
        seq=event.seq,
        time_s=event.time_s,
        process=event.process,
        task=event.task,
        kind="raise",
        fields={"error": event.kind, **event.fields},
    )


def _operation(
    begin: Event,
    end: Event | None,
    crashes: Iterable[Event],
    *,
    op: str,
    asked: Mapping[str, Any],
    known: Any,
) -> Operation:
    failed = end is not None and end.kind == "raise"
    crash = next(
        (
            crash.seq
            for crash in crashes
            if end is None and crash.seq > begin.seq and crash.fields["process"] == begin.process
        ),
        None,
    )
    return Operation(
        process=begin.process,
        task=begin.task,
        op=op,
        asked=asked,
        outcome="pending" if end is None else "raised" if failed else "returned",
        known=None if failed or end is None else known,
        error=str(end.fields["error"]) if end is not None and failed else None,
        began_seq=begin.seq,
        began_s=begin.time_s,
        ended_seq=None if end is None else end.seq,
        ended_s=None if end is None else end.time_s,
        crashed_seq=crash,
    )
