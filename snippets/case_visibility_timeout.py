"""A worker holds a task until it is due; the visibility timeout is over before that.

Page: review/cases/delivered-again-while-it-waits
"""

# --8<-- [start:run]
import asyncio

from faultlab.dst import Call, Simulation, SimulationConfig, no_duplicate_effect
from faultlab.mock import MockState, Queue

DUE_IN_S, VISIBILITY_S = 2 * 3600, 3600


def state():
    made = MockState()
    made.put("queue_command", "tasks", Queue(visibility_timeout_s=VISIBILITY_S))
    return made


async def setup(ctx):
    await ctx.port("queue_command", "tasks").put("order-42")


def worker(extends, by_task):
    async def work(ctx):
        tasks, receiver = ctx.port("queue_command", "tasks"), ctx.port(
            "receiver", "debits"
        )
        if delivery := await tasks.receive(wait_s=3 * 3600):
            if extends:
                await tasks.extend(delivery, DUE_IN_S + VISIBILITY_S)
            await asyncio.sleep(max(0, DUE_IN_S - ctx.now_s()))
            key = delivery.message if by_task else f"delivery-{delivery.receipt}"
            await receiver.debit(key=key, fingerprint=(delivery.message,))
            await tasks.acknowledge(delivery)

    return [Call(work), Call(work)]


once = no_duplicate_effect("applied", by=())
for extends, by_task in ((False, False), (True, False), (False, True)):
    tasks = Simulation(
        calls=worker(extends, by_task),
        state_factory=state,
        setup=setup,
        invariants=[once],
    )
    report = tasks.run(SimulationConfig.quick())
    print(f"extended: {extends}, key of the task: {by_task}:", report.verdict)
#> extended: False, key of the task: False: violated
#> extended: True, key of the task: False: clean
#> extended: False, key of the task: True: clean
# --8<-- [end:run]
