"""One intent, one key: the second attempt is answered from the first.

Page: learn/4-a-key
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver = ReceiverPort()


async def debit_with_one_key():
    debits = port(receiver, surface="receiver", route="debits")
    key = "tenant-a/order-42"  # made before the first attempt, and never again
    for attempt in (1, 2, 3):
        try:
            answer = await debits.debit(key=key, fingerprint=ORDER)
        except TimeoutError:
            continue
        print("attempt", attempt, "answered:", answer.disposition)
        #> attempt 2 answered: reused
        return


made = run(
    debit_with_one_key, policy=OneFault(LostReply(), surface="receiver", op="debit")
)
print("effects:", len(receiver.receiver.effects))
#> effects: 1
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under tenant-a/order-42
#>   0.010s  │         ■         effect 1
#>   0.010s  ◇                   fault: lost reply
#>   5.010s  ◎                   timeout: effect unknown
#>   5.010s  ●                   dispatch under tenant-a/order-42
#>   5.020s  │         ■         effect 1 found by its key
#>   5.030s  ◎                   answer: effect 1 reused
# --8<-- [end:trace]
