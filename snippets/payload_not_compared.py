"""Same key, another amount: silently the old result, or a conflict.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

for policy in ("ignore", "enforce"):
    run = experiment(second_request="changed-amount", conflict_policy=policy)
    print(f"{policy}: {run['headline']}")
#> ignore: Changed amount got the first request's retained result
#> enforce: Changed amount was refused as a conflict
# --8<-- [end:run]
