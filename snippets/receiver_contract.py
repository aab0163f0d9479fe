"""What a receiver promises: one step, a retention to the millisecond, a comparison.

Page: understand/assumptions
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request

ORDER = Request(key="order-42", fingerprint=(1200,))
CHANGED = Request(key="order-42", fingerprint=(2400,))
now_ms = 0


def receiver(**contract):
    made = Receiver(now_ms=lambda: now_ms, retention_ms=1000, **contract)
    print(
        made.lookup("order-42"), made.apply(ORDER), made.lookup("order-42"), sep="\n  "
    )
    return made


for policy in ("enforce", "ignore"):
    now_ms = 5
    contract = receiver(conflict_policy=policy)
    print(policy, contract.apply(ORDER).disposition, contract.apply(CHANGED))
    for now_ms in (1004, 1005):
        print(now_ms, contract.apply(ORDER).disposition, contract.effects[-1].at_ms)
#> None
#>   Answer(disposition='applied', effect_id=1, still_there=True)
#>   IdempotencyRecord(stored_at_ms=5, fingerprint=(1200,), effect_id=1)
#> enforce reused Answer(disposition='conflict', effect_id=None, still_there=True)
#> 1004 reused 5
#> 1005 applied 1005
#> None
#>   Answer(disposition='applied', effect_id=1, still_there=True)
#>   IdempotencyRecord(stored_at_ms=5, fingerprint=(1200,), effect_id=1)
#> ignore reused Answer(disposition='reused', effect_id=1, still_there=True)
#> 1004 reused 5
#> 1005 applied 1005
# --8<-- [end:run]

# --8<-- [start:limits]
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
