"""A relay that deletes a message before its delivery is confirmed, and one that waits.

Page: review/cases/relayed-twice
"""

# --8<-- [start:run]
import asyncio
from contextlib import suppress

from faultlab.dst import Call, FaultRule, Simulation, SimulationConfig, eventually
from faultlab.mock import relay


def relaying(confirmed):
    async def place_and_relay(ctx):
        outbox, topic = ctx.port("outbox", "orders"), ctx.port("queue_command", "topic")

        async def produce(entry):
            with suppress(
                TimeoutError
            ):  # its error goes to a callback that nobody reads
                await topic.put(entry.message)

        async def publish(entry):
            if confirmed:
                await topic.put(entry.message)
            else:
                background.append(asyncio.create_task(produce(entry)))

        background = []
        await outbox.add("order-42")
        ctx.record("ordered")
        await relay(outbox, publish, passes=5, every_s=10)

    return place_and_relay


arrives = eventually("put", for_each="ordered", within_s=60)
down = FaultRule(kind="unreachable", surface="queue_command", probability=0.5)
for confirmed in (False, True):
    relays = Simulation(calls=[Call(relaying(confirmed))], invariants=[arrives])
    report = relays.run(SimulationConfig.quick(faults=[down]))
    print(
        f"confirmed before it is deleted: {confirmed}:",
        report.verdict,
        report.exercised,
    )
#> confirmed before it is deleted: False: violated {'unreachable at queue_command/*/*': 1}
#> confirmed before it is deleted: True: clean {'unreachable at queue_command/*/*': 31}
# --8<-- [end:run]
