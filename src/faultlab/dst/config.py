"""How a program is searched: seeds, strategy, budgets, where it runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from faultlab.dst.cluster_config import ClusterConfig
from faultlab.dst.errors import SimulationError
from faultlab.dst.faults import CrashPolicy, FaultRule
from faultlab.dst.latency import LatencyProfile
from faultlab.dst.strategies import Exhaustive, Portfolio, Search
from faultlab.dst.token import Token
from faultlab.kernel import STEPS_MAX


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a sweep is.

    Attributes:
        seeds_run: So many seeds are done.
        seeds: Of so many.
        violating: The lowest violating seed so far, or None.
    """

    seeds_run: int
    seeds: int
    violating: int | None


@dataclass(frozen=True, kw_only=True)
class SimulationConfig:
    """How `check` searches.

    Attributes:
        seeds: Master seeds, each of them one run; integers from 0.
        search: Which schedules the seeds get: `Portfolio()`, `PCT(depth=…)`, `Holds()`,
            `RandomStep()`, `Fifo()`; or `Exhaustive(decisions_max=…)`, which needs no seeds.
        steps_max: Step budget of a run; the last half of it is scheduled fairly.
        minimize_runs_max: How many runs minimizing may take; 0 leaves a bug as it was found.
        jobs: Processes of this machine to sweep on.
        executor: Any `concurrent.futures.Executor` to sweep on instead.
        progress: Called with a `Progress` now and then.
        faults: Rules by which faults strike port calls (`Simulation` and `Cluster`).
        latency: How long port calls take: one profile, or profiles by surface, where the one
            under the empty name is for all others; by default exponential, median 5 ms each way.
        crash: At which port calls the process may crash, to be restarted.
        cluster: Nodes, partitions, pauses and skews, for a `Cluster`.
        token: A run to make again instead of a sweep; see `reproduce`.
    """

    seeds: Iterable[int] = field(default_factory=lambda: range(256))
    search: Search = field(default_factory=Portfolio)
    steps_max: int = STEPS_MAX
    minimize_runs_max: int = 1_000
    jobs: int = 1
    executor: Executor | None = None
    progress: Callable[[Progress], None] | None = None
    faults: Sequence[FaultRule] = ()
    latency: LatencyProfile | Mapping[str, LatencyProfile] = field(
        default_factory=lambda: LatencyProfile.exponential(0.005)
    )
    crash: CrashPolicy | None = None
    cluster: ClusterConfig | None = None
    token: str | None = None

    def __post_init__(self) -> None:
        seeds = self.seeds if isinstance(self.seeds, range) else tuple(self.seeds)
        object.__setattr__(self, "seeds", seeds)
        ends = seeds if isinstance(seeds, tuple) else [*seeds[:1], *seeds[-1:]]
        for seed in ends:
            _check_seed(seed)
        if not seeds:
            raise SimulationError("there are no seeds; give at least one, such as range(256)")
        if not (isinstance(self.search, Exhaustive) or hasattr(self.search, "strategy")):
            raise SimulationError(
                f"{self.search!r} is no search; give Portfolio(), PCT(depth=3), Holds(), "
                "RandomStep(), Fifo() or Exhaustive(decisions_max=2)"
            )
        for name, least in (("steps_max", 2), ("minimize_runs_max", 0), ("jobs", 1)):
            if getattr(self, name) < least:
                raise SimulationError(f"{name} is {getattr(self, name)}; give at least {least}")
        if self.executor is not None and self.jobs > 1:
            raise SimulationError("both jobs and an executor were given; give one of them")
        labels = [rule.label for rule in self.faults]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise SimulationError(
                f"two fault rules are both {twice!r}, and a report could not tell them apart; "
                "make them one, or give them different targets"
            )
        if not isinstance(self.latency, LatencyProfile | Mapping):
            raise SimulationError(
                f"latency is {self.latency!r}; give a LatencyProfile, such as "
                "LatencyProfile.constant(0.01), or a mapping of profiles by surface"
            )
        if self.token is not None:
            Token.parse(self.token)

    @classmethod
    def quick(cls, **settings: Any) -> "SimulationConfig":
        """64 seeds: for the editor, at each save."""
        return cls(**{"seeds": range(64), **settings})

    @classmethod
    def thorough(cls, **settings: Any) -> "SimulationConfig":
        """2,048 seeds: for a pull request."""
        return cls(**{"seeds": range(2_048), **settings})

    @classmethod
    def nightly(cls, night: int = 0, **settings: Any) -> "SimulationConfig":
        """50,000 seeds, other ones each night.

        Args:
            night: Number of the night, from 0: days since some date, or a build's number.
            settings: Any other attribute.
        """
        if night < 0:
            raise SimulationError(f"night is {night}; give a number from 0")
        size = 50_000
        return cls(**{"seeds": range(night * size, (night + 1) * size), **settings})

    @classmethod
    def reproduce(cls, token: str, **settings: Any) -> "SimulationConfig":
        """The one run that a token holds."""
        return cls(**{"token": token, **settings})


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise SimulationError(f"{seed!r} is no seed; a seed is an integer from 0")
