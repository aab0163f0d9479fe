"""What one session may rely on, whatever the others do.

Terry, Demers, Petersen, Spreitzer, Theimer and Welch, *Session guarantees for weakly consistent
replicated data*, 1994.
"""

from collections.abc import Iterable
from typing import Any, Final

from faultlab.dst.judging import Broken, InvariantError, Judgement, ReadyMade
from faultlab.dst.selecting import (
    Incarnations,
    Select,
    at,
    events_of,
    field,
    fields,
    looks_at,
    told,
)
from faultlab.kernel import Event, History

SESSION: Final = ("process", "task")

_NOTHING: Final = float("-inf")


def read_your_writes(
    read: Select = "read",
    write: Select = "write",
    *,
    by: tuple[str, ...] = ("key",),
    version: str = "version",
    session: tuple[str, ...] = SESSION,
    name: str | None = None,
) -> ReadyMade:
    """A session reads no version older than its own last write that it knows of.

    Args:
        read: The reads, when they return: events with the version that was read. For port calls
            `returned(surface=…, op=…)`; only writes that returned before a read began bind it.
        write: The writes, when they return.
        by: The fields that tell objects apart.
        version: The field with the version, a number that grows with every write; None for
            nothing there.
        session: The fields that make a session; a process that starts again begins a new one.
        name: Another name to report it under.
    """

    def check(history: History) -> list[Judgement]:
        return _stale(
            history, read, write, by, version, session, "after it had itself written version"
        )

    return ReadyMade(
        name or f"read_your_writes({looks_at(read)}, {looks_at(write)})",
        check,
        lambda history: len(events_of(history, read)),
    )


def monotonic_reads(
    read: Select = "read",
    *,
    by: tuple[str, ...] = ("key",),
    version: str = "version",
    session: tuple[str, ...] = SESSION,
    name: str | None = None,
) -> ReadyMade:
    """A session reads no version older than one it has read before. Args as for the writes."""

    def check(history: History) -> list[Judgement]:
        return _stale(history, read, read, by, version, session, "after it had read version")

    return ReadyMade(
        name or f"monotonic_reads({looks_at(read)})",
        check,
        lambda history: len(events_of(history, read)),
    )


def _stale(
    history: History,
    read: Select,
    floor: Select,
    by: tuple[str, ...],
    version: str,
    session: tuple[str, ...],
    after: str,
) -> list[Judgement]:
    """The reads that are older than what `floor` had shown to the session before they began."""
    incarnations = Incarnations(history)

    def whose(event: Event) -> tuple[Any, ...]:
        life = incarnations.at(event.process, event.seq)
        return (*fields(event, session), life, *fields(event, by))

    floors = _grouped(events_of(history, floor), whose)
    found: list[Judgement] = []
    for event in events_of(history, read):
        began = event.fields.get("call", event.seq)
        known = [other for other in floors.get(whose(event), ()) if other.seq < began]
        if not known:
            continue
        highest = max(known, key=lambda other: _version(other, version))
        if _version(event, version) < _version(highest, version):
            found.append(
                Broken(
                    message=(
                        f"{told(event)} read version {field(event, version)} of "
                        f"{_object(event, by)} {after} {field(highest, version)} "
                        f"({at(highest.seq, highest.time_s)})"
                    ),
                    events=(highest.seq, event.seq),
                )
            )
    return found


def _grouped(events: Iterable[Event], whose: Any) -> dict[tuple[Any, ...], list[Event]]:
    groups: dict[tuple[Any, ...], list[Event]] = {}
    for event in events:
        groups.setdefault(whose(event), []).append(event)
    return groups


def _object(event: Event, by: tuple[str, ...]) -> str:
    return " ".join(f"{name} {field(event, name)!r}" for name in by) or "it"


def _version(event: Event, name: str) -> float:
    number = field(event, name)
    if number is None:
        return _NOTHING
    if isinstance(number, int | float):
        return number
    raise InvariantError(
        f"event #{event.seq} ({event.kind}) has the version {number!r}. Name a field with numbers "
        "that grow with every write."
    )
