"""A retry before the end of retention, at the end, and after it.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.idempotency import experiment

for after_s in (3599.999, 3600, 3600.001):
    run = experiment(retention_s=3600, after_s=after_s)
    print(after_s, run["record_at_second_request"], run["total_effects"])
#> 3599.999 retained 1
#> 3600 expired 2
#> 3600.001 expired 2
# --8<-- [end:run]
