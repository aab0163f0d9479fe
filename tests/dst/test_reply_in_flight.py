"""A window that opens while a reply is on its way loses the reply, and only the reply."""

import pytest

from faultlab.dst import (
    Cluster,
    Context,
    Fifo,
    LatencyProfile,
    Partition,
    PartitionSchedule,
    SimulationConfig,
    Unreachable,
)
from faultlab.dst.cluster import ClusterConfig
from faultlab.dst.partitions import Direction
from faultlab.kernel import History


async def node(node_id: int, ctx: Context) -> None:
    try:
        await ctx.port("queue_command", "events").put("an event")
    except Unreachable:
        ctx.record("gave up")
    else:
        ctx.record("told")


@pytest.mark.parametrize(
    ("opens_s", "direction", "expected"),
    [
        (0.15, "both", ["put", "partition", "gave up"]),
        (0.15, "in", ["put", "partition", "gave up"]),
        (0.15, "out", ["put", "told"]),
        (0.05, "both", ["partition", "gave up"]),
        (0.2, "both", ["put", "partition", "gave up"]),
        (0.25, "both", ["put", "told"]),
    ],
)
def test_a_leg_is_lost_if_the_window_is_open_when_it_arrives(
    opens_s: float, direction: Direction, expected: list[str]
) -> None:
    seen: list[str] = []

    def look(history: History) -> None:
        events = history.of("put", "fault", "gave up", "told")
        seen[:] = [str(event.fields.get("fault", event.kind)) for event in events]

    window = Partition(start=opens_s, end=9, isolated=frozenset({0}), direction=direction)
    config = SimulationConfig(
        seeds=range(1),
        search=Fifo(),
        latency=LatencyProfile.constant(0.1),
        cluster=ClusterConfig(nodes=1, partitions=PartitionSchedule(windows=(window,))),
    )
    Cluster(node=node, invariants=[look]).run(config)
    assert seen == expected
