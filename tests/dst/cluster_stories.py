"""Broken and repaired twins of public failures, as clusters: what each forgets, what mends it.

Each twin is a story with its config, so that tests and bench/bench_cluster.py run the same.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from faultlab.dst import (
    PCT,
    Cluster,
    Context,
    Simulation,
    SimulationConfig,
    mutual_exclusion,
    no_duplicate_effect,
)
from faultlab.dst.cluster import ClusterConfig, NodePause, Partition, PartitionSchedule
from faultlab.dst.faults import CrashPolicy, Unreachable
from faultlab.kernel import History
from faultlab.mock import Lease, LockError, RevisionConflict, StaleToken
from tests.dst import source_blocks as page

LEASE_S = 1.0
MARGIN_S = 0.25


@dataclass(frozen=True, kw_only=True)
class Story:
    """Twins: what befalls both, what the broken one breaks.

    Attributes:
        name: What goes wrong.
        broken: The twin that breaks the rule.
        repaired: The twin that must not.
        config: Makes the config for some seeds.
        fault: A label of what has to strike.
    """

    name: str
    broken: Simulation | Cluster
    repaired: Simulation | Cluster
    config: Callable[..., SimulationConfig]
    fault: str


# -- a leader that is not told that it lost its lease ------------------------------------


async def lead_until_told(node_id: int, ctx: Context) -> None:
    """Leads until a renewal is refused: a renewal that gets no answer changes nothing."""
    locks = ctx.port("lock", "leader")
    for _ in range(4):
        lease = await acquired(ctx)
        if lease is not None:
            ctx.record("entered", owner=node_id)
            for _ in range(4):
                await asyncio.sleep(0.5)
                try:
                    lease = await locks.renew(lease, lease_s=LEASE_S)
                except LockError:
                    break
                except Unreachable:
                    continue
            ctx.record("left", owner=node_id)
        await asyncio.sleep(0.5)


async def lead_until_deadline(node_id: int, ctx: Context) -> None:
    """Stops at the renewal deadline, by its own clock, whether or not anybody says so."""
    locks = ctx.port("lock", "leader")
    for _ in range(4):
        asked_s = ctx.now_s()
        lease = await acquired(ctx)
        deadline_s = asked_s + LEASE_S - MARGIN_S
        if lease is not None and ctx.now_s() < deadline_s:
            ctx.record("entered", owner=node_id)
            try:
                for _ in range(4):
                    await asyncio.sleep(0.375)
                    asked_s = ctx.now_s()
                    async with asyncio.timeout(deadline_s - asked_s):
                        lease = await locks.renew(lease, lease_s=LEASE_S)
                    deadline_s = asked_s + LEASE_S - MARGIN_S
            except (LockError, TimeoutError):
                ctx.reached("stopped leading")
            ctx.record("left", owner=node_id)
        await asyncio.sleep(0.5)


async def acquired(ctx: Context) -> Lease | None:
    """A lease of the leadership, or None if it is somebody else's or nobody answers."""
    try:
        lease: Lease | None = await ctx.port("lock", "leader").acquire(
            "leader", f"node {ctx.node_id}", lease_s=LEASE_S
        )
    except TimeoutError:
        return None
    return lease


def leaders(**settings: Any) -> SimulationConfig:
    """Two nodes; node 0 may be cut off from the lock service.

    The search pauses nobody: against a pause between look and act, no deadline helps.
    """
    windows = (Partition(start=0.25, end=8.0, isolated=frozenset({0})),)
    schedule = PartitionSchedule(windows=windows, surfaces=frozenset({"lock"}))
    cluster = ClusterConfig(nodes=2, partitions=schedule)
    return SimulationConfig(**{"cluster": cluster, "search": PCT(depth=3), **settings})


SPLIT_BRAIN = Story(
    name="two leaders",
    broken=Cluster(node=lead_until_told, invariants=[mutual_exclusion()]),
    repaired=Cluster(node=lead_until_deadline, invariants=[mutual_exclusion()]),
    config=leaders,
    fault="partition of node 0, 0.25 s to 8 s",
)

# -- a paused leader that writes with a lease that is over -------------------------------


async def write_as_leader(node_id: int, ctx: Context) -> None:
    """Looks at its lease, then writes: between the two a pause may be longer than the lease."""
    await write_with(ctx, fenced=False)


async def write_fenced(node_id: int, ctx: Context) -> None:
    """The resource refuses a token older than one that it has seen."""
    await write_with(ctx, fenced=True)


async def write_with(ctx: Context, *, fenced: bool) -> None:
    for _ in range(3):
        lease = await acquired(ctx)
        if lease is not None:
            try:
                await ctx.port("register", "leader").write(
                    ctx.node_id, lease.token if fenced else 10**6
                )
            except StaleToken:
                ctx.reached("fenced off")
            else:
                ctx.record("accepted", token=lease.token)
        await asyncio.sleep(0.75)


def tokens_only_grow(history: History) -> str | None:
    """A write of an earlier leader never follows one of a later leader at the resource."""
    token_of = {
        event.fields["call"]: event.fields["known"]["token"]
        for event in history.of("return")
        if isinstance(event.fields["known"], dict) and "token" in event.fields["known"]
    }
    latest: dict[str, int] = {}
    newest = 0
    for event in history.of("return", "written"):
        if event.kind == "return":
            if event.fields["call"] in token_of:
                latest[event.process] = token_of[event.fields["call"]]
            continue
        token = latest[event.process]
        if token < newest:
            return f"a write under lease {token} came after one under lease {newest}"
        newest = token
    return None


def paused(**settings: Any) -> SimulationConfig:
    """Two nodes; node 0 stands still for two seconds."""
    pauses = [NodePause(node=0, start=0.0125, end=2.0125)]
    return SimulationConfig(**{"cluster": ClusterConfig(nodes=2, pauses=pauses), **settings})


STALE_LEADER = Story(
    name="stale leader writes",
    broken=Cluster(node=write_as_leader, invariants=[tokens_only_grow]),
    repaired=Cluster(node=write_fenced, invariants=[tokens_only_grow]),
    config=paused,
    fault="pause of node 0, 0.0125 s to 2.0125 s",
)

# -- a debit that is sent again ----------------------------------------------------------


async def debit_with_new_keys(node_id: int, ctx: Context) -> None:
    """Each attempt has a key of its own, so the receiver can't tell them apart."""
    await debit(ctx, lambda attempt: f"node-{node_id}-attempt-{attempt}")


async def debit_with_one_key(node_id: int, ctx: Context) -> None:
    """The operation's own key, whoever sends it and however often."""
    await debit(ctx, lambda attempt: f"node-{node_id}")


async def debit(ctx: Context, key_of: Callable[[int], str]) -> None:
    intent = f"order-{ctx.node_id}"
    for attempt in range(3):
        try:
            await ctx.port("receiver", "payments").debit(
                key=key_of(attempt), fingerprint=("tenant-a", intent, 1200)
            )
        except TimeoutError:
            continue
        return


def charged_once(history: History) -> str | None:
    counts: dict[str, int] = {}
    for event in history.of("applied"):
        node = event.process
        counts[node] = counts.get(node, 0) + 1
    twice = [node for node, count in sorted(counts.items()) if count > 1]
    return f"the order of {twice[0]} was debited {counts[twice[0]]} times" if twice else None


def replies_cut(**settings: Any) -> SimulationConfig:
    """Three nodes; to node 1 no reply gets through for a while."""
    windows = (Partition(start=0.0, end=4.0, isolated=frozenset({1}), direction="in"),)
    schedule = PartitionSchedule(windows=windows, surfaces=frozenset({"receiver"}))
    return SimulationConfig(**{"cluster": ClusterConfig(nodes=3, partitions=schedule), **settings})


DUPLICATE_EFFECT = Story(
    name="duplicate effect",
    broken=Cluster(node=debit_with_new_keys, invariants=[charged_once]),
    repaired=Cluster(node=debit_with_one_key, invariants=[charged_once, no_duplicate_effect()]),
    config=replies_cut,
    fault="partition of node 1, 0 s to 4 s, only in",
)

# -- fire and forget, and a charge without its order: the page's own ---------------------


def fired(**settings: Any) -> SimulationConfig:
    return SimulationConfig(**{"cluster": page.cluster_config.cluster, **settings})


FIRE_AND_FORGET = Story(
    name="fire and forget",
    broken=page.cluster,
    repaired=page.cluster_with_outbox,
    config=fired,
    fault="partition of node 1, 0.5 s to 1.5 s",
)


def charge_crashes(**settings: Any) -> SimulationConfig:
    return SimulationConfig(**{"crash": page.crash_config.crash, **settings})


ORPHAN_CHARGE = Story(
    name="orphan charge",
    broken=page.simulation,
    repaired=page.simulation_in_transaction,
    config=charge_crashes,
    fault="crash at document_command/orders/update",
)

# -- an outbox whose entry is deleted before the message is confirmed --------------------


async def delete_then_publish(node_id: int, ctx: Context) -> None:
    """At most once: a crash between the two loses the event, and nothing redrives it."""
    outbox = ctx.port("outbox", f"node-{node_id}")
    await decide(node_id, ctx)
    for entry in await outbox.pending():
        await outbox.delete(entry.id)
        await ctx.port("queue_command", "events").put(entry.message)


async def publish_then_delete(node_id: int, ctx: Context) -> None:
    """At least once: what is not confirmed is still there after the restart."""
    outbox = ctx.port("outbox", f"node-{node_id}")
    await decide(node_id, ctx)
    for entry in await outbox.pending():
        await ctx.port("queue_command", "events").put(entry.message)
        await outbox.delete(entry.id)


async def decide(node_id: int, ctx: Context) -> None:
    """One event for each node, decided once: a document remembers that it was."""
    orders = ctx.port("document_command", "orders")
    if await orders.get(f"order-{node_id}") is None:
        async with orders.transaction() as tx:
            await orders.insert(f"order-{node_id}", {}, tx=tx)
            await ctx.port("outbox", f"node-{node_id}").add({"event": str(node_id)}, tx=tx)


async def look_at_decided(ctx: Context) -> None:
    for document in await ctx.port("document_query", "orders").find():
        ctx.record("decided", event=document.id.removeprefix("order-"))
    await page.look_at_events(ctx)


def outbox_crashes(**settings: Any) -> SimulationConfig:
    """Two nodes; one may crash at any call of its outbox or the queue."""
    policy = CrashPolicy(surface="queue_command", route="events", op="put")
    return SimulationConfig(**{"cluster": ClusterConfig(nodes=2), "crash": policy, **settings})


DELETED_FIRST = Story(
    name="deleted before confirmed",
    broken=Cluster(
        node=delete_then_publish, observe=look_at_decided, invariants=[page.nothing_lost]
    ),
    repaired=Cluster(
        node=publish_then_delete, observe=look_at_decided, invariants=[page.nothing_lost]
    ),
    config=outbox_crashes,
    fault="crash at queue_command/events/put",
)

# -- a claim that its crashed owner keeps ------------------------------------------------


async def claim_forever(node_id: int, ctx: Context) -> None:
    """A claim without an end: if its owner crashes before the result, nobody goes on."""
    jobs = ctx.port("document_command", "jobs")
    for _ in range(6):
        job = await jobs.get("job")
        if job.body["state"] == "open":
            try:
                await jobs.update("job", {"state": "claimed"}, revision=job.revision)
            except RevisionConflict:
                continue
            await do_the_job(ctx)
        await asyncio.sleep(1.0)


async def claim_for_a_while(node_id: int, ctx: Context) -> None:
    """A claim that ends, and a key by which the next owner finds what the last one did."""
    jobs, locks = ctx.port("document_command", "jobs"), ctx.port("lock", "jobs")
    for _ in range(6):
        lease = await locks.acquire("job", f"node {node_id}", lease_s=2.0)
        if lease is not None and (await jobs.get("job")).body["state"] != "done":
            await do_the_job(ctx)
        await asyncio.sleep(1.0)


async def do_the_job(ctx: Context) -> None:
    """The effect under the job's own key, then the record of it."""
    await ctx.port("receiver", "payments").debit(key="job", fingerprint=("tenant-a", "job", 1200))
    await ctx.port("document_command", "jobs").update("job", {"state": "done"}, revision=None)


async def open_job(ctx: Context) -> None:
    await ctx.port("document_command", "jobs").insert("job", {"state": "open"})


async def look_at_job(ctx: Context) -> Any:
    job = await ctx.port("document_query", "jobs").get("job")
    return job.body["state"]


def job_done(history: History) -> str | None:
    states = [event.fields["value"] for event in history.of("observed")]
    return f"the job is still {states[0]}" if states and states[0] != "done" else None


def job_crashes(**settings: Any) -> SimulationConfig:
    """Two nodes; one may crash at the debit, between claim and record, and stays away."""
    policy = CrashPolicy(surface="receiver", route="payments", op="debit")
    return SimulationConfig(
        **{"cluster": ClusterConfig(nodes=2, restart_s=0.5), "crash": policy, **settings}
    )


STUCK_CLAIM = Story(
    name="stuck claim",
    broken=Cluster(node=claim_forever, setup=open_job, observe=look_at_job, invariants=[job_done]),
    repaired=Cluster(
        node=claim_for_a_while,
        setup=open_job,
        observe=look_at_job,
        invariants=[job_done, no_duplicate_effect()],
    ),
    config=job_crashes,
    fault="crash at receiver/payments/debit",
)

STORIES = (
    SPLIT_BRAIN,
    STALE_LEADER,
    DUPLICATE_EFFECT,
    FIRE_AND_FORGET,
    DELETED_FIRST,
    STUCK_CLAIM,
    ORPHAN_CHARGE,
)
