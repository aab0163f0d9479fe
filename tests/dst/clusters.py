"""What the tests of clusters and partitions have in common."""

import asyncio
from collections.abc import Sequence
from typing import Any

from faultlab.dst import Cluster, Context, LatencyProfile, SimulationConfig
from faultlab.dst.attempt import Attempt
from faultlab.dst.cluster import ClusterConfig, NodeFunction, Partition, PartitionSchedule
from faultlab.kernel import Event, Fifo, virtual_world

AT_ONCE = LatencyProfile.constant(0.0)


def ran(subject: Cluster, /, seed: int = 0, **settings: Any) -> Attempt:
    """One run of a cluster in which tasks take turns; by default calls take no time."""
    config = SimulationConfig(**{"latency": AT_ONCE, **settings})
    with virtual_world():
        return subject.trial(config).attempt(seed=seed, strategy=Fifo())


def cut_off(*windows: Partition, nodes: int = 2, **schedule: Any) -> ClusterConfig:
    """A cluster with these windows."""
    return ClusterConfig(nodes=nodes, partitions=PartitionSchedule(windows=windows, **schedule))


def window(start: float, end: float, *isolated: int, **more: Any) -> Partition:
    """A partition of these nodes."""
    return Partition(start=start, end=end, isolated=frozenset(isolated), **more)


def calls_at(
    *times_s: float, surface: str = "queue_command", by: Sequence[int] = (0,)
) -> NodeFunction:
    """A node that makes a call at each of these times, and records how it ended."""

    async def call(ctx: Context, at_s: float) -> None:
        await asyncio.sleep(at_s)
        operation: Any = {
            "queue_command": lambda: ctx.port("queue_command", "q").put(f"{ctx.node_id} {at_s}"),
            "lock": lambda: ctx.port("lock", "l").acquire(f"{ctx.node_id} {at_s}", "o", lease_s=1),
            "clock": lambda: ctx.port("clock", "c").now_s(),
        }[surface]
        try:
            await operation()
        except TimeoutError:
            ctx.record("ended", at_s=at_s, ok=False, took_s=ctx.now_s() - at_s)
        else:
            ctx.record("ended", at_s=at_s, ok=True)

    async def node(node_id: int, ctx: Context) -> None:
        if node_id in by:
            async with asyncio.TaskGroup() as group:
                for at_s in times_s:
                    group.create_task(call(ctx, at_s))

    return node


def answered(attempt: Attempt) -> dict[float, bool]:
    """Which of the calls of `calls_at` were answered, by their time."""
    found = {e.fields["at_s"]: e.fields["ok"] for e in attempt.run.history.of("ended")}
    return dict(sorted(found.items()))


def struck(attempt: Attempt, fault: str = "partition") -> list[Event]:
    """Where a fault really struck."""
    return [event for event in attempt.run.history.of("fault") if event.fields["fault"] == fault]
