"""A key for each attempt makes each attempt a new wish; a key for the intent does not.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

for scope in ("attempt", "tenant-and-operation"):
    run = experiment(key_scope=scope, second_request="same-intent")
    print(f"{scope}: {run['total_effects']} effects, {run['headline']}")
#> attempt: 2 effects, Same intent took effect again: no record stood under its key
#> tenant-and-operation: 1 effects, Same intent reused its retained result
# --8<-- [end:run]
