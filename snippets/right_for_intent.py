"""Over all 64 combinations: how often each disposition serves the intent.

Page: try/idempotency
"""

# --8<-- [start:run]
from collections import Counter

from faultlab.idempotency import combinations

counted = Counter(
    (run["second_disposition"], run["right_for_intent"]) for run in combinations()
)
for disposition in ("applied", "reused", "conflict"):
    right, wrong = counted[disposition, True], counted[disposition, False]
    print(f"{disposition:9} {right:2} right {wrong:2} wrong")
#> applied   28 right 20 wrong
#> reused     6 right  5 wrong
#> conflict   3 right  2 wrong
# --8<-- [end:run]
