"""What counts as a call: each item of a stream, entering and leaving a context.

Page: simulate/ports
"""

# --8<-- [start:run]
from contextlib import asynccontextmanager

from faultlab.kernel import run
from faultlab.mock import port


class Shop:
    async def orders(self):
        for number in (41, 42):
            yield f"order-{number}"

    @asynccontextmanager
    async def session(self):
        yield self

    async def ship(self, order):
        return f"shipped {order}"


async def program():
    shop = port(Shop(), surface="shop", route="web")
    async with shop.session() as session:
        async for order in shop.orders():
            await session.ship(order)


print(*(call.fields["op"] for call in run(program).history.of("call")), sep=", ")
#> session.enter, orders, ship, orders, ship, orders, session.exit
# --8<-- [end:run]
