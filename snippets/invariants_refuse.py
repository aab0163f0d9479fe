"""Each invariant refuses a record that breaks it, and is the first to do so.

Page: understand/assumptions
"""

# --8<-- [start:run]
from faultlab import Lab
from faultlab.lab import check_invariants

good = Lab().run()
stopped = Lab(fault="prepare_write").run()
broken = [
    {**good, "send_count": 2, "simulated_effect_count": 2},
    {**good, "simulated_effect_count": 2},
    {**good, "read_count": 2},
    {**good, "read_count": 0},
    {**good, "final_receipt_written": False},
    {**good, "cancellation_observed": True},
    {**good, "status": "failed"},
    {**stopped, "outcome": "unknown"},
    {**good, "status": "needs_review", "outcome": "unknown"},
    {**good, "durable_receipt_verified": True},
]
for record in broken:
    try:
        check_invariants(record)
    except AssertionError as error:
        print(error)
#> INVARIANT_BROKEN: there is at most one send
#> INVARIANT_BROKEN: each send has one effect
#> INVARIANT_BROKEN: there is at most one read
#> INVARIANT_BROKEN: success needs a send and a read
#> INVARIANT_BROKEN: success needs a match and a final receipt
#> INVARIANT_BROKEN: success excludes a cancellation and an error
#> INVARIANT_BROKEN: after a send, a run is neither cancelled nor failed
#> INVARIANT_BROKEN: without a send, nothing is observed
#> INVARIANT_BROKEN: a failed final write keeps the match
#> INVARIANT_BROKEN: nothing is replayed and no durable receipt is claimed
# --8<-- [end:run]
