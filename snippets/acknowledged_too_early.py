"""Acknowledge first and work later: a crash in between loses the task.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Broker, Crash, OneFault, ReceiverPort, port


def effects(acknowledge_first):
    broker, receiver = Broker(), ReceiverPort()

    async def work(delivery):
        debits = port(receiver, surface="receiver", route="debits")
        if acknowledge_first:
            await broker.acknowledge(delivery)
        await debits.debit(key="order-42", fingerprint=("tenant-a", "order-42", 1200))
        if not acknowledge_first:
            await broker.acknowledge(delivery)

    async def consume():
        await broker.publish("order-42")
        while delivery := await broker.receive():
            await current().start("worker", lambda: work(delivery)).ended()

    crash = OneFault(Crash(), surface="receiver", op="debit", when="before")
    run(consume, policy=crash)
    return len(receiver.receiver.effects), f"crash struck: {crash.exercised}"


print("acknowledged first:", *effects(True))
#> acknowledged first: 0 crash struck: True
print("acknowledged last:", *effects(False))
#> acknowledged last: 1 crash struck: True
# --8<-- [end:run]
