"""Simulations at the top level of a module, for workers, tokens and commands.

Two payments race: each reads the order, finds it unpaid, and charges.
"""

from faultlab.dst import Context, FaultRule, Operation, Simulation
from faultlab.kernel import History


async def setup(ctx: Context) -> None:
    for order in ("order-1", "order-2"):
        await ctx.port("document_command", "orders").insert(order, {"state": "open"})


async def pay(ctx: Context, order: str) -> None:
    """Charges between reading the order and saying that it is paid."""
    orders = ctx.port("document_command", "orders")
    found = await orders.get(order)
    if found.body["state"] == "open":
        await charge(ctx, order)
        await orders.update(order, {"state": "paid"})


async def pay_claimed(ctx: Context, order: str) -> None:
    """The repaired twin: the revision guard lets one of them charge."""
    orders = ctx.port("document_command", "orders")
    found = await orders.get(order)
    if found.body["state"] == "open":
        await orders.update(order, {"state": "paying"}, revision=found.revision)
        await charge(ctx, order)
        await orders.update(order, {"state": "paid"})


async def charge(ctx: Context, order: str) -> None:
    receiver = ctx.port("receiver", "payments")
    await receiver.debit(key=f"{order} {ctx.now_s()}", fingerprint=("t", order, 1200))


async def observe(ctx: Context) -> list[str]:
    orders = ctx.port("document_query", "orders")
    return [(await orders.get(order)).body["state"] for order in ("order-1", "order-2")]


def charged_once(history: History) -> str | None:
    charged = [
        event.fields["asked"]["key"].split()[0]
        for event in history.of("call")
        if event.fields["op"] == "debit"
    ]
    twice = sorted({order for order in charged if charged.count(order) > 1})
    return f"{twice[0]} was charged twice" if twice else None


ORDERS = ["order-1", "order-2"]
racing = Simulation(
    [Operation(pay, order=ORDERS)], setup=setup, observe=observe, invariants=[charged_once]
)
repaired = Simulation(
    [Operation(pay_claimed, order=ORDERS)],
    setup=setup,
    observe=observe,
    invariants=[charged_once],
    calls=6,  # enough for both orders to be paid by three at once
)

LOST = [FaultRule(kind="lost-reply", surface="receiver", op="debit", probability=0.3)]


async def pay_again(ctx: Context, order: str) -> None:
    """Tries again when no reply comes, under a new key: the lost reply charges twice."""
    try:
        await charge(ctx, order)
    except TimeoutError:
        await charge(ctx, order)


retrying = Simulation([Operation(pay_again, order=ORDERS)], invariants=[charged_once], calls=1)
