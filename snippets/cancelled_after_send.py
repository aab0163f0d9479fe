"""A broken twin: it calls a run cancelled although the send had happened.

Page: understand/what-remains
"""

# --8<-- [start:run]
from faultlab import Lab


class TooSure(Lab):
    def _status_when_stopped(self) -> str:
        return "cancelled" if self._state["cancellation_observed"] else "failed"


try:
    TooSure(cancel_at="after_send").run()
except AssertionError as error:
    print(error)
    #> INVARIANT_BROKEN: after a send, a run is neither cancelled nor failed
print(Lab(cancel_at="after_send").run()["status"])
#> needs_review
# --8<-- [end:run]
