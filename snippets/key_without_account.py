"""Two tenants use one order number. Without the tenant in the key, one gets the other's result.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

for scope in ("operation", "tenant-and-operation"):
    run = experiment(
        key_scope=scope, second_request="other-tenant", conflict_policy="ignore"
    )
    right = "right" if run["right_for_intent"] else "wrong"
    print(f"{scope}: {run['second_disposition']}, {right}")
#> operation: reused, wrong
#> tenant-and-operation: applied, right
# --8<-- [end:run]
