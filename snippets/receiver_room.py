"""Two things that weaken a receiver: room for a fixed number of records, and effects undone.

Page: understand/assumptions
"""

# --8<-- [start:limits]
from faultlab.receiver import Receiver, Request

now_ms = 0
small = Receiver(now_ms=lambda: now_ms, retention_ms=10, capacity=2)
for key in ("a", "b", "a", "c", "a", "b"):
    print(key, small.apply(Request(key=key, fingerprint=())).disposition, end=" · ")
print(len(small.effects), "effects")
#> a applied · b applied · a reused · c applied · a applied · b applied · 5 effects
small.undo(1)
small.undo(5)
print([small.apply(Request(key=key, fingerprint=())).still_there for key in ("a", "b")])
#> [True, False]
# --8<-- [end:limits]

# --8<-- [start:anew]
roomy = Receiver(now_ms=lambda: now_ms, retention_ms=10, capacity=3)
for at_ms, key in ((0, "b"), (1, "a"), (10, "b"), (10, "c"), (10, "d"), (10, "b")):
    now_ms = at_ms
    print(key, roomy.apply(Request(key=key, fingerprint=())).disposition, end=" · ")
print(len(roomy.effects), "effects")
#> b applied · a applied · b applied · c applied · d applied · b reused · 5 effects
# --8<-- [end:anew]
