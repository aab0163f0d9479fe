"""What no receiver can mean, and how it says so.

Page: look-up/errors
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, ReceiverError


def undo_what_never_was():
    Receiver(now_ms=lambda: 0).undo(1)


for refused in (
    lambda: Receiver(now_ms=lambda: 0, retention_ms=-1),
    lambda: Receiver(now_ms=lambda: 0, conflict_policy="enforced"),
    lambda: Receiver(now_ms=lambda: 0, capacity=0),
    undo_what_never_was,
):
    try:
        refused()
    except ReceiverError as error:
        print(error)
#> retention_ms=-1 is negative. Give 0 or more.
#> conflict_policy='enforced' is unknown. Did you mean 'enforce'? Allowed: enforce, ignore.
#> capacity=0 holds no record. Give 1 or more, or None.
#> there is no effect 1. This receiver has 0.
print(Receiver(now_ms=lambda: 0, retention_ms=0, capacity=1).effects)
#> []
# --8<-- [end:run]
