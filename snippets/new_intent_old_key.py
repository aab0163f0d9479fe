"""A new intent under an old key is refused for ever; under a key of its own it is done.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

old_key = experiment(second_request="changed-amount")
new_key = experiment(second_request="other-operation")

print("old key:", old_key["second_disposition"], old_key["total_effects"])
#> old key: conflict 1
print("new key:", new_key["second_disposition"], new_key["total_effects"])
#> new key: applied 2
# --8<-- [end:run]
