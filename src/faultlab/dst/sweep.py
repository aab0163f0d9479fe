"""Sweeping: seed after seed, here or on any executor, up to the first that breaks something."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faultlab.dst.attempt import Trial
from faultlab.dst.strategies import SeededSearch
from faultlab.kernel import Tape

UNDECIDED_MAX = 3
"""How many runs that could not be judged are named."""


@dataclass(frozen=True, kw_only=True)
class Violating:
    """A seed that broke something, and the decisions of its run."""

    seed: int | None
    tape: Tape


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What came of some seeds.

    Attributes:
        seeds: How many were run.
        steps: How many steps they took.
        violating: The lowest seed that broke something.
        exercised: What struck or was reached, with the number of seeds in which it was.
        undecided: Checks that gave up in some run, in words.
        lost: Seeds that never came back, in words.
        interrupted: Whether somebody stopped the sweep.
    """

    seeds: int = 0
    steps: int = 0
    violating: Violating | None = None
    exercised: dict[str, int] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    interrupted: bool = False


def sweep_here(
    trial: Trial,
    search: SeededSearch,
    contested: int,
    seeds: Sequence[int],
    progress: Callable[[int], None] | None = None,
) -> Swept:
    """Runs these seeds in this thread, in order, until one breaks something.

    Ctrl-C ends it with what there is. `progress` is called with the number of seeds done.
    """
    ran = steps = 0
    exercised: dict[str, int] = {}
    undecided: dict[str, None] = {}
    violating, interrupted = None, False
    try:
        for seed in seeds:
            attempt = trial.attempt(seed=seed, strategy=search.strategy(seed, contested))
            ran += 1
            steps += attempt.run.steps
            for label in attempt.exercised:
                exercised[label] = exercised.get(label, 0) + 1
            undecided |= dict.fromkeys(f"seed {seed}: {text}" for text in attempt.undecided[:1])
            if attempt.broken is not None:
                violating = Violating(seed=seed, tape=attempt.run.choices)
                break
            if progress is not None:
                progress(ran)
    except KeyboardInterrupt:
        interrupted = True
    return Swept(
        seeds=ran,
        steps=steps,
        violating=violating,
        exercised=exercised,
        undecided=tuple(undecided)[:UNDECIDED_MAX],
        interrupted=interrupted,
    )
