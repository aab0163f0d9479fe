"""What an invariant looks at: events by their kind, or port calls by surface, route and op."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from faultlab.dst.judging import InvariantError
from faultlab.kernel import Event, History
from faultlab.naming import nearest

Names: TypeAlias = str | tuple[str, ...]
"""One name or several."""

Select: TypeAlias = str | tuple[str, ...] | Callable[[History], Iterable[Event]]
"""Which events: a kind, several kinds, or a function that picks them out of the history."""


def events_of(history: History, select: Select) -> list[Event]:
    """The selected events, in order."""
    if isinstance(select, str):
        return history.of(select)
    if isinstance(select, tuple):
        return history.of(*select)
    return sorted(select(history), key=lambda event: event.seq)


def called(
    *, surface: Names | None = None, route: Names | None = None, op: Names | None = None
) -> Callable[[History], list[Event]]:
    """Selects the port calls that were made. Fields: surface, route, op, and what was asked for."""
    return _selector("call", surface, route, op)


def happened(
    *, surface: Names | None = None, route: Names | None = None, op: Names | None = None
) -> Callable[[History], list[Event]]:
    """Selects the port calls that took effect, whatever their callers know of it."""
    return _selector("happened", surface, route, op)


def returned(
    *, surface: Names | None = None, route: Names | None = None, op: Names | None = None
) -> Callable[[History], list[Event]]:
    """Selects the port calls that returned, at that moment.

    Fields: surface, route, op, call (the number of the 'call' event), what was asked for, and
    what is known: the entries of a known object under their own names, else `known`.
    """
    return _selector("return", surface, route, op)


def raised(
    *, surface: Names | None = None, route: Names | None = None, op: Names | None = None
) -> Callable[[History], list[Event]]:
    """Selects the port calls that raised: they may have happened. Field `error` names the class."""
    return _selector("raise", surface, route, op)


def matching(
    history: History, surface: Names | None, route: Names | None, op: Names | None
) -> dict[int, Event]:
    """The 'call' events of a surface, route and op by sequence number; None means any."""
    wanted = _wanted(surface, route, op)
    return {
        event.seq: event
        for event in history.of("call")
        if all(event.fields.get(name) in values for name, values in wanted.items())
    }


def place(surface: Names | None, route: Names | None, op: Names | None) -> str:
    """A surface, route and op in a few words."""
    wanted = _wanted(surface, route, op)
    return "/".join("|".join(values) for values in wanted.values()) or "any port"


def _wanted(
    surface: Names | None, route: Names | None, op: Names | None
) -> dict[str, tuple[str, ...]]:
    return {
        name: (value,) if isinstance(value, str) else value
        for name, value in (("surface", surface), ("route", route), ("op", op))
        if value is not None
    }


def _selector(
    kind: str, surface: Names | None, route: Names | None, op: Names | None
) -> Callable[[History], list[Event]]:
    def select(history: History) -> list[Event]:
        calls = matching(history, surface, route, op)
        if kind == "call":
            return [_merged(event, event) for event in calls.values()]
        return [
            _merged(calls[event.fields["call"]], event)
            for event in history.of(kind)
            if event.fields.get("call") in calls
        ]

    select.__name__ = f"{kind} of {place(surface, route, op)}"
    return select


def _merged(call: Event, event: Event) -> Event:
    """An event of a call, with the fields of both."""
    known = event.fields.get("known") if event.kind == "return" else None
    fields: dict[str, Any] = dict(call.fields.get("asked", {}))
    if event.kind == "return":
        fields |= known if isinstance(known, Mapping) else {"known": known}
    if event.kind == "raise":
        fields["error"] = event.fields.get("error")
    fields |= {name: call.fields.get(name) for name in ("surface", "route", "op")}
    fields["call"] = call.seq
    return Event(
        seq=event.seq,
        time_s=event.time_s,
        process=event.process,
        task=event.task,
        kind=event.kind,
        fields=fields,
    )


def looks_at(select: Select) -> str:
    """A selection in a few words, for names and messages."""
    if isinstance(select, str):
        return select
    if isinstance(select, tuple):
        return "|".join(select)
    return str(getattr(select, "__name__", "selected events"))


def field(event: Event, name: str) -> Any:
    """A field of an event; `process` and `task` are also found if no field is called so.

    Raises:
        InvariantError: The event has no such field.
    """
    if name in event.fields:
        return event.fields[name]
    if name in ("process", "task"):
        return event.process if name == "process" else event.task
    known = (*event.fields, "process", "task")
    raise InvariantError(
        f"event #{event.seq} ({event.kind}) has no field {name!r}.{nearest(name, known)} "
        f"It has: {', '.join(known)}."
    )


def fields(event: Event, names: Sequence[str]) -> tuple[Any, ...]:
    """Several fields of an event, with lists and dicts frozen so that they can be compared."""
    return tuple(frozen(field(event, name)) for name in names)


def frozen(value: Any) -> Any:
    """A plain value as one that can be a key: lists become tuples, dicts sorted pairs."""
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    if isinstance(value, Mapping):
        return ("{}", *sorted((str(name), frozen(item)) for name, item in value.items()))
    if isinstance(value, set | frozenset):
        return frozenset(frozen(item) for item in value)
    return value


def at(seq: int, time_s: float) -> str:
    """Where an event stands: `#14 at 1.25 s`."""
    return f"#{seq} at {seconds(time_s)}"


def seconds(time_s: float) -> str:
    """Virtual seconds without needless digits."""
    return f"{round(time_s, 6):.10g} s"


def actor(process: str, task: str) -> str:
    """Who acted: the process, with the task if it is another than its own; else the task."""
    if not process:
        return task or "the program"
    return process if task in ("", process) else f"{process}/{task}"


def told(event: Event) -> str:
    """An event in a few words: who, where in the order, when."""
    return f"{actor(event.process, event.task)} ({at(event.seq, event.time_s)})"


def listed(parts: Sequence[str]) -> str:
    """Several things in a sentence: `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


class Incarnations:
    """Which incarnation of a process made an event: each start of it begins a new one."""

    def __init__(self, history: History) -> None:
        self._starts: dict[str, list[int]] = {}
        for event in history.of("start"):
            self._starts.setdefault(event.fields["process"], []).append(event.seq)

    def at(self, process: str, seq: int) -> int:
        """The incarnation, from 1; 0 for the program itself and in histories without starts."""
        return bisect_left(self._starts.get(process, ()), seq)
