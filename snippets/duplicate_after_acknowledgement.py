"""The broker delivers a finished task again.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.async_lab import saved_run

for mode in ("naive", "durable"):
    run = saved_run("duplicate-delivery", mode)
    print(f"{mode}: {run['deliveries']} deliveries, {run['effects']} effects")
#> naive: 2 deliveries, 2 effects
#> durable: 2 deliveries, 1 effects
# --8<-- [end:run]
