"""A fault that was asked for and never met proves nothing.

Page: understand/what-remains
"""

# --8<-- [start:run]
from faultlab import Lab

record = Lab(fault="final_write", cancel_at="after_prepare").run()

print(record["fault_requested"], record["fault_exercised"])
#> final_write False
print(record["trace"])
#> ['prepare_write', 'cancel:after_prepare']
# --8<-- [end:run]

# --8<-- [start:count]
from faultlab.lab_runs import lab_map

summary = lab_map()["summary"]
print(summary["asked"]["fault"], summary["never_reached"]["fault"])
#> 60 32
# --8<-- [end:count]
