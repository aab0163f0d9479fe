"""Holds by place: whoever is held at an await once is held there each time."""

from dataclasses import dataclass

from faultlab.dst.errors import SimulationError
from faultlab.kernel import Choices, Strategy
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.handles import task_of
from faultlab.kernel.strategy import HOLD, HOLDS, Chooser, speak
from faultlab.kernel.violations import Suspension, suspended_at


@dataclass(frozen=True, kw_only=True)
class HoldsByPlace:
    """Draws once for each task and await whether the task is held there, every time.

    A slow line instead of a slow step: bugs that strike only if the same window is hit two
    or three times in a row, such as retries that give up, are out of reach of single draws.

    Attributes:
        probability: How many of the places hold, in (0, 1).
    """

    probability: float = 0.25

    def __post_init__(self) -> None:
        if not 0 < self.probability < 1:
            raise SimulationError(
                f"a hold probability of {self.probability} was asked for; give one in (0, 1)"
            )

    @property
    def label(self) -> str:
        """Its name."""
        return "holds by place"

    def strategy(self, seed: int, contested: int) -> Strategy:
        """The same for every seed; the seed draws the places."""
        return _PlacesHeld(probability=self.probability)


@dataclass(frozen=True, kw_only=True)
class _PlacesHeld:
    """Remembers for one run which places hold."""

    probability: float
    holds: bool = True

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Draws for every task and place that is asked about for the first time."""
        chance = choices.chance("places")
        held: dict[tuple[str, str, Suspension], bool] = {}

        def holds(process: str, name: str) -> bool:
            task = task_of(agenda.ready[0])
            if (
                task is None or len(agenda.ready) == 1
            ):  # nothing else is ready: it would end at once
                return False
            place = process, name, suspended_at(task.get_coro())
            if place not in held:
                held[place] = chance.random() < self.probability
            return held[place]

        def hold(process: str, task: str) -> int:
            return choices.decide(
                HOLD, HOLDS, int(holds(process, task)), process=process, call=task
            )

        return speak(agenda, hold=hold)
