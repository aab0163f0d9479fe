"""A fingerprint that sees the client's version refuses a retry that means the same.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def second(first, again):
    receiver = Receiver(now_ms=lambda: 0)
    receiver.apply(Request(key="order-42", fingerprint=first))
    return receiver.apply(Request(key="order-42", fingerprint=again)).disposition


print("with the client's version:", second((1200, "app 3.1"), (1200, "app 3.2")))
#> with the client's version: conflict
print("what it means, and no more:", second((1200,), (1200,)))
#> what it means, and no more: reused
# --8<-- [end:run]
