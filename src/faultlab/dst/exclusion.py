"""Mutual exclusion: at most one holder at a time."""

from typing import Any, TypeAlias

from faultlab.dst.judging import Broken, Judgement, ReadyMade
from faultlab.dst.selecting import Select, events_of, field, fields, looks_at, told
from faultlab.kernel import Event, History

_Held: TypeAlias = tuple[tuple[Any, ...], Event]
"""A holder, and the event at which it entered."""


def mutual_exclusion(
    enter: Select = "entered",
    leave: Select = "left",
    *,
    by: tuple[str, ...] = (),
    holder: tuple[str, ...] = ("process", "task"),
    crash_ends: bool = True,
    name: str | None = None,
) -> ReadyMade:
    """At no moment are two holders inside. A holder may enter again what it holds.

    Args:
        enter: The events at which a holder is inside: when the lock was granted.
        leave: The events at which it is outside again: when it began to release.
        by: The fields that tell one critical section from another, as `("lock",)`.
        holder: The fields that make a holder.
        crash_ends: Whether a crash ends what its process held. If what it holds acts on without
            it (a lease elsewhere), say False: then only leaving ends it.
        name: Another name to report it under.
    """

    def check(history: History) -> list[Judgement]:
        enters = {event.seq: event for event in events_of(history, enter)}
        leaves = {event.seq: event for event in events_of(history, leave)}
        crashes = {event.seq: event for event in history.of("crash")} if crash_ends else {}
        inside: dict[tuple[Any, ...], list[_Held]] = {}
        found: list[Judgement] = []
        for seq, event in sorted((crashes | leaves | enters).items()):
            if seq in crashes:
                for held in inside.values():
                    held[:] = [one for one in held if one[1].process != event.fields["process"]]
                continue
            where, who = fields(event, by), fields(event, holder)
            within = inside.setdefault(where, [])
            if seq in leaves:
                mine = [i for i, (owner, _) in enumerate(within) if owner == who]
                if mine:
                    del within[mine[-1]]
            if seq in enters:
                found += [_overlap(other, event, by) for owner, other in within if owner != who]
                within.append((who, event))
        return found

    return ReadyMade(
        name or f"mutual_exclusion({looks_at(enter)} to {looks_at(leave)})",
        check,
        lambda history: len(events_of(history, enter)),
    )


def _overlap(other: Event, event: Event, by: tuple[str, ...]) -> Broken:
    where = " of " + " ".join(f"{name} {field(event, name)!r}" for name in by) if by else ""
    return Broken(
        message=(f"two are inside{where}: {told(event)} entered while {told(other)} had not left"),
        events=(other.seq, event.seq),
    )
