"""A window with a loss of 0.3 loses three calls in ten, whichever legs it is in the way of."""

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

CALLS = 200


async def node(node_id: int, ctx: Context) -> None:
    for number in range(CALLS):
        try:
            await ctx.port("queue_command", "events").put(number)
        except Unreachable:
            ctx.record("gave up")


@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_the_loss_is_that_of_a_call(direction: Direction) -> None:
    lost, took_effect = [], []

    def look(history: History) -> None:
        if gave_up := history.of("gave up"):  # the uneventful first looks lose nothing
            lost.append(len(gave_up))
            took_effect.append(len(history.of("put")))

    window = Partition(start=0, end=1e6, isolated=frozenset({0}), loss=0.3, direction=direction)
    config = SimulationConfig(
        seeds=range(10),
        search=Fifo(),
        latency=LatencyProfile.constant(0.005),
        cluster=ClusterConfig(nodes=1, partitions=PartitionSchedule(windows=(window,))),
    )
    Cluster(node=node, invariants=[look]).run(config)
    runs = len(lost)
    assert runs >= 10
    assert 0.26 < sum(lost) / (runs * CALLS) < 0.34
    applied = sum(took_effect) / (runs * CALLS)
    expected = {"out": 0.7, "both": 0.84, "in": 1.0}[direction]
    assert expected - 0.04 < applied < expected + 0.04
