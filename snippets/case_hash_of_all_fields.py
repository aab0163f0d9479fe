"""A key that is a hash over everything in the request, and one over what stays the same.

Page: review/cases/a-volatile-field
"""

# --8<-- [start:run]
from hashlib import sha256

from faultlab.receiver import Receiver, Request

STABLE = ("merchant", "order", "amount")


def authorizations(fields):
    receiver = Receiver(now_ms=lambda: 0)
    for session in ("session-7", "session-8"):  # the retry opens a session of its own
        call = {"merchant": "m-1", "order": "42", "amount": "1200", "session": session}
        text = "&".join(f"{name}={call[name]}" for name in fields)
        key = sha256(text.encode()).hexdigest()
        receiver.apply(Request(key=key, fingerprint=("m-1", "42", 1200)))
    return len(receiver.effects)


print("hash over all fields:", authorizations((*STABLE, "session")))
#> hash over all fields: 2
print("hash over stable fields:", authorizations(STABLE))
#> hash over stable fields: 1
# --8<-- [end:run]
