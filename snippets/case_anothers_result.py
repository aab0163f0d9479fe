"""A key that is unique over all accounts, and what a second account gets under it.

Page: review/cases/anothers-result-or-an-old-one
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

for scope, policy in (
    ("operation", "ignore"),
    ("operation", "enforce"),
    ("tenant-and-operation", "enforce"),
):
    run = experiment(
        key_scope=scope, second_request="other-tenant", conflict_policy=policy
    )
    right = "right" if run["right_for_intent"] else "wrong"
    print(f"{scope}, {policy}: {run['second_disposition']}, {right}")
#> operation, ignore: reused, wrong
#> operation, enforce: conflict, wrong
#> tenant-and-operation, enforce: applied, right
# --8<-- [end:run]
