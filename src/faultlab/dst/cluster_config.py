"""The cluster of a simulation: its nodes, partitions, pauses and clocks, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from faultlab.dst.errors import SimulationError
from faultlab.dst.partitions import Partition, PartitionSchedule


@dataclass(frozen=True, kw_only=True)
class NodePause:
    """A node that stands still for a while: slow, not dead. Its timers go on.

    Attributes:
        node: Its number.
        start: Virtual seconds at which it begins.
        end: Virtual seconds at which it ends.
    """

    node: int
    start: float
    end: float

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end < inf:
            raise SimulationError(
                f"a pause of node {self.node} from {self.start} s to {self.end} s was given; "
                "it has to end after it starts"
            )

    @property
    def label(self) -> str:
        """`pause of node 1, 0.5 s to 1.5 s`."""
        return f"pause of node {self.node}, {self.start:g} s to {self.end:g} s"


@dataclass(frozen=True, kw_only=True)
class ClusterConfig:
    """How many nodes there are, and what befalls them beside faults and crashes.

    Attributes:
        nodes: Their number; they are 0 to nodes - 1.
        partitions: Which nodes are cut off when.
        pauses: Which nodes stand still when.
        skew_s: By node: how far its clock is ahead, or behind if negative.
        skew_max_s: Or: each node's skew is one pick, at most so far.
        restart_s: How long a crashed node stays away.
    """

    nodes: int = 3
    partitions: PartitionSchedule = field(default_factory=PartitionSchedule)
    pauses: Sequence[NodePause] = ()
    skew_s: Mapping[int, float] = field(default_factory=dict)
    skew_max_s: float = 0.0
    restart_s: float = 1.0

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise SimulationError(f"a cluster of {self.nodes} nodes was asked for; give at least 1")
        if not 0 <= self.restart_s < inf or not 0 <= self.skew_max_s < inf:
            raise SimulationError("restart_s and skew_max_s are finite seconds from 0")
        for what, node in self._named_nodes():
            if not 0 <= node < self.nodes:
                raise SimulationError(
                    f"{what} names node {node}, but there are {self.nodes}: 0 to {self.nodes - 1}"
                )

    def _named_nodes(self) -> list[tuple[str, int]]:
        named = [
            (window.label, node)
            for window in self.partitions.windows
            for node in sorted(window.isolated)
        ]
        named += [(pause.label, pause.node) for pause in self.pauses]
        return named + [("skew_s", node) for node in self.skew_s]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        windows = [
            {**asdict(window), "isolated": sorted(window.isolated)}
            for window in self.partitions.windows
        ]
        schedule = asdict(self.partitions)
        schedule |= {"windows": windows, "surfaces": sorted(self.partitions.surfaces)}
        return {
            "nodes": self.nodes,
            "partitions": schedule,
            "pauses": [asdict(pause) for pause in self.pauses],
            "skew_s": {str(node): skew for node, skew in self.skew_s.items()},
            "skew_max_s": self.skew_max_s,
            "restart_s": self.restart_s,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ClusterConfig":
        """Reads what `to_json` wrote; raises SimulationError for what makes no sense."""
        schedule = dict(data["partitions"])
        windows = [
            Partition(**{**window, "isolated": frozenset(window["isolated"])})
            for window in schedule.pop("windows")
        ]
        return cls(
            nodes=data["nodes"],
            partitions=PartitionSchedule(
                **{**schedule, "surfaces": frozenset(schedule["surfaces"])},
                windows=tuple(windows),
            ),
            pauses=[NodePause(**pause) for pause in data["pauses"]],
            skew_s={int(node): skew for node, skew in data["skew_s"].items()},
            skew_max_s=data["skew_max_s"],
            restart_s=data["restart_s"],
        )
