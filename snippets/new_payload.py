"""The same key, another amount.

Page: learn/5-same-key-new-payload
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import OneFault, ReceiverPort, port, trace

KEY = "tenant-a/order-42"


def two_amounts(conflict_policy):
    receiver = ReceiverPort(conflict_policy=conflict_policy)

    async def program():
        debits = port(receiver, surface="receiver", route="debits")
        for amount in (1200, 2400):
            answer = await debits.debit(
                key=KEY, fingerprint=("tenant-a", "order-42", amount)
            )
            print(amount, answer.disposition)

    return run(program, policy=OneFault(None))


made = two_amounts("ignore")
#> 1200 applied
#> 2400 reused
# --8<-- [end:run]

# --8<-- [start:enforce]
made = two_amounts("enforce")
#> 1200 applied
#> 2400 conflict
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under tenant-a/order-42
#>   0.010s  │         ■         effect 1
#>   0.020s  ◎                   answer: effect 1 applied
#>   0.020s  ●                   dispatch under tenant-a/order-42
#>   0.030s  │         ■         refused: the key was used for something else
#>   0.040s  ◎                   answer: conflict
# --8<-- [end:enforce]
