"""A journal, a fresh key, and a worker that is only slow: the seed finds the second effect.

Page: learn/8-let-the-seed-choose
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst
from faultlab.mock import Journal, ReceiverPort


async def two_deliveries(key):
    receiver, journal = ReceiverPort(), Journal()

    async def worker(delivery):
        if not await journal.holds("order-42"):
            await asyncio.sleep(0.2)  # on the way to the receiver
            answer = await receiver.debit(key=key.format(delivery), fingerprint=(1200,))
            await journal.append("order-42", answer.effect_id)

    first = asyncio.create_task(worker(1), name="worker 1")
    await asyncio.sleep(1)
    await asyncio.gather(first, asyncio.create_task(worker(2), name="worker 2"))
    assert len(receiver.receiver.effects) == 1, "a second effect"


async def a_key_for_each_delivery():
    await two_deliveries("delivery-{}")


config = dst.SimulationConfig(search=dst.Holds(pauses=True))
print(dst.check(a_key_for_each_delivery, config).explain(), end="")
#> violated: let_the_seed_choose:a_key_for_each_delivery
#>   AssertionError: a second effect
#>   at let_the_seed_choose.py:25 in two_deliveries: assert len(receiver.receiver.effects) == 1, "a second effect"
#>
#> Seed 6 found it. 1 decision of 2 left, proven 1-minimal:
#>   1. pause worker 1 (worker) at let_the_seed_choose.py:18 (in sleep) for 1 s
#>      await asyncio.sleep(0.2)  # on the way to the receiver
#>
#> What ran, time running down, a line of source a row:
#> a main   b worker 1   c worker 2
#>     time  a b c where
#>   0.000s  ●     let_the_seed_choose.py:29  await two_deliveries("delivery-{}")
#>   0.000s  ●     let_the_seed_choose.py:14  receiver, journal = ReceiverPort(), Journal()
#>   0.000s  ●     let_the_seed_choose.py:16  async def worker(delivery):
#>   0.000s  ●     let_the_seed_choose.py:22  first = asyncio.create_task(worker(1), name="worker 1")
#>   0.000s  ●     let_the_seed_choose.py:23  await asyncio.sleep(1)
#>   0.000s  │ ●   let_the_seed_choose.py:17  if not await journal.holds("order-42"):
#>   0.000s  │ ●   let_the_seed_choose.py:18  await asyncio.sleep(0.2)  # on the way to the receiver
#>   0.200s  │ ◇   let_the_seed_choose.py:18  pause worker 1 (worker) (in sleep) for 1 s
#>   1.000s  ● ┊   let_the_seed_choose.py:24  await asyncio.gather(first, asyncio.create_task(worker(2…
#>   1.000s  │ ┊ ● let_the_seed_choose.py:17  if not await journal.holds("order-42"):
#>   1.000s  │ ┊ ● let_the_seed_choose.py:18  await asyncio.sleep(0.2)  # on the way to the receiver
#>   1.200s  │ ● │ let_the_seed_choose.py:19  answer = await receiver.debit(key=key.format(delivery), …
#>   1.200s  │ ● │ let_the_seed_choose.py:20  await journal.append("order-42", answer.effect_id)
#>   1.200s  │   ● let_the_seed_choose.py:19  answer = await receiver.debit(key=key.format(delivery), …
#>   1.200s  │   ● let_the_seed_choose.py:20  await journal.append("order-42", answer.effect_id)
#>   1.200s  ✕     let_the_seed_choose.py:25  assert len(receiver.receiver.effects) == 1, "a second effect"
#> ● ran this line  ◇ decided by the simulator  ✕ raised here
#>
#> Searched: holds and pauses, 7 runs, 53 steps, 7 of 256 seeds
# --8<-- [end:run]


# --8<-- [start:repaired]
async def one_key():
    await two_deliveries("tenant-a/order-42")


print(dst.check(one_key, config).explain(), end="")
#> clean: let_the_seed_choose:one_key
#>
#> Searched: holds and pauses, 256 runs, 1,916 steps, 256 of 256 seeds
# --8<-- [end:repaired]
