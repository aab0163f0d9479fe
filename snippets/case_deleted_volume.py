"""A token derived from a fixed name answers every retry with a deleted volume.

Page: review/cases/deleted-and-made-again
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def create_delete_retry(generations):
    receiver, generation, seen = Receiver(now_ms=lambda: 0), 1, []
    first = receiver.apply(Request(key="volume-a/1", fingerprint=("10 GB",)))
    receiver.undo(first.effect_id)  # the volume is deleted; the record stays
    for _ in range(3):
        key = f"volume-a/{generation}"
        answer = receiver.apply(Request(key=key, fingerprint=("10 GB",)))
        seen.append("there" if answer.still_there else "deleted")
        if generations and not answer.still_there:
            generation += 1  # definitely deleted: the next wish is a new one
    return seen


print("a fixed name:", *create_delete_retry(generations=False))
#> a fixed name: deleted deleted deleted
print("a generation:", *create_delete_retry(generations=True))
#> a generation: deleted there there
# --8<-- [end:run]
