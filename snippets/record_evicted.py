"""Records kept by capacity: a busy neighbour pushes an unresolved key out.

Page: try/idempotency
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def effects_of_order_42(capacity):
    receiver = Receiver(now_ms=lambda: 0, capacity=capacity)
    for order in ("order-42", "order-43", "order-44", "order-42"):
        receiver.apply(Request(key=order, fingerprint=(order,)))
    return sum(effect.request.key == "order-42" for effect in receiver.effects)


print("room for two records:", effects_of_order_42(2))
#> room for two records: 2
print("kept by time alone:", effects_of_order_42(None))
#> kept by time alone: 1
# --8<-- [end:run]
