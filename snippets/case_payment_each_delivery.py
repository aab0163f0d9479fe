"""A slow charge succeeds, the user presses again, and each delivery creates a payment.

Page: review/cases/a-key-for-each-try
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port


def charges(key_of):
    receiver = ReceiverPort()

    async def buy():
        payments = port(receiver, surface="receiver", route="payments")
        for press in (1, 2):
            try:
                await payments.debit(key=key_of(press), fingerprint=("basket", 1200))
            except TimeoutError:
                continue  # too slow for the browser; the user presses again
            return

    slow = OneFault(LostReply(), surface="receiver", op="debit")
    run(buy, policy=slow)
    return len(receiver.receiver.effects), f"reply lost: {slow.exercised}"


print("a payment for each delivery:", *charges(lambda press: f"payment-{press}"))
#> a payment for each delivery: 2 reply lost: True
print("one key for the purchase:", *charges(lambda press: "purchase-7"))
#> one key for the purchase: 1 reply lost: True
# --8<-- [end:run]
