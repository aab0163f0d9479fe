"""What befalls a run: the part of a config that workers and tokens carry."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from faultlab.dst.cluster_config import ClusterConfig
from faultlab.dst.config import SimulationConfig
from faultlab.dst.faults import CrashPolicy, FaultRule
from faultlab.dst.latency import LatencyProfile

USUAL = LatencyProfile.exponential(0.005)
"""The latency of surfaces for which nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The part of a config that says what befalls a run; it can be sent to workers."""

    faults: tuple[FaultRule, ...]
    latency: dict[str, LatencyProfile]
    crash: CrashPolicy | None
    steps_max: int
    cluster: ClusterConfig | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON of what is not as usual; the step budget is told elsewhere."""
        latency = {
            surface: [profile.name, list(profile.quantiles_s)]
            for surface, profile in self.latency.items()
            if surface or profile != USUAL
        }
        found = {
            "faults": [asdict(rule) for rule in self.faults],
            "latency": latency,
            "crash": None if self.crash is None else asdict(self.crash),
            "cluster": None if self.cluster is None else self.cluster.to_json(),
        }
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], steps_max: int) -> "Settings":
        """Reads what `to_json` wrote.

        Raises:
            SimulationError: A value makes no sense.
            TypeError: It has another shape; KeyError, ValueError likewise.
        """
        crash, cluster = data.get("crash"), data.get("cluster")
        profiles = {
            str(surface): LatencyProfile(name=str(name), quantiles_s=tuple(quantiles))
            for surface, (name, quantiles) in data.get("latency", {}).items()
        }
        return cls(
            faults=tuple(FaultRule(**rule) for rule in data.get("faults", ())),
            latency={"": USUAL, **profiles},
            crash=None if crash is None else CrashPolicy(**crash),
            steps_max=steps_max,
            cluster=None if cluster is None else ClusterConfig.from_json(cluster),
        )


def settings_of(config: SimulationConfig) -> Settings:
    """What of a config each run needs."""
    latency = config.latency
    profiles = {"": latency} if isinstance(latency, LatencyProfile) else dict(latency)
    profiles.setdefault("", USUAL)
    return Settings(
        faults=tuple(config.faults),
        latency=profiles,
        crash=config.crash,
        steps_max=config.steps_max,
        cluster=config.cluster,
    )
