"""Partitions: which calls do not get through, when, and how surely."""

import asyncio
from typing import Any

import pytest

from faultlab.dst import (
    Cluster,
    Context,
    LatencyProfile,
    Progress,
    SimulationConfig,
    SimulationError,
)
from faultlab.dst.attempt import Attempt
from faultlab.dst.cluster import ClusterConfig, PartitionSchedule
from faultlab.mock import MockDepsModule, MockState
from tests.dst.clusters import answered, calls_at, cut_off, ran, struck, window

TIMES = (0.25, 0.5, 0.75, 1.0, 1.25)


def test_a_window_is_half_open_to_the_instant() -> None:
    attempt = ran(Cluster(node=calls_at(*TIMES)), cluster=cut_off(window(0.5, 1.0, 0)))
    assert answered(attempt) == {0.25: True, 0.5: False, 0.75: False, 1.0: True, 1.25: True}
    assert len(struck(attempt)) == 2


def test_a_window_stands_at_its_own_time_whatever_set_up_takes() -> None:
    async def setup(ctx: Context) -> None:
        await asyncio.sleep(0.5)

    cluster = Cluster(node=calls_at(0.0, 0.25, 0.5), setup=setup)
    attempt = ran(cluster, cluster=cut_off(window(0.25, 1.0, 0)))
    assert answered(attempt) == {0.0: False, 0.25: False, 0.5: True}
    opened, healed = attempt.run.history.of("partition", "heal")
    assert (opened.time_s, healed.time_s) == (0.5, 1.0)


def test_a_caller_waits_in_vain_and_only_the_history_knows_why() -> None:
    schedule = cut_off(window(0.5, 1.0, 0), timeout_s=2.0)
    attempt = ran(Cluster(node=calls_at(0.5)), cluster=schedule)
    (ended,) = attempt.run.history.of("ended")
    assert ended.fields == {"at_s": 0.5, "ok": False, "took_s": 2.0}
    (raised,) = attempt.run.history.of("raise")
    assert raised.fields["error"] == "Unreachable"
    (fault,) = struck(attempt)
    assert fault.fields["leg"] == "request"
    assert not attempt.run.history.of("put"), "a request that is cut off has no effect"


def test_a_window_that_opens_in_flight_loses_the_reply() -> None:
    # The request arrives at 0.25 s, the reply at 0.5 s.
    for opens_s, ok in ((0.25 + 1e-9, False), (0.5 + 1e-9, True)):
        attempt = ran(
            Cluster(node=calls_at(0.0)),
            latency=LatencyProfile.constant(0.25),
            cluster=cut_off(window(opens_s, 1.0, 0)),
        )
        assert answered(attempt) == {0.0: ok}
        assert attempt.run.history.of("put"), "the request got through"

    slow = Cluster(node=waits_for_a_message, deps=lambda state: MockDepsModule(state=state))
    attempt = ran(slow, cluster=cut_off(window(0.5, 2.0, 0)))
    (fault,) = struck(attempt)
    assert fault.fields["leg"] == "reply"
    assert attempt.run.history.of("delivered"), "the effect happened"
    assert [event.fields["ok"] for event in attempt.run.history.of("got")] == [False]


async def waits_for_a_message(node_id: int, ctx: Context) -> None:
    """Node 0 asks before the window opens; the message comes when it is open."""
    if node_id == 1:
        await asyncio.sleep(1.0)
        await ctx.port("queue_command", "q").put("message")
        return
    try:
        await ctx.port("queue_query", "q").receive(wait_s=1.5)
    except TimeoutError:
        ctx.record("got", ok=False)
    else:
        ctx.record("got", ok=True)


def test_the_same_message_is_got_without_a_window() -> None:
    attempt = ran(Cluster(node=waits_for_a_message), cluster=ClusterConfig(nodes=2))
    assert [event.fields["ok"] for event in attempt.run.history.of("got")] == [True]


def lost_of(loss: float, *more: Any, seeds: int = 16, direction: Any = "both") -> float:
    """The part of 320 calls that was lost."""
    times = [0.5 + n / 64 for n in range(20)]
    lost = 0
    for seed in range(seeds):
        cluster = cut_off(window(0.0, 2.0, 0, loss=loss, direction=direction), *more)
        lost += len(struck(ran(Cluster(node=calls_at(*times)), seed=seed, cluster=cluster)))
    return lost / (20 * seeds)


def test_loss_is_the_probability_that_a_call_is_lost_one_way_or_the_other() -> None:
    assert 0.23 < lost_of(0.3) < 0.37
    assert 0.23 < lost_of(0.3, direction="out") < 0.37
    assert 0.23 < lost_of(0.3, direction="in") < 0.37
    assert lost_of(1.0, seeds=2) == 1.0


def test_of_overlapping_windows_the_largest_loss_counts() -> None:
    assert lost_of(0.01, window(0.0, 2.0, 0, loss=1.0), seeds=2) == 1.0
    assert lost_of(0.01, seeds=2) < 0.2


def test_windows_that_cut_the_same_call_have_all_struck_but_those_with_a_smaller_loss() -> None:
    one, same, smaller = (
        window(0.0, 2.0, 0),
        window(0.25, 2.0, 0),
        window(0.0, 2.0, 0, loss=0.5),
    )
    attempt = ran(Cluster(node=calls_at(0.5)), seed=3, cluster=cut_off(one, same, smaller))
    assert {one.label, same.label} <= attempt.exercised
    assert smaller.label not in attempt.exercised


def test_empty_surfaces_cut_everything_but_the_nodes_own_clock() -> None:
    schedule = cut_off(window(0.0, 1.0, 0))
    assert answered(ran(Cluster(node=calls_at(0.5)), cluster=schedule)) == {0.5: False}
    lock = ran(Cluster(node=calls_at(0.5, surface="lock")), cluster=schedule)
    assert answered(lock) == {0.5: False}
    clock = ran(Cluster(node=calls_at(0.5, surface="clock")), cluster=schedule)
    assert answered(clock) == {0.5: True}
    assert not struck(clock)


def test_named_surfaces_alone_are_cut() -> None:
    schedule = cut_off(window(0.0, 1.0, 0), surfaces=frozenset({"lock"}))
    assert answered(ran(Cluster(node=calls_at(0.5)), cluster=schedule)) == {0.5: True}
    lock = ran(Cluster(node=calls_at(0.5, surface="lock")), cluster=schedule)
    assert answered(lock) == {0.5: False}


def test_only_the_isolated_nodes_are_cut_off() -> None:
    schedule = cut_off(window(0.0, 1.0, 1))
    assert answered(ran(Cluster(node=calls_at(0.5)), cluster=schedule)) == {0.5: True}
    other = ran(Cluster(node=calls_at(0.5, by=[1])), cluster=schedule)
    assert answered(other) == {0.5: False}


@pytest.mark.parametrize(
    ("direction", "leg", "happened"), [("out", "request", False), ("in", "reply", True)]
)
def test_one_way_windows_cut_requests_or_replies(direction: str, leg: str, happened: bool) -> None:
    schedule = cut_off(window(0.0, 1.0, 0, direction=direction))
    attempt = ran(Cluster(node=calls_at(0.5)), cluster=schedule)
    assert answered(attempt) == {0.5: False}
    assert [event.fields["leg"] for event in struck(attempt)] == [leg]
    assert bool(attempt.run.history.of("put")) is happened


# -- messages between nodes --------------------------------------------------------------


async def all_to_all(node_id: int, ctx: Context) -> None:
    """Each node sends each other one message at 0.5 s, and takes what comes until 2 s."""
    await asyncio.sleep(0.5)
    for other in range(3):
        if other != node_id:
            ctx.send(other, "hello")
    try:
        async with asyncio.timeout(1.5):
            while True:
                await ctx.receive()
    except TimeoutError:
        return


def pairs(attempt: Attempt) -> set[tuple[int, int]]:
    """Who got a message of whom: (sender, receiver)."""
    return {
        (event.fields["sender"], int(event.process.removeprefix("node ")))
        for event in attempt.run.history.of("received")
    }


ALL = {(a, b) for a in range(3) for b in range(3) if a != b}


def test_without_a_window_every_message_arrives() -> None:
    assert pairs(ran(Cluster(node=all_to_all), cluster=ClusterConfig(nodes=3))) == ALL


def test_a_window_cuts_messages_between_its_group_and_the_others() -> None:
    attempt = ran(Cluster(node=all_to_all), cluster=cut_off(window(0.0, 1.0, 0), nodes=3))
    assert pairs(attempt) == {(1, 2), (2, 1)}
    assert len(struck(attempt)) == 4


def test_inside_of_a_group_messages_get_through() -> None:
    attempt = ran(Cluster(node=all_to_all), cluster=cut_off(window(0.0, 1.0, 0, 1), nodes=3))
    assert pairs(attempt) == {(0, 1), (1, 0)}


def test_a_one_way_window_cuts_messages_one_way() -> None:
    out = cut_off(window(0.0, 1.0, 0, direction="out"), nodes=3)
    assert pairs(ran(Cluster(node=all_to_all), cluster=out)) == ALL - {(0, 1), (0, 2)}
    into = cut_off(window(0.0, 1.0, 0, direction="in"), nodes=3)
    assert pairs(ran(Cluster(node=all_to_all), cluster=into)) == ALL - {(1, 0), (2, 0)}


def test_overlapping_windows_split_the_nodes_unevenly() -> None:
    out_of_0 = window(0.0, 1.0, 0, direction="out")
    into_1 = window(0.25, 1.0, 1, direction="in")
    attempt = ran(Cluster(node=all_to_all), cluster=cut_off(out_of_0, into_1, nodes=3))
    assert pairs(attempt) == ALL - {(0, 1), (0, 2), (2, 1)}
    assert attempt.exercised >= {out_of_0.label, into_1.label}, "both met something"


# -- drawn windows -----------------------------------------------------------------------


def test_windows_are_drawn_by_picks() -> None:
    drawn = PartitionSchedule(drawn=2, within_s=1.0, longest_s=1.0)
    cluster = ClusterConfig(nodes=3, partitions=drawn)
    node = calls_at(*[n / 8 for n in range(16)], by=range(3))
    groups: set[tuple[int, ...]] = set()
    starts: set[float] = set()
    hit = 0
    for seed in range(40):
        attempt = ran(Cluster(node=node), seed=seed, cluster=cluster)
        opened = attempt.run.history.of("partition")
        groups |= {tuple(event.fields["isolated"]) for event in opened}
        starts |= {event.time_s for event in opened}
        hit += bool(struck(attempt))
    assert groups == {(0,), (1,), (2,)}
    assert len(starts) > 20
    assert hit > 20


def test_a_drawn_window_is_told_in_words() -> None:
    cluster = Cluster(node=calls_at(0.0, by=range(2)), invariants=[everything_answered])
    drawn = PartitionSchedule(drawn=1, within_s=1.0, longest_s=1.0)
    report = cluster.run(SimulationConfig(cluster=ClusterConfig(nodes=2, partitions=drawn)))
    assert report.finding is not None
    words = [decision.words for decision in report.finding.decisions]
    assert words == ["drawn window 1: a partition of 0.125 s"]
    assert report.finding.minimality == "proven 1-minimal"


def everything_answered(history: Any) -> str | None:
    return "a call was lost" if any(not e.fields["ok"] for e in history.of("ended")) else None


# -- what makes no sense -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: window(1.0, 0.5, 0), "has to end after it starts"),
        (lambda: window(1.0, 1.0, 0), "has to end after it starts"),
        (lambda: window(-1.0, 1.0, 0), "has to end after it starts"),
        (lambda: window(0.0, float("inf"), 0), "has to end after it starts"),
        (lambda: window(0.0, float("nan"), 0), "has to end after it starts"),
        (lambda: window(0.0, 1.0), "isolates no node"),
        (lambda: window(0.0, 1.0, 0, loss=0.0), "loss of 0.0"),
        (lambda: window(0.0, 1.0, 0, loss=1.5), "loss of 1.5"),
        (lambda: window(0.0, 1.0, 0, loss=float("nan")), "loss of nan"),
        (lambda: window(0.0, 1.0, 0, direction="sideways"), "give 'both', 'out' or 'in'"),
        (lambda: PartitionSchedule(drawn=-1), "-1 drawn windows"),
        (lambda: PartitionSchedule(timeout_s=0.0), "timeout_s is 0.0"),
        (lambda: PartitionSchedule(within_s=-1.0), "within_s is -1.0"),
        (lambda: cut_off(window(0.0, 1.0, 2)), "names node 2, but there are 2: 0 to 1"),
        (lambda: cut_off(window(0.0, 1.0, -1)), "names node -1"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(wrong: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message.replace("'", ".")):
        wrong()


def test_an_unknown_surface_is_named_before_the_first_seed() -> None:
    swept: list[Progress] = []
    cluster = Cluster(node=calls_at(0.0))
    schedule = cut_off(window(0.0, 1.0, 0), surfaces=frozenset({"queue_comand"}))
    with pytest.raises(SimulationError, match=r"queue_comand.*Did you mean.*queue_command"):
        cluster.run(SimulationConfig(cluster=schedule, progress=swept.append))
    assert not swept


def test_messages_are_a_surface_of_clusters() -> None:
    schedule = cut_off(window(0.0, 1.0, 0), nodes=3, surfaces=frozenset({"message"}))
    report = Cluster(node=all_to_all).run(SimulationConfig(seeds=range(4), cluster=schedule))
    assert report.verdict == "clean"


def test_surfaces_of_your_own_state_are_known() -> None:
    class Payments:
        async def charge(self) -> str:
            return "charged"

    async def node(node_id: int, ctx: Context) -> None:
        await ctx.port("payments", "card").charge()

    cluster = Cluster(
        node=node, deps=lambda state: {("payments", "card"): Payments()}, state_factory=MockState
    )
    schedule = cut_off(window(0.0, 1.0, 0), surfaces=frozenset({"payments"}))
    report = cluster.run(SimulationConfig(seeds=range(4), cluster=schedule))
    assert report.exercised[window(0.0, 1.0, 0).label]
    wrong = cut_off(window(0.0, 1.0, 0), surfaces=frozenset({"queue_command"}))
    with pytest.raises(SimulationError, match="queue_command"):
        cluster.run(SimulationConfig(seeds=range(4), cluster=wrong))


def test_replies_are_lost_as_often_as_requests_that_got_there() -> None:
    legs: dict[str, int] = {"request": 0, "reply": 0}
    for seed in range(20):
        times = [0.5 + n / 64 for n in range(30)]
        schedule = cut_off(window(0.0, 2.0, 0, loss=0.3))
        attempt = ran(Cluster(node=calls_at(*times)), seed=seed, cluster=schedule)
        for event in struck(attempt):
            legs[event.fields["leg"]] += 1
    assert 0.7 < legs["reply"] / legs["request"] < 1.1
