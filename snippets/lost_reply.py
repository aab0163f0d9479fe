"""The debit takes effect, and the caller is told nothing.

Page: learn/2-the-lost-reply
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver = ReceiverPort()


async def debit_once():
    debits = port(receiver, surface="receiver", route="debits")
    try:
        await debits.debit(key="attempt-1", fingerprint=ORDER)
    except TimeoutError:
        print("timed out: so it failed?")
        #> timed out: so it failed?


lost = OneFault(LostReply(), surface="receiver", op="debit")
made = run(debit_once, policy=lost)
print("fault exercised:", lost.exercised)
#> fault exercised: True
print("effects:", len(receiver.receiver.effects))
#> effects: 1
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under attempt-1
#>   0.010s  │         ■         effect 1
#>   0.010s  ◇                   fault: lost reply
#>   5.010s  ◎                   timeout: effect unknown
# --8<-- [end:trace]
