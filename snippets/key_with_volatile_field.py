"""A key that hashes a field which changes with each call is a new key with each call.

Page: try/idempotency
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request

ORDER = ("tenant-a", "order-42", 1200)


def effects(*keys):
    receiver = Receiver(now_ms=lambda: 0)
    for key in keys:
        receiver.apply(Request(key=key, fingerprint=ORDER))
    return len(receiver.effects)


print("with a session id:", effects("order-42/session-7", "order-42/session-8"))
#> with a session id: 2
print("stable fields only:", effects("tenant-a/order-42", "tenant-a/order-42"))
#> stable fields only: 1
# --8<-- [end:run]
