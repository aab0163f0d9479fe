"""Two requests for one payment at once: a check, then a charge; and a claim, then a charge.

Page: review/cases/check-then-charge
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst
from faultlab.mock import ReceiverPort


async def two_requests(claim_first):
    receiver, started = ReceiverPort(), set()

    async def request(number):
        if "order-42" in started:
            return
        if claim_first:
            started.add("order-42")
        await asyncio.sleep(0.2)  # on the way to the receiver
        await receiver.debit(key=f"request-{number}", fingerprint=(1200,))
        started.add("order-42")

    await asyncio.gather(request(1), request(2))
    effects = len(receiver.receiver.effects)
    assert effects == 1, f"{effects} charges"


async def check_then_charge():
    await two_requests(claim_first=False)


async def claim_then_charge():
    await two_requests(claim_first=True)


config = dst.SimulationConfig(search=dst.Exhaustive(decisions_max=2, pauses=True))
for program in (check_then_charge, claim_then_charge):
    print(dst.check(program, config).explain(), end="")
#> violated: case_check_then_charge:check_then_charge
#>   AssertionError: 2 charges
#>   at case_check_then_charge.py:27 in two_requests: assert effects == 1, f"{effects} charges"
#>
#> It takes no decision: it fails in asyncio's own order.
#>
#> What ran, time running down, a line of source a row:
#>     time  main    Task-2  Task-3  where
#>   0.000s  ●                       case_check_then_charge.py:31  await two_requests(claim_first=Fals…
#>   0.000s  ●                       case_check_then_charge.py:14  receiver, started = ReceiverPort(),…
#>   0.000s  ●                       case_check_then_charge.py:16  async def request(number):
#>   0.000s  ●                       case_check_then_charge.py:25  await asyncio.gather(request(1), re…
#>   0.000s  │       ●               case_check_then_charge.py:17  if "order-42" in started:
#>   0.000s  │       ●               case_check_then_charge.py:19  if claim_first:
#>   0.000s  │       ●               case_check_then_charge.py:21  await asyncio.sleep(0.2)  # on the …
#>   0.000s  │       │       ●       case_check_then_charge.py:17  if "order-42" in started:
#>   0.000s  │       │       ●       case_check_then_charge.py:19  if claim_first:
#>   0.000s  │       │       ●       case_check_then_charge.py:21  await asyncio.sleep(0.2)  # on the …
#>   0.200s  │       ●       │       case_check_then_charge.py:22  await receiver.debit(key=f"request-…
#>   0.200s  │       ●       │       case_check_then_charge.py:23  started.add("order-42")
#>   0.200s  │               ●       case_check_then_charge.py:22  await receiver.debit(key=f"request-…
#>   0.200s  │               ●       case_check_then_charge.py:23  started.add("order-42")
#>   0.200s  ●                       case_check_then_charge.py:26  effects = len(receiver.receiver.eff…
#>   0.200s  ✕                       case_check_then_charge.py:27  assert effects == 1, f"{effects}
#>                                                                 charges"
#> ● ran this line  ◇ decided by the simulator  ✕ raised here
#>
#> Searched: exhaustive, at most 2 decisions, 1 run, 8 steps
#>   run 1 is the first with at most 2 decisions (holds, releases, pauses) that breaks something
#> clean: case_check_then_charge:claim_then_charge
#>
#> Searched: exhaustive, at most 2 decisions, 148 runs, 1,038 steps
#>   all 148 runs of this program with at most 2 decisions (holds, releases, pauses) were run, and none broke anything
# --8<-- [end:run]
