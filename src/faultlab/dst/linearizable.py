"""Linearizability: every call takes effect at one moment between its beginning and its end.

Herlihy and Wing, *Linearizability: a correctness condition for concurrent objects*, 1990. Objects
are judged apart, for the whole is linearizable iff each of them is.
"""

from collections.abc import Iterable
from typing import Any, Final

from faultlab.dst.judging import Broken, InvariantError, Judgement, ReadyMade, Undecided
from faultlab.dst.models import Model
from faultlab.dst.operations import Operation, Operations, calls
from faultlab.dst.orders import STEPS_MAX, GaveUp, Unexplained, search
from faultlab.dst.selecting import at, frozen, listed
from faultlab.kernel import History

TOLD_MAX: Final = 12
"""How many calls a message lists."""


def linearizable(
    model: Model,
    of: Operations | None = None,
    *,
    by: tuple[str, ...] = (),
    refused: tuple[str, ...] = (),
    steps_max: int = STEPS_MAX,
    name: str | None = None,
) -> ReadyMade:
    """Some order of the calls explains all answers, each at one moment of its own call.

    A call that raised or never returned may have taken effect at any time after it began, or not
    at all: its caller does not know, and neither is it assumed here. It is Undecided if more than
    `steps_max` steps of the model are needed for one object.

    Args:
        model: What calls do one at a time: `Register`, `Counter`, `Queue`, `Map`, or a `Spec`.
        of: Which calls; by default all port calls.
        by: The arguments that tell objects apart, as `("key",)`; each is checked by itself.
        refused: Names of errors that say for certain that the call had no effect.
        steps_max: How much to try.
        name: Another name to report it under.
    """
    operations = calls() if of is None else of
    if steps_max < 1:
        raise InvariantError(f"steps_max is {steps_max}; give at least 1.")

    def relevant(history: History) -> list[Operation]:
        made = sorted(operations(history), key=lambda call: call.began_seq)
        return [call for call in made if call.error not in refused]

    def check(history: History) -> list[Judgement]:
        found: list[Judgement] = []
        for key, made in _objects(relevant(history), by).items():
            result = search(model, made, steps_max=steps_max)
            if isinstance(result, Unexplained):
                found.append(_broken(result, by, key))
            elif isinstance(result, GaveUp):
                found.append(_gave_up(result, len(made), steps_max))
        return found

    what = getattr(operations, "__name__", "calls")
    return ReadyMade(
        name or f"linearizable({type(model).__name__}, {what})",
        check,
        lambda history: len(relevant(history)),
    )


def _objects(
    made: Iterable[Operation], by: tuple[str, ...]
) -> dict[tuple[Any, ...], list[Operation]]:
    """The calls of each object by itself: all hold iff each does (Herlihy and Wing's locality)."""
    objects: dict[tuple[Any, ...], list[Operation]] = {}
    for call in made:
        missing = [name for name in by if name not in call.asked]
        if missing:
            raise InvariantError(
                f"call #{call.began_seq} ({call.op}) has no argument {missing[0]!r}, which is to "
                f"tell objects apart. It has: {', '.join(call.asked) or 'none'}. "
                "Select only calls that have it."
            )
        key = tuple(frozen(call.asked[name]) for name in by)
        objects.setdefault(key, []).append(call)
    return objects


def _broken(found: Unexplained, by: tuple[str, ...], key: tuple[Any, ...]) -> Broken:
    call = found.call
    where = "".join(f" {name}={value!r}" for name, value in zip(by, key, strict=True))
    answers = sorted(repr(answer) for answer in found.answers)
    instead = f": it would have had to answer {' or '.join(answers)}" if answers else ""
    shown = [*found.order, *(other for other in found.open_calls if other not in found.order)]
    shown = shown[-TOLD_MAX:]
    numbers = [f"#{other.began_seq}" for other in found.order[-TOLD_MAX:]]
    before = (
        f"One order that explains all before it: {listed(numbers)}." if numbers else "It is first."
    )
    lines = [f"  {other}" for other in sorted(shown, key=lambda other: other.began_seq)]
    lines.append(f"  {call}  ← no order explains this")
    ended = "" if call.ended_seq is None else f" at {at(call.ended_seq, call.ended_s or 0.0)}"
    return Broken(
        message=(
            f"no order of the calls{where} explains that #{call.began_seq} {call.op} answered "
            f"{call.known!r}{ended}{instead}. {before}\n" + "\n".join(lines)
        ),
        events=tuple(sorted({seq for other in (*shown, call) for seq in other.events})),
    )


def _gave_up(found: GaveUp, count: int, steps_max: int) -> Undecided:
    return Undecided(
        message=(
            f"gave up after {steps_max} steps of the model at {found.call.op} "
            f"#{found.call.began_seq}, one of {count} calls on one object. Tell objects apart with "
            "by=(…), let fewer calls run at once, or raise steps_max."
        ),
        events=found.call.events,
    )
