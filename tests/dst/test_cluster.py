"""Clusters: nodes that crash, restart, pause, disagree about the time, and send messages."""

import asyncio
import json
from typing import Any

import pytest

from faultlab.dst import (
    Cluster,
    Context,
    FaultRule,
    LatencyProfile,
    Portfolio,
    Simulation,
    SimulationConfig,
    SimulationError,
)
from faultlab.dst.cluster import ClusterConfig, NodePause, PartitionSchedule
from faultlab.dst.faults import CrashPolicy
from faultlab.dst.minimize import STRUCTURE
from faultlab.dst.simulation import SimulationTrial
from faultlab.kernel import Fifo, Tape, virtual_world
from tests.dst import cluster_stories as stories
from tests.dst import source_blocks as page
from tests.dst.cluster_stories import STORIES, Story
from tests.dst.clusters import ran, struck, window

NAMES = [story.name for story in STORIES]

# -- broken and repaired twins -----------------------------------------------------------


@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_a_broken_twin_is_found_and_made_as_small_as_it_gets(story: Story) -> None:
    report = story.broken.run(story.config(seeds=range(256)))
    assert report.exit_code == 1
    assert report.finding is not None
    assert report.finding.minimality == "proven 1-minimal"
    assert len(report.finding.decisions) == 1, report.format()
    assert len(report.finding.calls) <= 2
    history = report.finding.history
    happened = history.of("fault", "pause")
    assert happened, "the fault really struck in the smallest run"


@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_a_repaired_twin_never_breaks(story: Story) -> None:
    report = story.repaired.run(story.config(seeds=range(300)))
    assert report.exit_code == 0, report.format()
    assert report.exercised[story.fault] > 100, "the same fault struck the repaired twin"


def test_no_deadline_helps_against_a_pause_but_a_fence_at_the_resource_does() -> None:
    """The usual search pauses tasks, and a leader can't see that its time is over."""
    config = stories.leaders(seeds=range(256), search=Portfolio())
    report = stories.SPLIT_BRAIN.repaired.run(config)
    assert report.finding is not None
    assert report.finding.message.startswith("two are inside")
    config = stories.leaders(seeds=range(256), search=Portfolio())
    assert stories.STALE_LEADER.repaired.run(config).finding is None
    assert stories.STALE_LEADER.broken.run(stories.paused()).finding is not None


# -- crash and restart -------------------------------------------------------------------


def steps_of(*, times: int = 1, op: str = "put", **more: Any) -> tuple[Cluster, dict[str, Any]]:
    """One node that works at a queue, and recovers at a journal; it may crash anywhere."""

    async def node(node_id: int, ctx: Context) -> None:
        ctx.record("works", node=node_id)
        await ctx.port("queue_command", "q").put("work")

    async def recover(ctx: Context) -> None:
        ctx.record("recovers", node=ctx.node_id)
        await ctx.port("queue_command", "q").put("recovery")

    crash = CrashPolicy(surface="queue_command", op=op, probability=1.0, times=times, **more)
    befalls = {"crash": crash, "cluster": ClusterConfig(nodes=1, restart_s=2.0)}
    return Cluster(node=node, recover=recover), befalls


def told(attempt: Any) -> list[str]:
    return [e.kind for e in attempt.run.history.of("start", "crash", "works", "recovers")]


def test_a_crashed_node_recovers_first_and_then_works_again() -> None:
    cluster, befalls = steps_of(when="before")
    attempt = ran(cluster, **befalls)
    assert told(attempt) == ["start", "works", "crash", "start", "recovers", "works"]
    crashed, restarted = (attempt.run.history.of(kind)[-1] for kind in ("crash", "start"))
    assert restarted.time_s - crashed.time_s == 2.0
    assert restarted.fields == {"process": "node 0", "incarnation": 2}
    assert len(attempt.run.history.of("put")) == 2, "what was before the call never happened"


def test_a_crash_after_a_call_leaves_its_effect() -> None:
    cluster, befalls = steps_of(when="after")
    attempt = ran(cluster, **befalls)
    assert len(attempt.run.history.of("put")) == 3
    assert len(attempt.run.history.of("return")) == 2, "and nobody learned of one"


def test_a_node_may_crash_while_it_recovers() -> None:
    cluster, befalls = steps_of(when="before", times=2)
    attempt = ran(cluster, **befalls)
    assert told(attempt) == [
        *("start", "works", "crash"),
        *("start", "recovers", "crash"),
        *("start", "recovers", "works"),
    ]


def test_by_default_the_boundary_of_a_crash_is_one_pick() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        for number in range(3):
            await ctx.port("queue_command", "q").put(number)

    cluster = Cluster(node=node)
    config = SimulationConfig(
        crash=CrashPolicy(surface="queue_command"), cluster=ClusterConfig(nodes=2)
    )
    where: set[tuple[str, int]] = set()
    quiet = 0
    with virtual_world():
        trial = cluster.trial(config)
        trial = trial.prepared(0)
        trial = trial.looked_at(trial.attempt(choices=trial.base))
        for seed in range(120):
            history = trial.attempt(seed=seed, strategy=Fifo()).run.history
            quiet += not history.of("crash")
            for fault in history.of("fault"):
                where.add((fault.fields["when"], fault.fields["call"]))
    assert len({call for _, call in where}) >= 6, "each call of each node"
    assert {when for when, _ in where} == {"before", "after"}
    assert quiet > 0, "and no crash is one of the answers"


def test_what_a_frame_does_when_it_is_closed_after_a_crash_is_no_error_of_the_run() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        try:
            await ctx.port("queue_command", "q").put("work")
        except BaseException as error:
            raise RuntimeError("cleaned up") from error

    crash = CrashPolicy(surface="queue_command", when="before")
    config = SimulationConfig(crash=crash, cluster=ClusterConfig(nodes=1), seeds=range(32))
    report = Cluster(node=node).run(config)
    assert report.exit_code == 0, report.format()
    assert report.exercised[crash.label]


def test_an_error_of_a_node_is_a_violation() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        if node_id == 2:
            raise ZeroDivisionError("a bug")

    report = Cluster(node=node).run(SimulationConfig(cluster=ClusterConfig(nodes=3)))
    assert report.finding is not None
    assert report.finding.message == "ZeroDivisionError: a bug"
    assert report.finding.calls == ("node 2",), "it keeps its number without the others"


# -- pauses and clocks -------------------------------------------------------------------


async def ticks(node_id: int, ctx: Context) -> None:
    """One tick each half second, and a timer that is set at the start."""
    loop = asyncio.get_running_loop()
    loop.call_later(1.25, lambda: ctx.record("timer", node=node_id))
    for _ in range(6):
        await asyncio.sleep(0.5)
        ctx.record("tick", node=node_id)


def times_of(attempt: Any, kind: str, node: int) -> list[float]:
    return [e.time_s for e in attempt.run.history.of(kind) if e.fields["node"] == node]


def pause_whole(seed: int = 0, **more: Any) -> Any:
    """A run in which the pause is as long as it was given."""
    pauses = [NodePause(node=0, start=0.75, end=1.75)]
    cluster = ClusterConfig(nodes=2, pauses=pauses)
    for found in range(seed, seed + 64):
        attempt = ran(Cluster(node=ticks), seed=found, cluster=cluster)
        for event in attempt.run.history.of("pause"):
            if event.fields["delay_s"] == 1.0:
                return attempt
    raise LookupError("no seed has the whole pause; look at EIGHTHS")


def test_a_paused_node_is_slow_and_its_timers_go_on() -> None:
    attempt = pause_whole()
    assert times_of(attempt, "tick", 1) == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    # The sleep until 1.0 is over in the pause, and what it wakes waits: the next begin late.
    assert times_of(attempt, "tick", 0) == [0.5, 1.75, 2.25, 2.75, 3.25, 3.75]
    assert times_of(attempt, "timer", 0) == [1.75]
    assert not attempt.run.history.of("crash"), "slow, not dead"


def test_a_given_skew_is_the_nodes_own() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        ctx.record("clock", node=node_id, shows_s=ctx.now_s())

    skewed = ClusterConfig(nodes=3, skew_s={1: 0.5, 2: -0.25})
    attempt = ran(Cluster(node=node), cluster=skewed)
    shown = {e.fields["node"]: e.fields["shows_s"] for e in attempt.run.history.of("clock")}
    assert shown == {0: 0.0, 1: 0.5, 2: -0.25}


def test_skews_are_drawn_by_picks() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        ctx.record("clock", node=node_id, shows_s=ctx.now_s())

    cluster = ClusterConfig(nodes=2, skew_max_s=1.0)
    shown = set()
    for seed in range(60):
        attempt = ran(Cluster(node=node), seed=seed, cluster=cluster)
        shown |= {e.fields["shows_s"] for e in attempt.run.history.of("clock")}
    assert shown == {0.0, 0.25, 0.5, 0.75, 1.0, -0.25, -0.5, -0.75, -1.0}


def test_a_skew_that_matters_is_one_decision() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        ctx.record("clock", node=node_id, shows_s=ctx.now_s())

    def agree(history: Any) -> str | None:
        shown = [event.fields["shows_s"] for event in history.of("clock")]
        return "the clocks are apart" if max(shown) - min(shown) >= 0.5 else None

    cluster = ClusterConfig(nodes=3, skew_max_s=1.0)
    report = Cluster(node=node, invariants=[agree]).run(SimulationConfig(cluster=cluster))
    assert report.finding is not None
    assert [decision.words for decision in report.finding.decisions] in (
        [f"the clock of node {node} is {skew:+g} s off"]
        for node in range(3)
        for skew in (0.5, -0.5)
    )
    assert len(report.finding.calls) == 2
    assert report.finding.minimality == "proven 1-minimal"


# -- messages ----------------------------------------------------------------------------


async def speaks_or_listens(node_id: int, ctx: Context) -> None:
    """Node 0 sends ten messages at once; node 1 takes what comes in 20 s."""
    if node_id == 0:
        for number in range(10):
            ctx.send(1, number)
        await asyncio.sleep(20.0)
        return
    try:
        async with asyncio.timeout(20.0):
            while True:
                await ctx.receive()
    except TimeoutError:
        return


def received(attempt: Any) -> list[Any]:
    return [event.fields["message"] for event in attempt.run.history.of("received")]


def sent(seed: int = 0, **befalls: Any) -> Any:
    """A run of `speaks_or_listens`."""
    cluster = Cluster(node=speaks_or_listens)
    return ran(cluster, seed=seed, cluster=ClusterConfig(nodes=2), **befalls)


def message_rule(kind: Any, **more: Any) -> dict[str, Any]:
    return {"faults": [FaultRule(kind=kind, surface="message", at_call=4, **more)]}


def test_messages_arrive_in_order_where_nothing_befalls_them() -> None:
    assert received(sent()) == list(range(10))


def test_a_message_may_be_late() -> None:
    attempt = sent(**message_rule("delay", delay_s=3.0))
    assert struck(attempt, "delay")
    assert received(attempt) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 3]
    assert attempt.run.history.of("received")[-1].time_s == 3.0


def test_a_message_may_be_lost_and_the_sender_does_not_know() -> None:
    attempt = sent(**message_rule("drop"))
    assert struck(attempt, "drop")
    assert received(attempt) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert len(attempt.run.history.of("return")) == 10


def test_a_message_may_come_twice() -> None:
    attempt = sent(**message_rule("duplicate"))
    assert struck(attempt, "duplicate")
    assert received(attempt) == [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9]


def test_messages_overtake_each_other_as_latency_will_have_it() -> None:
    orders = {
        tuple(received(sent(seed=seed, latency=LatencyProfile.exponential(0.01))))
        for seed in range(10)
    }
    assert len(orders) == 10
    assert all(sorted(order) == list(range(10)) for order in orders)


def test_a_message_is_lost_with_the_mailbox_of_a_crashed_node() -> None:
    """Node 1 crashes with a message unread; what is sent after its restart arrives."""

    async def node(node_id: int, ctx: Context) -> None:
        if node_id == 0:
            await asyncio.sleep(0.5)
            ctx.send(1, "before the crash")
            await asyncio.sleep(4.5)
            ctx.send(1, "after the restart")
            return
        if ctx.now_s() < 1.0:
            await asyncio.sleep(1.0)
            await ctx.port("queue_command", "q").put("crashes here")
        await ctx.receive()

    crash = CrashPolicy(surface="queue_command", probability=1.0)
    attempt = ran(Cluster(node=node), crash=crash, cluster=ClusterConfig(nodes=2, restart_s=2.0))
    delivered = [e for e in attempt.run.history.of("happened") if e.process == "node 0"]
    assert len(delivered) == 2, "both came to the mailbox"
    assert attempt.run.history.of("crash")
    assert received(attempt) == ["after the restart"]


def test_the_same_node_reads_both_without_a_crash() -> None:
    async def node(node_id: int, ctx: Context) -> None:
        if node_id == 0:
            ctx.send(1, "first")
            await asyncio.sleep(1.0)
            ctx.send(1, "second")
            return
        await ctx.receive()
        await ctx.receive()

    attempt = ran(Cluster(node=node), cluster=ClusterConfig(nodes=2))
    assert received(attempt) == ["first", "second"]


def test_messages_need_a_cluster() -> None:
    async def operation(ctx: Context) -> None:
        ctx.send(1, "hello")

    report = Simulation([operation], calls=1).run(SimulationConfig(seeds=range(1)))
    assert report.finding is not None
    assert "nodes of a Cluster" in report.finding.message


# -- what never struck -------------------------------------------------------------------


async def one_put(node_id: int, ctx: Context) -> None:
    await ctx.port("queue_command", "q").put(node_id)


@pytest.mark.parametrize(
    ("befalls", "label"),
    [
        (
            {
                "cluster": ClusterConfig(
                    nodes=2, partitions=PartitionSchedule(windows=(window(50.0, 60.0, 1),))
                )
            },
            "partition of node 1, 50 s to 60 s",
        ),
        (
            {
                "cluster": ClusterConfig(
                    nodes=2,
                    partitions=PartitionSchedule(
                        windows=(window(0.0, 60.0, 1),), surfaces=frozenset({"lock"})
                    ),
                )
            },
            "partition of node 1, 0 s to 60 s",
        ),
        (
            {"cluster": ClusterConfig(nodes=2, partitions=PartitionSchedule(drawn=1, within_s=50))},
            "",
        ),
        (
            {"cluster": ClusterConfig(nodes=2, pauses=[NodePause(node=1, start=50.0, end=60.0)])},
            "pause of node 1, 50 s to 60 s",
        ),
        (
            {"crash": CrashPolicy(surface="lock"), "cluster": ClusterConfig(nodes=2)},
            "crash at lock/*/*",
        ),
    ],
    ids=["window", "window of other surfaces", "drawn windows", "pause", "crash"],
)
def test_what_met_nothing_makes_the_sweep_unexercised(befalls: Any, label: str) -> None:
    report = Cluster(node=one_put).run(SimulationConfig(seeds=range(4), **befalls))
    assert (report.verdict, report.exit_code) == ("unexercised", 3)
    assert report.unexercised == (label or "drawn partitions",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ClusterConfig(nodes=0), "0 nodes"),
        (lambda: NodePause(node=0, start=1.0, end=1.0), "has to end after it starts"),
        (
            lambda: ClusterConfig(nodes=2, pauses=[NodePause(node=2, start=0.0, end=1.0)]),
            "names node 2, but there are 2",
        ),
        (lambda: ClusterConfig(nodes=2, skew_s={5: 1.0}), "skew_s names node 5"),
        (lambda: ClusterConfig(restart_s=-1.0), "finite seconds from 0"),
        (lambda: ClusterConfig(skew_max_s=float("nan")), "finite seconds from 0"),
        (lambda: ClusterConfig(nodes=2, skew_s={0: float("nan")}), "finite"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(wrong: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("befalls", "message"),
    [
        ({"crash": CrashPolicy(surface="queue_comand")}, "queue_command"),
        ({"crash": CrashPolicy(surface="queue_command", op="putt")}, "put"),
        ({"faults": [FaultRule(kind="error", surface="lok")]}, "lock"),
        ({"latency": {"queue": LatencyProfile.constant(0.1)}}, "queue"),
    ],
)
def test_unknown_names_are_named_before_the_first_seed(befalls: Any, message: str) -> None:
    swept: list[Any] = []
    with pytest.raises(SimulationError, match=message):
        Cluster(node=one_put).run(SimulationConfig(progress=swept.append, **befalls))
    assert not swept


def test_a_simulation_has_no_nodes() -> None:
    async def operation(ctx: Context) -> None: ...

    with pytest.raises(SimulationError, match="run a Cluster"):
        Simulation([operation]).run(SimulationConfig(cluster=ClusterConfig(nodes=2)))


def test_a_node_is_an_async_function() -> None:
    with pytest.raises(SimulationError, match="async def node"):
        Cluster(node=lambda node_id, ctx: None)  # type: ignore[arg-type,return-value]


# -- minimizing, sending, reproducing ----------------------------------------------------


def test_nodes_are_dropped_before_windows_before_the_rest() -> None:
    assert STRUCTURE[:3] == ("node", "window", "node pause")


def test_of_many_nodes_and_windows_the_few_that_matter_are_left() -> None:
    windows = tuple(window(0.25 * n, 0.25 * n + 4.0, n % 4) for n in range(8))
    schedule = PartitionSchedule(windows=windows, surfaces=frozenset({"lock"}))
    config = SimulationConfig(cluster=ClusterConfig(nodes=5, partitions=schedule), seeds=range(256))
    report = stories.SPLIT_BRAIN.broken.run(config)
    finding = report.finding
    assert finding is not None
    assert finding.minimality == "proven 1-minimal"
    assert len(finding.calls) == 2
    structure = [key for key in finding.tape if key[0] in STRUCTURE]
    assert len([key for key in structure if key[0] == "window"]) <= 1
    trial = stories.SPLIT_BRAIN.broken.trial(config)
    assert_one_minimal(trial, finding.tape, finding.rule)


def assert_one_minimal(trial: SimulationTrial, tape: Tape, rule: Any) -> None:
    """Without any one of its decisions the rule holds; judged here, not by the minimizer."""
    with virtual_world():
        first = trial.attempt(choices=tape)
        assert first.broken is not None
        assert first.broken.rule == rule
        for key in tape:
            without = trial.attempt(choices=tape.without(key))
            assert without.broken is None or without.broken.rule != rule, key


def test_on_two_processes_the_report_is_the_same() -> None:
    here, there = (page.cluster.run(stories.fired(seeds=range(8), jobs=jobs)) for jobs in (1, 2))
    assert here.finding is not None
    assert there.to_json() == here.to_json()


def test_a_report_is_the_same_twice_to_the_byte() -> None:
    story = stories.FIRE_AND_FORGET
    one, other = (
        json.dumps(story.broken.run(story.config(seeds=range(32))).to_json()) for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize("story", STORIES, ids=NAMES)
def test_a_token_makes_the_run_again(story: Story) -> None:
    report = story.broken.run(story.config())
    assert report.finding is not None
    again = story.broken.run(SimulationConfig.reproduce(report.finding.token))
    assert again.finding is not None
    assert again.finding.history.digest() == report.finding.history.digest()
    assert again.finding.message == report.finding.message
