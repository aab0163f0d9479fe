"""Where a sweep looks: which schedules its seeds get.

A search turns a seed into a strategy of the kernel. What a seed does depends on the seed
and on one number that is the same for the whole sweep: how many steps of the program's
FIFO run had a rival, for only there a decision matters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeAlias

from faultlab import kernel
from faultlab.dst.errors import SimulationError
from faultlab.dst.places_held import HoldsByPlace
from faultlab.kernel import PAUSES_S, Choices, Strategy
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.handles import Entry, task_of
from faultlab.kernel.process import OWNER
from faultlab.kernel.strategy import HOLD, HOLDS, STEP, Chooser, speak

PAUSE_RATES = (0.05, 0.15, 0.4)
"""How often a search that pauses does so where it is asked: each run has one of these, for
short programs need a high rate to be paused at all, and long ones drown in it."""

ANY_PAUSE = 0.2
"""How often a pause has any of the lengths, instead of one that outlasts a timer."""


class SeededSearch(Protocol):
    """A search that gives each seed a strategy."""

    @property
    def label(self) -> str:
        """What it does, in a few words for reports."""
        ...

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The kernel's strategy for a seed.

        Args:
            seed: The master seed of the run.
            contested: Steps of the FIFO run that had a rival, at least 1.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Fifo:
    """Runs steps in asyncio's own order: only what is random besides differs by seed."""

    label: str = "FIFO"

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The same for every seed."""
        return kernel.Fifo()


@dataclass(frozen=True, kw_only=True)
class RandomStep:
    """Runs any of the ready steps, all equally likely."""

    label: str = "random step"

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The same for every seed; the seed draws the steps."""
        return kernel.RandomStep()


@dataclass(frozen=True, kw_only=True)
class PCT:
    """Probabilistic concurrency testing: priorities, and a few points where they change.

    Each task gets a random priority and the highest runs, until at one of `depth` - 1
    random points the running task falls below all others. A bug that needs `depth` ordering
    constraints among n tasks in a run of at most k contested steps is found with
    probability at least 1 / (n * k ** (depth - 1)) a seed.

    Source: Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with
    Probabilistic Guarantees of Finding Bugs, ASPLOS 2010.

    Attributes:
        depth: Ordering constraints that the bug may need, 1..10.
    """

    depth: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 10:
            raise SimulationError(f"PCT of depth {self.depth} was asked for; give 1 to 10")

    @property
    def label(self) -> str:
        """PCT and its depth."""
        return f"PCT, depth {self.depth}"

    def strategy(self, seed: int, contested: int) -> Strategy:
        """Priorities and change points, drawn from the seed."""
        return _Priorities(changes=self.depth - 1, contested=contested)

    def missed_at_most(self, *, tasks: int, contested: int, seeds: int) -> float:
        """Probability that so many clean seeds all missed a bug of this depth, at most.

        It holds for runs with no more tasks and contested steps than these.
        """
        found: float = 1 / (tasks * contested ** (self.depth - 1))
        return (1 - found) ** seeds


@dataclass(frozen=True, kw_only=True)
class Holds:
    """Holds steps back at random, each until nothing else can run.

    Attributes:
        probability: How often the oldest step is held where others wait, in (0, 1).
        pauses: Whether it also pauses tasks across virtual time: a slow process, not a
            dead one. Then whatever has a time limit can miss it.
    """

    probability: float = 0.25
    pauses: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.probability < 1:
            raise SimulationError(
                f"a hold probability of {self.probability} was asked for; give one in (0, 1)"
            )

    @property
    def label(self) -> str:
        """Holds, and whether it pauses."""
        return "holds and pauses" if self.pauses else "holds"

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The same for every seed; the seed draws the holds."""
        return _RandomHolds(probability=self.probability, pauses=self.pauses)


@dataclass(frozen=True, kw_only=True)
class Portfolio:
    """The default: holds, PCT of depth 2 and of depth 3 by turns.

    Of 16 seeds one steps at random, two hold by place, and three also pause tasks. No kind
    of bug is then hidden from all, and none costs much more than with what suits it.

    Attributes:
        pauses: False leaves the pauses out, for programs whose time limits are meant to
            fail when a process is slow.
    """

    pauses: bool = True

    @property
    def label(self) -> str:
        """Its name."""
        return "portfolio" if self.pauses else "portfolio without pauses"

    def member(self, seed: int) -> SeededSearch:
        """The search that a seed gets."""
        turn = seed % 16
        if turn == 15:
            return RandomStep()
        if turn in (0, 3):
            return HoldsByPlace()
        return (Holds(pauses=self.pauses), PCT(depth=2), PCT(depth=3))[turn % 3]

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The strategy of the seed's member."""
        return self.member(seed).strategy(seed, contested)


@dataclass(frozen=True, kw_only=True)
class Exhaustive:
    """All runs with at most so many decisions, and a statement of how many there are.

    A decision is a hold or its release (with `pauses`, also a pause). Randomness and
    everything else a seed would draw stay at their uneventful answer.

    Attributes:
        decisions_max: The bound, 1..6.
        runs_max: The budget; a larger program is then reported as 'n of N'.
        pauses: Whether pauses count among the decisions.
    """

    decisions_max: int = 2
    runs_max: int = 50_000
    pauses: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.decisions_max <= 6:
            raise SimulationError(
                f"an exhaustive search over {self.decisions_max} decisions was asked for; "
                "give 1 to 6: each decision more multiplies the runs"
            )
        if self.runs_max < 1:
            raise SimulationError(f"runs_max is {self.runs_max}; give at least 1")

    @property
    def label(self) -> str:
        """Its name and bound."""
        return f"exhaustive, {self.bound}"

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"at most {self.decisions_max} decision{'s' * (self.decisions_max > 1)}"


Search: TypeAlias = SeededSearch | Exhaustive


@dataclass(frozen=True, kw_only=True)
class _Priorities:
    """PCT as steps: the ready task of the highest priority runs."""

    changes: int
    contested: int
    holds: bool = False

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Draws priorities as tasks appear, and the points where the running one falls."""
        chance = choices.chance("pct")
        points = {chance.randrange(self.contested) for _ in range(self.changes)}
        priorities: dict[object, float] = {}
        step, lowest = 0, 0.0

        def highest(waiting: int) -> int:
            # Of equals the oldest: max keeps the first.
            return max(range(waiting), key=lambda index: priority(agenda.ready[index]))

        def priority(entry: Entry) -> float:
            who = _who(entry)
            found = priorities.get(who)
            if found is None:
                found = priorities[who] = 1 + chance.random()
            return found

        def choose(waiting: int) -> int:
            nonlocal step, lowest
            index = highest(waiting)
            if step in points:
                lowest -= 1
                priorities[_who(agenda.ready[index])] = lowest
                index = highest(waiting)
            step += 1
            return choices.decide(STEP, waiting, index)

        return choose


def _who(entry: Entry) -> object:
    """Who a priority belongs to: a task, or all callbacks of one process together."""
    return task_of(entry) or entry[2].get(OWNER)


@dataclass(frozen=True, kw_only=True)
class _RandomHolds:
    """Holds drawn at each ask."""

    probability: float
    pauses: bool
    holds: bool = True

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Draws for every task that is asked about."""
        chance = choices.chance("holds")
        drawn_pause = _drawn_pauses(agenda, choices.chance("pauses")) if self.pauses else None

        def draw() -> int:
            pause = drawn_pause() if drawn_pause and agenda.timers else 0
            if pause or len(agenda.ready) == 1:  # nothing else is ready: a hold would end at once
                return pause
            return int(chance.random() < self.probability)

        def hold(process: str, task: str) -> int:
            return choices.decide(HOLD, HOLDS, draw(), process=process, call=task)

        return speak(agenda, hold=hold)


def _drawn_pauses(agenda: Agenda, chance: Random) -> Callable[[], int]:
    """Draws whether to pause, and for how long; 0 does not.

    A pause matters if something happens meanwhile, so its length is drawn on the scale of
    the program's own timers: mostly the first or second one that outlasts some timer.
    """
    rate = chance.choice(PAUSE_RATES)
    last = len(PAUSES_S) - 1

    def drawn() -> int:
        if chance.random() >= rate:
            return 0
        if chance.random() < ANY_PAUSE:
            return 2 + chance.randint(0, last)
        left_s = chance.choice(agenda.timers)[0] - agenda.now
        outlasts = (place for place, pause_s in enumerate(PAUSES_S) if pause_s > left_s)
        return 2 + min(last, next(outlasts, last) + chance.randrange(2))

    return drawn
