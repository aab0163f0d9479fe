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
