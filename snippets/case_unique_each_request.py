"""A model is asked for a value unique to every request, and gives one.

Page: review/cases/a-key-for-each-try
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def effects(key_for_call):
    receiver = Receiver(now_ms=lambda: 0)
    for call in (1, 2):  # the same step of one plan, called again
        receiver.apply(Request(key=key_for_call(call), fingerprint=("order-7", 1200)))
    return len(receiver.effects)


print("the model makes it:", effects(lambda call: f"unique-value-{call}"))
#> the model makes it: 2
print("the runtime makes it:", effects(lambda call: "plan-3/step-2"))
#> the runtime makes it: 1
# --8<-- [end:run]
