"""A new body under an old key: the old response, or a conflict that shows nothing.

Page: review/cases/anothers-result-or-an-old-one
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request

for policy in ("ignore", "enforce"):
    receiver = Receiver(now_ms=lambda: 0, conflict_policy=policy)
    receiver.apply(Request(key="payment-3", fingerprint=("body", 1200)))
    answer = receiver.apply(Request(key="payment-3", fingerprint=("body", 2400)))
    print(policy, answer.disposition, answer.effect_id, sep=" · ")
#> ignore · reused · 1
#> enforce · conflict · None
# --8<-- [end:run]
