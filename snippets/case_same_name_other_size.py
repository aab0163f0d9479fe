"""Deleted, and made again under the same name with another size.

Page: review/cases/deleted-and-made-again
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def make_delete_make(second_key):
    receiver = Receiver(now_ms=lambda: 0)
    made = receiver.apply(Request(key="volume-a", fingerprint=("10 GB",)))
    receiver.undo(made.effect_id)
    return receiver.apply(Request(key=second_key, fingerprint=("20 GB",))).disposition


print("the same key:", make_delete_make("volume-a"))
#> the same key: conflict
print("a key for the new intent:", make_delete_make("volume-a/2"))
#> a key for the new intent: applied
# --8<-- [end:run]
