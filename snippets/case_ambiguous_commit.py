"""A commit's reply is lost. A blind retry applies it again; a keyed one doesn't.

Page: review/cases/one-unknown-two-mistakes
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port


def balance(keys):
    receiver = ReceiverPort()

    async def add_100():
        database = port(receiver, surface="receiver", route="database")
        for key in keys:
            try:
                await database.debit(key=key, fingerprint=("add", 100))
                break
            except TimeoutError:
                continue  # applied or not: this says nothing

    lost = OneFault(LostReply(), surface="receiver", op="debit")
    run(add_100, policy=lost)
    return 100 * len(receiver.receiver.effects), f"reply lost: {lost.exercised}"


print("retried blindly:", *balance(["statement-1", "statement-2"]))
#> retried blindly: 200 reply lost: True
print("retried under its key:", *balance(["transaction-1", "transaction-1"]))
#> retried under its key: 100 reply lost: True
# --8<-- [end:run]
