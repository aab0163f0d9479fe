"""Schedules: small objects that say which ready step runs next.

The kernel speaks one language of decisions, and a strategy is a way to speak it:

    step     run the k-th oldest ready step now (0: the oldest)
    hold     asked for the oldest step while others wait (0: let it run): 1 holds it
             until nothing else is ready, 2 and more pause it for PAUSES_S of virtual time
    release  asked while something is held (0: nothing): the k-th held step is the oldest
             ready one again

A strategy that decides in these words can be fed back from its tape without being
there. `hold` is asked per (process, task), so that the key of 'hold a before its second
step' does not depend on what other tasks do. A stall of any length is one decision.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from faultlab.kernel.agenda import Agenda
from faultlab.kernel.choices import Choices, Tape
from faultlab.kernel.handles import task_of

Chooser: TypeAlias = Callable[[int], int]
"""Takes the number of ready steps, returns the index of the one to run."""

PAUSES_S = (0.001, 0.01, 0.1, 1.0, 10.0, 60.0)
"""The lengths that a pause can have."""

HOLD, RELEASE, STEP = "hold", "release", "step"


class Strategy(Protocol):
    """What `run` takes as a strategy. A function of the choices alone: it keeps no state."""

    @property
    def holds(self) -> bool:
        """Whether it holds steps back: then it is asked even if only one is ready."""
        ...

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """The chooser for one run; None always runs the oldest step."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fifo:
    """Runs the oldest ready step, as asyncio does."""

    holds: bool = False

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """None: there is nothing to choose."""
        return None


@dataclass(frozen=True, kw_only=True)
class RandomStep:
    """Runs any of the ready steps, all equally likely."""

    holds: bool = False

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """The step channel itself: one draw for every contested step."""
        return choices.channel(STEP)


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """Asks the choices for every decision there is: what feeds a tape back.

    Streams that the tape does not have are not asked: their picks are 0 anyway.
    """

    streams: frozenset[str]

    @classmethod
    def of(cls, tape: Tape) -> "Spoken":
        """Asks for the streams that this tape decides."""
        return cls(streams=tape.streams())

    @property
    def holds(self) -> bool:
        """Whether any decision holds something back."""
        return HOLD in self.streams or RELEASE in self.streams

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Asks release, then hold for each oldest step in turn, then step."""
        step = choices.channel(STEP) if STEP in self.streams else None
        if not self.holds:
            return step
        release = choices.channel(RELEASE)

        def choose(waiting: int) -> int:
            if agenda.held:
                released = release(1 + len(agenda.held))
                if released:
                    agenda.release(released - 1)
                    waiting += 1
            waiting = _hold_back(agenda, choices, waiting)
            return step(waiting) if step and waiting > 1 else 0

        return choose


def _hold_back(agenda: Agenda, choices: Choices, waiting: int) -> int:
    """Asks of the oldest step, and of the next one if it was held, whether to hold it.

    Never of the last one: when nothing else is ready a hold ends. Returns how many wait.
    """
    while waiting > 1:
        oldest = agenda.ready[0]
        if task_of(oldest) is None:  # callbacks keep their order, so they are never held
            break
        process, task = agenda.whose(oldest)
        decision = choices.pick(HOLD, 2 + len(PAUSES_S), process=process, call=task)
        if decision == 0:
            break
        if decision == 1:
            agenda.hold(0)
        else:
            agenda.pause(0, PAUSES_S[decision - 2])
        waiting -= 1
    return waiting
