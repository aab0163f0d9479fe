"""A timeout taken for a failure, and a timeout taken for what it is.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.async_lab import saved_run

for mode in ("naive", "durable"):
    run = saved_run("response-lost", mode)
    known = [e["text"] for e in run["events"] if e["text"].startswith("timeout")]
    print(mode, *known, f"effects: {run['effects']}", sep=" · ")
#> naive · timeout: effect unknown · effects: 2
#> durable · timeout: effect unknown · effects: 1
# --8<-- [end:run]
