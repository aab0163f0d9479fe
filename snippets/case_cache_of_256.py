"""A cache of 256 records forgets a key while its purchase is unresolved.

Page: review/cases/evicted
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request

DAY_MS = 86_400_000


def purchases_of_key_1(**kept):
    receiver = Receiver(now_ms=lambda: 0, **kept)
    for number in (*range(1, 258), 1):  # 256 others, then the retry of the first
        receiver.apply(Request(key=f"key-{number}", fingerprint=(number,)))
    return sum(effect.request.key == "key-1" for effect in receiver.effects)


print("256 records:", purchases_of_key_1(capacity=256))
#> 256 records: 2
print("one day:", purchases_of_key_1(retention_ms=DAY_MS))
#> one day: 1
# --8<-- [end:run]
