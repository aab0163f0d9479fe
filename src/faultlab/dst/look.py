"""The first look at a program, and the check that the same decisions give the same run."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from faultlab.dst.attempt import Attempt, Trial
from faultlab.dst.errors import NondeterminismError
from faultlab.dst.places import lane_name, line_of
from faultlab.kernel import Choices, Escape, Escapes
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.strategy import Chooser
from faultlab.kernel.violations import Suspension, suspended_at

CAUSES = (
    "something outside of the program survives a run: a module's list, a cache, a counter",
    "the order of a set of strings, or of objects by address: sort first",
    "the real clock or unseeded chance, reached in a way that the simulation cannot see",
    "a file, an environment variable or another process that changes",
)
"""Why the same decisions may give different runs, the most frequent first."""


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """What is known of a program before its first seed.

    Attributes:
        contested: Steps of the FIFO run that had a rival, at least 1.
        tasks: Tasks of the FIFO run that ran.
        escapes: Calls that reached the real clock or real chance.
        attempt: The run itself.
    """

    contested: int
    tasks: int
    escapes: tuple[Escape, ...]
    attempt: Attempt


def first_look(trial: Trial) -> FirstLook:
    """Runs a program twice in asyncio's own order.

    Raises:
        NondeterminismError: The two runs differ.
    """
    escapes = Escapes()
    counting = _Counting()
    trail = Trail()
    with escapes.watching():
        first = trial.attempt(choices=trial.base, strategy=counting, watch=trail)
    again = Trail()
    second = trial.attempt(choices=trial.base, watch=again)
    if differ(first, second):
        raise nondeterminism(first, second, trail.places, again.places, escapes.found)
    return FirstLook(
        contested=max(1, counting.asked),
        tasks=max(1, len(trail.tasks)),
        escapes=escapes.found,
        attempt=first,
    )


def confirm(trial: Trial, found: Attempt, escapes: Sequence[Escape]) -> None:
    """Runs a failing run again before anybody is told of it.

    Raises:
        NondeterminismError: It is another run this time.
    """
    trail, again = Trail(), Trail()
    second = trial.attempt(choices=found.run.choices, watch=trail)
    third = trial.attempt(choices=found.run.choices, watch=again)
    if differ(second, third):
        raise nondeterminism(second, third, trail.places, again.places, escapes)
    if differ(found, second):
        raise nondeterminism(found, second, None, None, escapes)


def differ(one: Attempt, other: Attempt) -> bool:
    """Whether two attempts with the same decisions were different runs."""
    return _signature(one) != _signature(other)


def _signature(attempt: Attempt) -> tuple[object, ...]:
    made = attempt.run
    rule = None if attempt.broken is None else attempt.broken.rule
    return rule, made.steps, made.time_s, made.choices, made.digest


class Trail:
    """Where each step of a run began: enough to find the first that differs."""

    def __init__(self) -> None:
        self.tasks: set[tuple[str, str]] = set()
        self._steps: list[tuple[str, str, Suspension | None]] = []

    def __call__(self, process: str, task: str, what: Any) -> None:
        """Notes a step; it is put into words only if somebody asks."""
        self.tasks.add((process, task))
        place = None if what is None else suspended_at(what.get_coro())
        self._steps.append((process, task, place))

    @property
    def places(self) -> list[str]:
        """The steps in words."""
        return [_in_words(*step) for step in self._steps]


def _in_words(process: str, task: str, place: Suspension | None) -> str:
    line = None if place is None else line_of(place)
    whose = lane_name(process, task)
    return f"{whose} at {line}" if line else whose


@dataclass
class _Counting:
    """FIFO that counts the steps which had a rival."""

    asked: int = 0
    holds: bool = False

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Counts, and runs the oldest."""

        def choose(_: int) -> int:
            self.asked += 1
            return 0

        return choose


def nondeterminism(
    one: Attempt,
    other: Attempt,
    trail: Sequence[str] | None,
    again: Sequence[str] | None,
    escapes: Sequence[Escape],
) -> NondeterminismError:
    """The error that names the first difference and its common causes."""
    lines = ["the same decisions gave two different runs, so neither can be trusted."]
    lines.append(f"First difference: {_first_difference(one, other, trail, again)}.")
    if escapes:
        lines.append("These calls left the simulation, and are the first suspects:")
        lines += [f"  {escape.call} at {escape.where}: {escape.why}" for escape in escapes]
    lines.append("Common causes:")
    lines += [f"  - {cause}" for cause in CAUSES]
    lines.append("Make the program set up everything it uses inside of itself, then run it again.")
    return NondeterminismError("\n".join(lines))


def _first_difference(
    one: Attempt, other: Attempt, trail: Sequence[str] | None, again: Sequence[str] | None
) -> str:
    for number, (left, right) in enumerate(zip_longest(trail or (), again or ()), 1):
        if left != right:
            was, now = (place or "the run had ended" for place in (left, right))
            return f"step {number}, first {was}, then {now}"
    events = zip_longest(one.run.history.to_json(), other.run.history.to_json())
    for left, right in events:
        if left != right:
            return f"event {(left or right)['seq']}, first {_event(left)}, then {_event(right)}"
    if trail is None and one.run.steps != other.run.steps:
        return (
            f"{one.run.steps} steps, then {other.run.steps}, and the same from then on: something "
            "was changed by the first run for all later ones"
        )
    ends = [
        attempt.broken.message if attempt.broken else "no violation" for attempt in (one, other)
    ]
    return f"the end: first {ends[0]}, then {ends[1]}"


def _event(event: dict[str, Any] | None) -> str:
    return "no event" if event is None else f"{event['kind']} {event['fields']}"


def vanished(seed: int | None, escapes: Sequence[Escape]) -> NondeterminismError:
    """The error for a violation that its own decisions do not bring back."""
    whose = "A run" if seed is None else f"Seed {seed}"
    lines = [f"{whose} broke something, and its decisions fed back break nothing."]
    lines += [f"  {escape.call} at {escape.where}: {escape.why}" for escape in escapes]
    lines.append("Common causes:")
    lines += [f"  - {cause}" for cause in CAUSES]
    return NondeterminismError("\n".join(lines))
