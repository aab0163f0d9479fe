"""The same run in other words: runs of steps said as holds.

A tape of steps says 'the third oldest, then the second oldest, then …'. The same order can
be said as 'hold this one, and that one, and let this one go'. Then a task that stalls while
others run is one decision, however long it stalls.
"""

from dataclasses import dataclass
from typing import Any

from faultlab.dst.attempt import Trial
from faultlab.kernel import Choices, Key, Tape
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.handles import Entry
from faultlab.kernel.strategy import HOLD, HOLDS, RELEASE, STEP, Chooser, speak


def as_holds(trial: Trial, tape: Tape) -> Tape:
    """A tape that runs the same steps in the same order, with holds wherever they can say it.

    Takes one run. Tapes that already hold something are translated as well as they can be:
    whoever asked has to run the result.
    """
    made: dict[Key, tuple[int, int]] = {}
    steered = _Steered(made)
    rest = {key: (tape[key], tape.alternatives(key)) for key in tape if key[0] not in _SCHEDULE}
    trial.attempt(choices=tape, strategy=steered)
    return Tape({**rest, **made})


_SCHEDULE = (HOLD, RELEASE, STEP)


@dataclass(frozen=True)
class _Steered:
    """Makes the run of a tape of steps again, and notes how holds would say it."""

    made: dict[Key, tuple[int, int]]
    holds: bool = True

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """A chooser that looks up the next step on the tape, and speaks in holds."""
        pilot = _Pilot(agenda, choices, self.made)
        spoken = speak(agenda, hold=pilot.hold, release=pilot.release, step=pilot.step)

        def choose(waiting: int) -> int:
            pilot.aim()
            return spoken(waiting)

        return choose


class _Pilot:
    """Knows which entry the tape would run next, and answers what brings it about."""

    def __init__(self, agenda: Agenda, choices: Choices, made: dict[Key, tuple[int, int]]) -> None:
        self._agenda = agenda
        self._steps = choices.channel(STEP)
        self._made = made
        self._counts: dict[tuple[str, str, str], int] = {}
        self._order: list[Entry] = []
        self._target: Any = None

    def aim(self) -> None:
        """Finds the target: what the original run, which holds nothing, would run now."""
        waiting = [*self._agenda.held, *self._agenda.ready]
        known = self._order[:]
        self._order = [entry for entry in known if _among(waiting, entry)]
        self._order += [entry for entry in waiting if not _among(known, entry)]
        index = self._steps(len(self._order)) if len(self._order) > 1 else 0
        self._target = self._order[self._in_order(index)]

    def _in_order(self, index: int) -> int:
        """The kernel's rule that callbacks keep their order, on the original's list."""
        ready, self._agenda.ready = self._agenda.ready, self._order
        try:
            return self._agenda.in_order(index)
        finally:
            self._agenda.ready = ready

    def release(self, n: int) -> int:
        """Releases the target if it is held."""
        held = self._agenda.held
        value = next((i + 1 for i, entry in enumerate(held) if entry is self._target), 0)
        return self._noted((RELEASE, "", ""), value, n)

    def hold(self, process: str, task: str) -> int:
        """Holds whatever is older than the target."""
        oldest = self._agenda.ready[0]
        last = len(self._agenda.ready) == 1
        value = int(oldest is not self._target and not last)
        return self._noted((HOLD, process, task), value, HOLDS)

    def step(self, n: int) -> int:
        """Steps over what cannot be held: callbacks."""
        ready = self._agenda.ready
        value = next((i for i, entry in enumerate(ready) if entry is self._target), 0)
        return self._noted((STEP, "", ""), value, n)

    def _noted(self, name: tuple[str, str, str], value: int, n: int) -> int:
        nth = self._counts[name] = self._counts.get(name, -1) + 1
        if value:
            self._made[(*name, nth)] = (value, n)
        return value


def _among(entries: list[Entry], wanted: Entry) -> bool:
    """Whether this very entry is there: equal ones may wait beside it."""
    return any(entry is wanted for entry in entries)
