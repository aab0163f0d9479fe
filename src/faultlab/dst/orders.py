"""The search for an order of concurrent calls that explains what they answered.

Wing and Gong, *Testing and verifying concurrent objects*, 1993, in the form that Lowe gave it
(*Testing for linearizability*, 2017): memory of what was tried, and calls put into the order only
when the end of one demands it. So the first end that no order explains is the witness.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any, Final, TypeAlias

from faultlab.dst.models import ANY, Model
from faultlab.dst.operations import Operation
from faultlab.dst.selecting import frozen

STEPS_MAX: Final = 1_000_000
"""How many steps of the model one object may take before the check gives up."""

Trail: TypeAlias = tuple["Trail", int] | None
"""The calls put in order so far, the latest first."""

Point: TypeAlias = tuple[Any, int, Trail]
"""A state that some order leads to, the open calls that it contains (a bit each), the order."""


@dataclass(frozen=True, kw_only=True)
class Unexplained:
    """The first end of a call that no order explains.

    Attributes:
        call: That call.
        answers: What it would have had to answer.
        order: One order that explains everything before that end.
        open_calls: The calls that were under way.
    """

    call: Operation
    answers: tuple[Any, ...]
    order: tuple[Operation, ...]
    open_calls: tuple[Operation, ...]


@dataclass(frozen=True, kw_only=True)
class GaveUp:
    """The search was cut off at the end of a call."""

    call: Operation


def search(
    model: Model, made: Sequence[Operation], *, steps_max: int = STEPS_MAX
) -> tuple[Operation, ...] | Unexplained | GaveUp:
    """An order of these calls that explains all their answers, or the first end without one.

    Calls that did not return are in the order only if an answer needs them. Args as for
    `linearizable`; `made` in the order of beginnings.
    """
    return _Search(model, made, steps_max).run()


class _Search:
    """All orders at once, from one end of a call to the next."""

    def __init__(self, model: Model, made: Sequence[Operation], steps_max: int) -> None:
        self.model = model
        self.made = made
        self.steps = steps_max
        self.known = [frozen(call.known) for call in made]
        self.twins = [
            (call.op, frozen(call.asked), call.outcome, known)
            for call, known in zip(made, self.known, strict=True)
        ]
        self.shown = [replace(call, process="", task="") for call in made]  # equal calls are equal
        self.cache: dict[tuple[Any, Any], tuple[Any, Any, Any]] = {}
        self.made_up = 0
        self.optional = sum(
            1 << number for number, call in enumerate(made) if call.outcome != "returned"
        )
        self.open: list[int] = []
        self.answers: dict[Any, Any] = {}

    def run(self) -> tuple[Operation, ...] | Unexplained | GaveUp:
        """Goes through beginnings and ends in their order."""
        points: list[Point] = [(self.model.start, 0, None)]
        for _, number, ends in sorted(_moments(self.made)):
            if not ends:
                self.open.append(number)
                continue
            self.answers = {}
            following = self._end(number, points)
            if following is None:
                return GaveUp(call=self.made[number])
            if not following:
                return Unexplained(
                    call=self.made[number],
                    answers=tuple(self.answers.values()),
                    order=self._order(points[0][2]),
                    open_calls=tuple(self.made[i] for i in self.open if i != number),
                )
            self.open.remove(number)
            points = following
        return self._order(points[0][2])

    def _end(self, number: int, points: list[Point]) -> list[Point] | None:
        """The points at which the call with this number has taken effect; None: gave up.

        Those that used the fewest calls without an answer come first, for a point is dropped if
        a known one has the same state and used none but those: whatever follows, it can do too.
        """
        bit = 1 << number
        after, seen = _Known(self.optional), _Known(self.optional)
        ahead: list[tuple[int, int, Any, Point]] = []
        for point in points:
            self._push(ahead, frozen(point[0]), point)
        while ahead:
            _, _, key, (state, done, trail) = heappop(ahead)
            if not seen.add(key, (state, done, trail)):
                continue
            if done & bit:
                after.add(key, (state, done ^ bit, trail))
                continue
            for other in self._may_come_next(done):
                self.steps -= 1
                if self.steps < 0:
                    return None
                answer, then, key_then = self._step(key, state, other)
                if not self._fits(other, answer, number):
                    continue
                if other == number:
                    after.add(key_then, (then, done, (trail, other)))
                elif not (self.optional >> other & 1 and key_then == key):
                    self._push(ahead, key_then, (then, done | 1 << other, (trail, other)))
        return after.points()

    def _push(self, ahead: list[tuple[int, int, Any, Point]], key: Any, point: Point) -> None:
        self.made_up += 1  # unique, so that the heap never compares states
        heappush(ahead, ((point[1] & self.optional).bit_count(), self.made_up, key, point))

    def _step(self, key: Any, state: Any, number: int) -> tuple[Any, Any, Any]:
        """The answer, the state after it, and that state as a key; equal calls are asked once."""
        kind = self.twins[number]
        cached = self.cache.get((key, kind))
        if cached is None:
            answer, then = self.model.step(state, self.shown[number])
            cached = self.cache[key, kind] = (answer, then, frozen(then))
        return cached

    def _may_come_next(self, done: int) -> list[int]:
        """The open calls that are in no order yet; of equal ones without an answer the first."""
        chosen: list[int] = []
        twins: set[Any] = set()
        for number in self.open:
            if done >> number & 1:
                continue
            if self.optional >> number & 1:
                if self.twins[number] in twins:
                    continue
                twins.add(self.twins[number])
            chosen.append(number)
        return chosen

    def _fits(self, other: int, answer: Any, number: int) -> bool:
        if self.optional >> other & 1 or answer is ANY:
            return True
        key = frozen(answer)
        if key == self.known[other]:
            return True
        if other == number:
            self.answers.setdefault(key, answer)
        return False

    def _order(self, trail: Trail) -> tuple[Operation, ...]:
        order: list[Operation] = []
        while trail is not None:
            trail, number = trail
            order.append(self.made[number])
        return tuple(reversed(order))


class _Known:
    """Points, without those that another can stand for."""

    def __init__(self, optional: int) -> None:
        self._optional = optional
        self._groups: dict[tuple[Any, int], list[Point]] = {}

    def add(self, key: Any, point: Point) -> bool:
        """Takes a point; False if one that used fewer calls without an answer stands for it."""
        used = point[1] & self._optional
        group = self._groups.setdefault((key, point[1] & ~self._optional), [])
        if any(other[1] & self._optional & ~used == 0 for other in group):
            return False
        group[:] = [other for other in group if used & ~other[1]]
        group.append(point)
        return True

    def points(self) -> list[Point]:
        """All that are left."""
        return [point for group in self._groups.values() for point in group]


def _moments(made: Sequence[Operation]) -> Iterable[tuple[int, int, bool]]:
    """Beginnings and ends as (sequence number, number of the call, whether it is an end)."""
    for number, call in enumerate(made):
        yield call.began_seq, number, False
        if call.outcome == "returned" and call.ended_seq is not None:
            yield call.ended_seq, number, True
