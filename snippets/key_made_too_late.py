"""A key that lives in the worker's memory dies with the worker.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.async_lab import saved_run

for mode in ("naive", "durable"):
    run = saved_run("crash-after-effect", mode)
    keys = [e["text"] for e in run["events"] if e["text"].startswith("dispatch")]
    print(run["effects"], *keys, sep=" · ")
#> 2 · dispatch under delivery-1 · dispatch under delivery-2
#> 1 · dispatch under tenant-a/order-42 · dispatch under tenant-a/order-42
# --8<-- [end:run]
