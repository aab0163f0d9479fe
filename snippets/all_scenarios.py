"""Every scenario, counted by how it ends and by how often it sends.

Page: understand/assumptions
"""

# --8<-- [start:run]
from collections import Counter

from faultlab.lab_runs import saved_run, scenarios

records = [saved_run(scenario)["record"] for scenario in scenarios()]

print(len(records), "scenarios, at most", max(r["send_count"] for r in records), "send")
#> 72 scenarios, at most 1 send
for status, count in Counter(r["status"] for r in records).most_common():
    print(count, status)
    #> 27 cancelled
    #> 23 needs_review
    #> 21 failed
    #> 1 succeeded
# --8<-- [end:run]
