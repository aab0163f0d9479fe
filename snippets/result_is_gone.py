"""A retained result outlives what it speaks of.

Page: try/idempotency
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def make_delete_make(second_key):
    receiver = Receiver(now_ms=lambda: 0)
    made = receiver.apply(Request(key="volume/1", fingerprint=("volume",)))
    receiver.undo(made.effect_id)
    answer = receiver.apply(Request(key=second_key, fingerprint=("volume",)))
    return answer.disposition, "there" if answer.still_there else "gone"


print("one key for ever:", *make_delete_make("volume/1"))
#> one key for ever: reused gone
print("a new generation:", *make_delete_make("volume/2"))
#> a new generation: applied there
# --8<-- [end:run]
