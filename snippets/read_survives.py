"""A failed final write does not erase a matching read.

Page: understand/what-remains
"""

# --8<-- [start:run]
from faultlab import Lab

record = Lab(fault="final_write").run()

print(record["expected_result_observed"], record["final_receipt_written"])
#> True False
print(record["status"])
#> needs_review
# --8<-- [end:run]
