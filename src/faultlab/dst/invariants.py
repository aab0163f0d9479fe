"""Invariants: plain functions over the history of a run, and the usual ones ready made.

Each factory here returns such a function. What it looks at is given by event kind, or by surface,
route and op of port calls (`called`, `happened`, `returned`, `raised`), and by plain fields. All
speak of one run and of what was recorded in it; an invariant that saw nothing holds, and proves
nothing (`looked_at`).
"""

from collections.abc import Callable
from typing import Any, overload

from faultlab.dst.document_transactions import document_transactions
from faultlab.dst.exclusion import mutual_exclusion
from faultlab.dst.judging import (
    Broken,
    Invariant,
    InvariantError,
    Judgement,
    ReadyMade,
    Said,
    Undecided,
    judge,
    looked_at,
    name_of,
)
from faultlab.dst.linearizable import linearizable
from faultlab.dst.liveness import completes_within, eventually, reached, reached_labels, unreached
from faultlab.dst.models import ANY, Counter, Map, Model, Queue, Register, Spec
from faultlab.dst.operations import Operation, Operations, calls, spans
from faultlab.dst.selecting import (
    Select,
    called,
    events_of,
    field,
    fields,
    happened,
    listed,
    looks_at,
    raised,
    returned,
    told,
)
from faultlab.dst.serializable import serializable
from faultlab.dst.sessions import monotonic_reads, read_your_writes
from faultlab.dst.transactions import (
    Access,
    Transaction,
    Transactions,
    no_lost_update,
    transactions,
)
from faultlab.kernel import Event, History

__all__ = [
    "ANY",
    "Access",
    "Broken",
    "Counter",
    "Invariant",
    "InvariantError",
    "Judgement",
    "Map",
    "Model",
    "Operation",
    "Operations",
    "Queue",
    "ReadyMade",
    "Register",
    "Said",
    "Select",
    "Spec",
    "Transaction",
    "Transactions",
    "Undecided",
    "called",
    "calls",
    "completes_within",
    "document_transactions",
    "eventually",
    "expect",
    "happened",
    "judge",
    "linearizable",
    "looked_at",
    "monotonic_reads",
    "mutual_exclusion",
    "name_of",
    "no_duplicate_effect",
    "no_lost_update",
    "no_unexpected_error",
    "raised",
    "reached",
    "reached_labels",
    "read_your_writes",
    "returned",
    "serializable",
    "spans",
    "transactions",
    "unreached",
]


def no_duplicate_effect(
    of: Select = "applied",
    *,
    by: tuple[str, ...] = ("key",),
    times_max: int = 1,
    name: str | None = None,
) -> ReadyMade:
    """An effect comes about at most once for each intent.

    Args:
        of: The effects: by default what a receiver applied.
        by: The fields that make the intent. A key that is made anew for each attempt is none.
        times_max: How often is still right.
        name: Another name to report it under.
    """

    def check(history: History) -> list[Judgement]:
        groups: dict[tuple[Any, ...], list[Event]] = {}
        for event in events_of(history, of):
            groups.setdefault(fields(event, by), []).append(event)
        return [
            Broken(
                message=(
                    f"{_intent(group[0], by)} took effect {len(group)} times, "
                    f"{times_max} at most is right: {listed([told(event) for event in group])}"
                ),
                events=tuple(event.seq for event in group),
            )
            for group in groups.values()
            if len(group) > times_max
        ]

    return ReadyMade(
        name or f"no_duplicate_effect({looks_at(of)} by {', '.join(by) or 'all'})",
        check,
        lambda history: len(events_of(history, of)),
    )


def _intent(event: Event, by: tuple[str, ...]) -> str:
    return " ".join(f"{name} {field(event, name)!r}" for name in by) or event.kind


@overload
def expect(
    holds: Callable[[History], bool], message: str, *, name: str | None = None
) -> ReadyMade: ...
@overload
def expect(
    holds: Callable[[Event], bool], message: str, *, each: Select, name: str | None = None
) -> ReadyMade: ...
def expect(
    holds: Callable[[Any], bool],
    message: str,
    *,
    each: Select | None = None,
    name: str | None = None,
) -> ReadyMade:
    """A condition of your own holds: of the history, or of each selected event.

    Args:
        holds: Takes the history, or with `each` one event.
        message: What is wrong if it returns False.
        each: The events of which it must hold.
        name: Another name to report it under.
    """

    def check(history: History) -> list[Judgement]:
        if each is None:
            return [] if holds(history) else [Broken(message=message)]
        return [
            Broken(message=f"{message}: {event.kind} of {told(event)}", events=(event.seq,))
            for event in events_of(history, each)
            if not holds(event)
        ]

    return ReadyMade(
        name or f"expect({message})",
        check,
        lambda history: len(history) if each is None else len(events_of(history, each)),
    )


def no_unexpected_error(
    of: Select = "raise",
    *,
    allowed: tuple[str | type[BaseException], ...] = (),
    error: str = "error",
    name: str | None = None,
) -> ReadyMade:
    """No other errors come up than those that are allowed.

    Args:
        of: The events that tell of an error; by default port calls that raised.
        allowed: Names of error classes, or the classes. The history knows only the name of the
            class itself, so name subclasses too.
        error: The field with that name.
        name: Another name to report it under.
    """
    names = {one if isinstance(one, str) else one.__name__ for one in allowed}

    def check(history: History) -> list[Judgement]:
        calls_made = {event.seq: event for event in history.of("call")}
        found: list[Judgement] = []
        for event in events_of(history, of):
            if field(event, error) in names:
                continue
            call = calls_made.get(event.fields.get("call", -1))
            where = (
                "" if call is None else " from " + "/".join(
                    str(call.fields.get(part)) for part in ("surface", "route", "op")
                )
            )  # fmt: skip
            expected = f"only {listed(sorted(names))} may come up" if names else "none may come up"
            found.append(
                Broken(
                    message=f"{told(event)} met {field(event, error)}{where}; {expected}",
                    events=(event.seq,) if call is None else (call.seq, event.seq),
                )
            )
        return found

    return ReadyMade(
        name or f"no_unexpected_error({looks_at(of)})",
        check,
        lambda history: len(events_of(history, of)),
    )
