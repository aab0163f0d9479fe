"""Effect and record in two steps, and a crash between them.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request

ORDER = Request(key="order-42", fingerprint=("tenant-a", "order-42", 1200))


class TwoSteps(Receiver):
    def _take_effect(self, request):
        answer = super()._take_effect(request)
        self._records.clear()  # the process dies before its second commit
        return answer


for kind in (TwoSteps, Receiver):
    receiver = kind(now_ms=lambda: 0)
    receiver.apply(ORDER)
    print(kind.__name__, receiver.apply(ORDER).disposition, len(receiver.effects))
#> TwoSteps applied 2
#> Receiver reused 1
# --8<-- [end:run]
