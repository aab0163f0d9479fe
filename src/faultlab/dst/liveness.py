"""What must come about: in time, after the faults heal, and at least once in all runs."""

from collections.abc import Iterable
from math import inf
from typing import Any, Final

from faultlab.dst.judging import Broken, InvariantError, Judgement, ReadyMade
from faultlab.dst.operations import Operations, calls
from faultlab.dst.selecting import Select, at, events_of, fields, looks_at, seconds, told
from faultlab.kernel import Event, History, current
from faultlab.kernel.errors import KernelError
from faultlab.naming import nearest

FAULTS: Final = ("fault", "crash", "pause", "heal")
"""The kinds of events after the last of which a system must recover. A pause ends later."""


def eventually(
    goal: Select,
    *,
    within_s: float,
    for_each: Select | None = None,
    by: tuple[str, ...] = (),
    after: Select = FAULTS,
    anew: bool = False,
    name: str | None = None,
) -> ReadyMade:
    """The goal is reached at most `within_s` virtual seconds after the last fault has healed.

    A run that ends before that is over: what has not come about by then never will.

    Args:
        goal: Events that say it: a kind, or a function that picks them.
        within_s: Virtual seconds from the last fault, or from the event in `for_each` if it is
            later, to the goal.
        for_each: Every such event must be followed by a goal of its own; None: one is enough.
        by: The fields in which such an event and its goal agree.
        after: The faults: what must have passed before the time begins to run.
        anew: Whether the goal must be reached after the last fault, although it was before.
        name: Another name to report it under.
    """
    if not 0 < within_s < inf:
        raise InvariantError(f"within_s is {within_s}; give a positive, finite number of seconds.")
    if by and for_each is None:
        raise InvariantError("by=(…) says which goal belongs to which event. Give for_each too.")

    def check(history: History) -> list[Judgement]:
        healed, healed_s = _healed(history, after)
        goals = events_of(history, goal)
        if anew and healed is not None:
            goals = [event for event in goals if event.seq > healed.seq]
        if for_each is None:
            missed = _missed(history, goal, goals, None, healed, healed_s, within_s)
            return [] if missed is None else [missed]
        found: list[Judgement] = []
        for event in events_of(history, for_each):
            key = fields(event, by)
            own = [one for one in goals if one.seq > event.seq and fields(one, by) == key]
            missed = _missed(history, goal, own, event, healed, healed_s, within_s)
            if missed is not None:
                found.append(missed)
        return found

    each = "" if for_each is None else f" for each {looks_at(for_each)}"
    subjects = goal if for_each is None else for_each
    return ReadyMade(
        name or f"eventually({looks_at(goal)}{each} within {seconds(within_s)})",
        check,
        lambda history: len(events_of(history, subjects)),
    )


def _healed(history: History, after: Select) -> tuple[Event | None, float]:
    """The last fault, and when the last of them had passed."""
    faults = events_of(history, after)
    ends = [
        event.time_s + (event.fields.get("delay_s", 0.0) if event.kind == "pause" else 0.0)
        for event in faults
    ]
    return (faults[-1], max(ends)) if faults else (None, 0.0)


def _missed(
    history: History,
    goal: Select,
    goals: list[Event],
    cause: Event | None,
    healed: Event | None,
    healed_s: float,
    within_s: float,
) -> Broken | None:
    since_s = healed_s if cause is None else max(healed_s, cause.time_s)
    if any(event.time_s <= since_s + within_s for event in goals):
        return None
    what = looks_at(goal)
    if cause is not None:
        what = f"{what} for {cause.kind} of {told(cause)}"
    last = (
        "no fault struck"
        if healed is None
        else f"the last fault was {healed.kind} {at(healed.seq, healed.time_s)}"
    )
    end_s = history[-1].time_s if len(history) else 0.0
    came = (
        f"it came {at(goals[0].seq, goals[0].time_s)}"
        if goals
        else f"it never came; the last event is at {seconds(end_s)}"
    )
    proof = {event.seq for event in (cause, healed, *goals[:1]) if event is not None}
    return Broken(
        message=(
            f"{what} did not come about within {seconds(within_s)} of {seconds(since_s)}: "
            f"{came} ({last})"
        ),
        events=tuple(sorted(proof)),
    )


def completes_within(
    limit_s: float, of: Operations | None = None, *, name: str | None = None
) -> ReadyMade:
    """Every call ends, by returning or raising, within so many virtual seconds.

    A call that a crash of its own process cut off is left out: nobody waits for it any more. One
    that has not ended counts as soon as the run has gone on for longer than the limit.

    Args:
        limit_s: Virtual seconds.
        of: Which calls: `calls(…)` (by default all), or `spans(begin, end)`.
        name: Another name to report it under.
    """
    if not 0 <= limit_s < inf:
        raise InvariantError(f"limit_s is {limit_s}; give a finite number of seconds, 0 or more.")
    select = calls() if of is None else of

    def check(history: History) -> list[Judgement]:
        end_s = history[-1].time_s if len(history) else 0.0
        found: list[Judgement] = []
        for call in select(history):
            took_s = (end_s if call.ended_s is None else call.ended_s) - call.began_s
            if took_s <= limit_s or call.crashed_seq is not None:
                continue
            ended = "had not ended after" if call.ended_s is None else "took"
            found.append(
                Broken(
                    message=f"{call.op} {ended} {seconds(took_s)}, at most {seconds(limit_s)} is "
                    f"right:\n  {call}",
                    events=call.events,
                )
            )
        return found

    what = getattr(select, "__name__", "calls")
    return ReadyMade(
        name or f"completes_within({seconds(limit_s)}, {what})",
        check,
        lambda history: len(list(select(history))),
    )


def reached(label: str, /, **detail: Any) -> None:
    """Marks a place that a sweep must have seen at least once: `reached("took over")`.

    Outside of a run it does nothing, so it may stay in the code that is tested.
    """
    try:
        world = current()
    except KernelError:
        return
    world.record("reached", {"label": label, **({"detail": detail} if detail else {})})


def reached_labels(history: History) -> frozenset[str]:
    """The labels that were marked in this run."""
    return frozenset(str(event.fields["label"]) for event in history.of("reached"))


def unreached(targets: Iterable[str], seen: Iterable[str]) -> dict[str, str]:
    """The targets that are not among the labels seen, each with a sentence that says so.

    A sweep with such a target is unexercised, and not clean.
    """
    if isinstance(targets, str):
        raise InvariantError(f"targets is the text {targets!r}; give a list of labels.")
    labels = sorted(set(seen))
    return {
        target: f"{target!r} was never reached.{nearest(target, labels)}"
        for target in targets
        if target not in labels
    }
