"""Schedules: small objects that say which ready step runs next.

The kernel speaks one language of decisions, and a strategy is a way to speak it:

    step     run the k-th oldest ready step now (0: the oldest)
    hold     asked for the oldest step while others wait (0: let it run): 1 holds it
             until nothing else is ready, 2 and more pause it for PAUSES_S of virtual time;
             a step that waits alone is asked while timers run, and can only be paused
    release  asked while something is held (0: nothing): the k-th held step is the oldest
             ready one again

A strategy that decides in these words can be fed back from its tape without being
there. `hold` is asked per (process, task), so that the key of 'hold a before its second
step' does not depend on what other tasks do. A stall of any length is one decision.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from faultlab.kernel.agenda import Agenda
from faultlab.kernel.choices import Choices, Tape
from faultlab.kernel.handles import task_of

Chooser: TypeAlias = Callable[[int], int]
"""Takes the number of ready steps, returns the index of the one to run, or NOTHING."""

Watch: TypeAlias = Callable[[str, str, "asyncio.Task[Any] | None"], None]
"""Is told of every step before it runs: process, task, and the task (None: a callback)."""

NOTHING = -1
"""A chooser's answer when it has paused everything that was ready."""

PAUSES_S = (0.001, 0.01, 0.1, 1.0, 10.0, 60.0)
"""The lengths that a pause can have."""

HOLDS = 2 + len(PAUSES_S)
"""The answers to `hold`: let it run, hold it, pause it for one of PAUSES_S."""

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

        def hold(process: str, task: str) -> int:
            return choices.pick(HOLD, HOLDS, process=process, call=task)

        return speak(agenda, release=release, hold=hold, step=step)


def speak(
    agenda: Agenda,
    *,
    hold: Callable[[str, str], int],
    release: Chooser | None = None,
    step: Chooser | None = None,
) -> Chooser:
    """A chooser that speaks the language: asks release, then hold, then step.

    For strategies with `holds`. `hold` gets the names of a process and a task and
    returns a value in 0..HOLDS-1; what is left out is never decided. Whoever asks the
    questions in this order can be fed back by `Spoken`.
    """

    def choose(waiting: int) -> int:
        if release is not None and agenda.held:
            released = release(1 + len(agenda.held))
            if released:
                agenda.release(released - 1)
                waiting += 1
        waiting = _hold_back(agenda, hold, waiting)
        if not waiting:
            return NOTHING
        return step(waiting) if step and waiting > 1 else 0

    return choose


def _hold_back(agenda: Agenda, hold: Callable[[str, str], int], waiting: int) -> int:
    """Asks of the oldest step, and of the next one if it was held, whether to hold it.

    When nothing else is ready a hold ends, so the last one can only be paused, and is
    only asked where a timer could use the time. Returns how many wait.
    """
    while waiting > 1 or (waiting == 1 and agenda.timers):
        oldest = agenda.ready[0]
        if task_of(oldest) is None:  # callbacks keep their order, so they are never held
            break
        decision = hold(*agenda.whose(oldest))
        if decision == 0 or (decision == 1 and waiting == 1):
            break
        if decision == 1:
            agenda.hold(0)
        else:
            agenda.pause(0, PAUSES_S[decision - 2])
        waiting -= 1
    return waiting


def watched(agenda: Agenda, choose: Chooser | None, watch: Watch, *, always: bool) -> Chooser:
    """The same choices, with somebody looking on: asked for every step, contested or not."""

    def chosen(waiting: int) -> int:
        index = choose(waiting) if choose is not None and (always or waiting > 1) else 0
        if index >= 0:
            entry = agenda.ready[agenda.in_order(index)]
            watch(*agenda.whose(entry), task_of(entry))
        return index

    return chosen
