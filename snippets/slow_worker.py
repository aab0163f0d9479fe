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
    await asyncio.create_task(worker(2), name="worker 2")
    await first
    assert len(receiver.receiver.effects) == 1, "a second effect"


async def a_key_for_each_delivery():
    await two_deliveries("delivery-{}")


print(dst.check(a_key_for_each_delivery).explain(), end="")
#> violated: slow_worker:a_key_for_each_delivery
#>   AssertionError: a second effect
#>   at slow_worker.py:26 in two_deliveries: assert len(receiver.receiver.effects) == 1, "a second effect"
#>
#> Seed 6 found it. 1 decision of 2 left, proven 1-minimal:
#>   1. pause worker 1 (worker) at slow_worker.py:18 (in sleep) for 1 s
#>      await asyncio.sleep(0.2)  # on the way to the receiver
#>
#> What ran, time running down, a line of source a row:
#>     time  main      worker 1  worker 2  where
#>   0.000s  ●                             slow_worker.py:30  await two_deliveries("delivery-{}")
#>   0.000s  ●                             slow_worker.py:14  receiver, journal = ReceiverPort(), Jour…
#>   0.000s  ●                             slow_worker.py:16  async def worker(delivery):
#>   0.000s  ●                             slow_worker.py:22  first = asyncio.create_task(worker(1), n…
#>   0.000s  ●                             slow_worker.py:23  await asyncio.sleep(1)
#>   0.000s  │         ●                   slow_worker.py:17  if not await journal.holds("order-42"):
#>   0.000s  │         ●                   slow_worker.py:18  await asyncio.sleep(0.2)  # on the way t…
#>   0.200s  │         ◇                   slow_worker.py:18  pause worker 1 (worker) (in sleep) for 1
#>           │         ┊                                      s
#>   1.000s  ●         ┊                   slow_worker.py:24  await asyncio.create_task(worker(2), nam…
#>   1.000s  │         ┊         ●         slow_worker.py:17  if not await journal.holds("order-42"):
#>   1.000s  │         ┊         ●         slow_worker.py:18  await asyncio.sleep(0.2)  # on the way t…
#>   1.200s  │         ●         │         slow_worker.py:19  answer = await receiver.debit(key=key.fo…
#>   1.200s  │         ●         │         slow_worker.py:20  await journal.append("order-42", answer.…
#>   1.200s  │                   ●         slow_worker.py:19  answer = await receiver.debit(key=key.fo…
#>   1.200s  │                   ●         slow_worker.py:20  await journal.append("order-42", answer.…
#>   1.200s  ●                             slow_worker.py:25  await first
#>   1.200s  ✕                             slow_worker.py:26  assert len(receiver.receiver.effects) ==
#>                                                            1, "a second effect"
#> ● ran this line  ◇ decided by the simulator  ✕ raised here
#>
#> Searched: portfolio, 7 runs, 45 steps, 7 of 256 seeds
# --8<-- [end:run]


# --8<-- [start:repaired]
async def one_key():
    await two_deliveries("tenant-a/order-42")


print(dst.check(one_key).explain(), end="")
#> clean: slow_worker:one_key
#>
#> Searched: portfolio, 256 runs, 1,556 steps, 256 of 256 seeds
# --8<-- [end:repaired]
