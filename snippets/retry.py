"""After a timeout, try again: the customer is charged twice.

Page: learn/3-retry
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver = ReceiverPort()


async def debit_with_retry():
    debits = port(receiver, surface="receiver", route="debits")
    for attempt in (1, 2, 3):
        try:
            answer = await debits.debit(key=f"attempt-{attempt}", fingerprint=ORDER)
        except TimeoutError:
            continue
        print("attempt", attempt, "answered:", answer.disposition)
        #> attempt 2 answered: applied
        return


made = run(
    debit_with_retry, policy=OneFault(LostReply(), surface="receiver", op="debit")
)
print("effects:", len(receiver.receiver.effects))
#> effects: 2
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under attempt-1
#>   0.010s  │         ■         effect 1
#>   0.010s  ◇                   fault: lost reply
#>   5.010s  ◎                   timeout: effect unknown
#>   5.010s  ●                   dispatch under attempt-2
#>   5.020s  │         ■         effect 2
#>   5.030s  ◎                   answer: effect 2 applied
# --8<-- [end:trace]
