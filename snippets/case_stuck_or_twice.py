"""A claim outlives its owner: refused for days, run twice, or looked up.

Page: review/cases/stuck-or-twice
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Crash, OneFault, ReceiverPort, port


def withdraw(retry_key):
    claims, receiver = {}, ReceiverPort()

    async def attempt(key):
        withdrawals = port(receiver, surface="receiver", route="withdrawals")
        if "withdrawal-9" in claims and key is None:
            return  # 409: in progress, says the record of a dead process
        claims["withdrawal-9"] = "in progress"
        await withdrawals.debit(key=key, fingerprint=("account-1", 1200))
        claims["withdrawal-9"] = "done"

    async def two_attempts():
        for key in ("withdrawal-9", retry_key):
            await current().start("worker", lambda key=key: attempt(key)).ended()

    crash = OneFault(Crash(), surface="receiver", op="debit")
    run(two_attempts, policy=crash)
    return claims["withdrawal-9"], len(receiver.receiver.effects), crash.exercised


print("refused while claimed:", *withdraw(None))
#> refused while claimed: in progress 1 True
print("taken over, run again:", *withdraw("withdrawal-9/again"))
#> taken over, run again: done 2 True
print("taken over, same key:", *withdraw("withdrawal-9"))
#> taken over, same key: done 1 True
# --8<-- [end:run]
