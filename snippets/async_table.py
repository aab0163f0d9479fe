"""All twelve combinations of fault and runtime, run and counted.

Page: understand/assumptions
"""

# --8<-- [start:run]
from faultlab.async_lab import combinations, saved_run

for fault, mode in combinations():
    run = saved_run(fault, mode)
    counts = (run["deliveries"], run["dispatch_attempts"], run["effects"])
    print(f"{fault:20} {mode:8}", *counts, run["results_recorded"], run["headline"])
#> none                 naive    1 1 1 1 Completed
#> none                 durable  1 1 1 1 Completed
#> crash-before-effect  naive    2 2 1 1 Retried; nothing had happened
#> crash-before-effect  durable  2 2 1 1 Retried under the same key; nothing had happened
#> crash-after-effect   naive    2 2 2 1 Duplicate effect
#> crash-after-effect   durable  2 2 1 1 Recovered by operation key
#> response-lost        naive    2 2 2 1 Duplicate effect
#> response-lost        durable  2 2 1 1 Recovered by operation key
#> duplicate-delivery   naive    2 2 2 2 Duplicate effect
#> duplicate-delivery   durable  2 1 1 1 Replayed from the stored result
#> crash-after-record   naive    2 2 2 2 Duplicate effect
#> crash-after-record   durable  2 1 1 1 Replayed from the stored result
# --8<-- [end:run]
