"""The two code blocks of the page on crashes and partitions, with their gaps filled.

Each has a broken and a repaired twin: a charge beside its order or in one transaction with it,
and events that are fired and forgotten or kept in an outbox until they are confirmed.
"""

import asyncio

from faultlab.dst import Call, Cluster, Context, Simulation, SimulationConfig
from faultlab.dst.cluster import ClusterConfig, Partition, PartitionSchedule
from faultlab.dst.faults import CrashPolicy
from faultlab.kernel import History
from faultlab.mock import MockDepsModule, OutboxEntry, relay
from faultlab.mock.state import MockState

EVENTS = 4

# -- crash and restart -------------------------------------------------------------------


async def open_order(ctx: Context) -> None:
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx: Context, order: str) -> None:
    """A charge, then the follow-up write: each is committed by itself."""
    await ctx.port("document_command", "charges").insert(f"charge-{order}", {"order": order})
    await ctx.port("document_command", "orders").update(order, {"paid": True})


async def pay_in_transaction(ctx: Context, order: str) -> None:
    """The same two writes, committed together."""
    orders = ctx.port("document_command", "orders")
    async with orders.transaction() as tx:
        charges = ctx.port("document_command", "charges")
        await charges.insert(f"charge-{order}", {"order": order}, tx=tx)
        await orders.update(order, {"paid": True}, tx=tx)


async def look_at_orders(ctx: Context) -> None:
    charges = await ctx.port("document_query", "charges").find()
    order = await ctx.port("document_query", "orders").get("order-42")
    ctx.record("found", charges=len(charges), paid=order.body["paid"])


def no_orphan_charge(history: History) -> str | None:
    for event in history.of("found"):
        if event.fields["charges"] and not event.fields["paid"]:
            return "order-42 is charged and not paid"
    return None


simulation = Simulation(
    setup=open_order,
    observe=look_at_orders,
    calls=[Call(pay, order="order-42")],
    invariants=[no_orphan_charge],
)
simulation_in_transaction = Simulation(
    setup=open_order,
    observe=look_at_orders,
    calls=[Call(pay_in_transaction, order="order-42")],
    invariants=[no_orphan_charge],
)
crash_config = SimulationConfig(
    seeds=range(64),
    crash=CrashPolicy(surface="document_command", route="orders", op="update"),
)

# -- across n nodes ----------------------------------------------------------------------


async def node(node_id: int, ctx: Context) -> None:
    """Fire and forget: what could not be put is not put again."""
    for number in range(EVENTS):
        event = f"{node_id}-{number}"
        ctx.record("decided", event=event)
        try:
            await ctx.port("queue_command", "events").put({"event": event})
        except TimeoutError:
            ctx.reached("forgotten")
        await asyncio.sleep(0.25)


async def node_with_outbox(node_id: int, ctx: Context) -> None:
    """An event stays in the outbox until the queue has confirmed it."""
    outbox = ctx.port("outbox", f"node-{node_id}")
    queue = ctx.port("queue_command", "events")

    async def publish(entry: OutboxEntry) -> None:
        await queue.put(entry.message)

    for number in range(EVENTS):
        event = f"{node_id}-{number}"
        ctx.record("decided", event=event)
        await outbox.add({"event": event})
        await relay(outbox, publish)
        await asyncio.sleep(0.25)
    await relay(outbox, publish, passes=3)


async def look_at_events(ctx: Context) -> None:
    queue = ctx.port("queue_query", "events")
    events = set()
    while (delivery := await queue.receive()) is not None:
        events.add(delivery.message["event"])
    ctx.record("arrived", events=sorted(events))


def nothing_lost(history: History) -> str | None:
    decided = {event.fields["event"] for event in history.of("decided")}
    for event in history.of("arrived"):
        lost = sorted(decided - set(event.fields["events"]))
        if lost:
            return f"lost: {', '.join(lost)}"
    return None


cluster = Cluster(
    deps=lambda state: MockDepsModule(state=state),
    node=node,
    state_factory=MockState,
    observe=look_at_events,
    invariants=[nothing_lost],
)
cluster_with_outbox = Cluster(
    deps=lambda state: MockDepsModule(state=state),
    node=node_with_outbox,
    state_factory=MockState,
    observe=look_at_events,
    invariants=[nothing_lost],
)
cluster_config = SimulationConfig(
    seeds=range(32),
    cluster=ClusterConfig(
        nodes=3,
        partitions=PartitionSchedule(
            windows=(Partition(start=0.5, end=1.5, isolated=frozenset({1})),),
            surfaces=frozenset({"queue_command"}),
        ),
    ),
)
