"""Programs over the portable primitives, and their digests under several schedules.

    python portable_programs.py            prints {program: {schedule: digest}} as JSON
    python portable_programs.py --write    writes portable_digests.json beside this file

Every supported interpreter must print the recorded digests, under any hash seed.
"""

import asyncio
import contextvars
import datetime
import json
import os
import pathlib
import random
import secrets
import sys
import time
import uuid

from faultlab.kernel import Tape, current, record, run, virtual_world

RECORDED = pathlib.Path(__file__).with_name("portable_digests.json")


async def tasks_and_cancellation():
    async def worker(number):
        try:
            for _ in range(number):
                await asyncio.sleep(0)
            await asyncio.sleep(number % 3)
            record("worked", number=number)
        except asyncio.CancelledError:
            record("cancelled", number=number, cancelling=asyncio.current_task().cancelling())
            raise

    tasks = [asyncio.create_task(worker(number)) for number in range(12)]
    await asyncio.sleep(0.5)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        record("alive", name=task.get_name())
        if int(task.get_name()[5:]) % 2:
            task.cancel()
    for task in tasks:
        try:
            await task
        except asyncio.CancelledError:
            record("saw", name=task.get_name())


async def uncancelled():
    async def stubborn():
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            record("left", cancelling=asyncio.current_task().uncancel())
        await asyncio.sleep(1)
        return "done"

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(1)
    task.cancel()
    record("result", value=await task)


async def gathering():
    async def after(delay, value):
        await asyncio.sleep(delay)
        if value == 3:
            raise ValueError
        record("after", value=value)
        return value

    record("gathered", values=await asyncio.gather(*(after(n % 2, n) for n in range(3))))
    results = await asyncio.gather(*(after(n % 2, n) for n in range(5)), return_exceptions=True)
    record("gathered", values=[type(result).__name__ for result in results])


async def waiting():
    async def after(delay):
        for _ in range(delay):
            await asyncio.sleep(0)
        return delay

    tasks = {asyncio.create_task(after(delay), name=str(delay)) for delay in range(9)}
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    record("first", done=[t.get_name() for t in done], pending=[t.get_name() for t in pending])
    done, pending = await asyncio.wait(pending, timeout=1)
    record("rest", done=[t.get_name() for t in done], pending=len(pending))
    for each in asyncio.as_completed([asyncio.create_task(after(n)) for n in (3, 1, 2)]):
        record("completed", value=await each)


async def shielding():
    async def inner():
        await asyncio.sleep(2)
        record("inner")

    async def outer():
        try:
            await asyncio.shield(kept)
        except asyncio.CancelledError:
            record("outer cancelled")

    kept = asyncio.create_task(inner())
    task = asyncio.create_task(outer())
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait([task, kept])


async def timing_out():
    async def attempt(number):
        try:
            async with asyncio.timeout(1):
                await asyncio.sleep(number)
            record("in time", number=number)
        except TimeoutError:
            record("timed out", number=number)

    await asyncio.gather(*(attempt(number / 2) for number in range(5)))
    try:
        async with asyncio.timeout_at(asyncio.get_running_loop().time() + 1):
            await asyncio.Event().wait()
    except TimeoutError:
        record("deadline")


async def waiting_for():
    event = asyncio.Event()

    async def attempt(number, timeout):
        try:
            await asyncio.wait_for(event.wait() if number % 2 else asyncio.sleep(number), timeout)
            record("in time", number=number)
        except TimeoutError:
            record("timed out", number=number)
        except asyncio.CancelledError:
            record("cancelled", number=number)
            raise

    timeouts = (1, 1, 0, 0, None, 3, 2, 7)
    tasks = [asyncio.create_task(attempt(n, timeout)) for n, timeout in enumerate(timeouts)]
    await asyncio.sleep(2)
    tasks[7].cancel()
    await asyncio.sleep(0)
    event.set()
    await asyncio.wait(tasks)


async def grouping():
    async def worker(number):
        try:
            await asyncio.sleep(1 if number == 5 else 2)
            if number == 5:
                raise LookupError
        finally:
            record("ends", number=number)

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(11):
                group.create_task(worker(number))
    except* LookupError as caught:
        record("caught", number=len(caught.exceptions))
    async with asyncio.TaskGroup() as group:
        for number in range(3):
            group.create_task(worker(number))


async def locking():
    lock, semaphore = asyncio.Lock(), asyncio.BoundedSemaphore(2)
    condition, event = asyncio.Condition(), asyncio.Event()
    turn = 0

    async def worker(number):
        nonlocal turn
        async with semaphore:
            async with lock:
                record("locked", number=number)
                await asyncio.sleep(0)
            await asyncio.sleep(number % 2)
        async with condition:
            await condition.wait_for(lambda: turn == number)
            turn += 1
            condition.notify_all()
        record("turn", number=number)
        if turn == 6:
            event.set()
        await event.wait()

    await asyncio.gather(*(worker(number) for number in range(6)))


async def a_barrier():
    barrier = asyncio.Barrier(3)

    async def worker(number):
        await asyncio.sleep(number % 2)
        record("through", number=number, place=await barrier.wait())

    await asyncio.gather(*(worker(number) for number in range(6)))


async def queueing():
    for queue in (asyncio.Queue(2), asyncio.PriorityQueue(2), asyncio.LifoQueue(2)):

        async def produce(start, queue=queue):
            for number in range(start, 8, 2):
                await queue.put(number)
                record("put", number=number)

        async def consume(queue=queue):
            while True:
                record("got", number=await queue.get())
                await asyncio.sleep(0)
                queue.task_done()

        consumers = [asyncio.create_task(consume()) for _ in range(2)]
        await asyncio.gather(produce(0), produce(1))
        await queue.join()
        for consumer in consumers:
            consumer.cancel()
        await asyncio.gather(*consumers, return_exceptions=True)


async def futures_and_callbacks():
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    async def waits(number):
        record("resolved", number=number, value=await future)

    tasks = [asyncio.create_task(waits(number)) for number in range(4)]
    for number in range(3):
        future.add_done_callback(lambda _, n=number: record("callback", number=n))
        loop.call_soon(lambda n=number: record("soon", number=n))
        loop.call_later(1, lambda n=number: record("later", number=n))
    loop.call_at(1, lambda: record("never")).cancel()
    loop.call_at(1, future.set_result, "value")
    await asyncio.gather(*tasks)
    await asyncio.sleep(1)


async def contexts():
    variable = contextvars.ContextVar("variable", default=0)

    async def worker(number):
        variable.set(number)
        await asyncio.sleep(number % 2)
        asyncio.get_running_loop().call_soon(lambda: record("callback", value=variable.get()))
        await asyncio.create_task(child())

    async def child():
        record("child", value=variable.get())

    await asyncio.gather(*(worker(number) for number in range(4)))
    await asyncio.sleep(0)


async def generators():
    async def numbers(name):
        try:
            for number in range(3):
                await asyncio.sleep(0)
                yield number
        finally:
            await asyncio.sleep(1)
            record("closed", name=name)

    async def reads(name, enough):
        async for number in numbers(name):
            record("read", name=name, number=number)
            if number == enough:
                break

    await asyncio.gather(
        *(reads(name, enough) for name, enough in {"a": 0, "b": 1, "c": 9}.items())
    )
    await asyncio.sleep(2)


async def crashing():
    async def node():
        async def body():
            await asyncio.sleep(0.25)
            return 7

        async def sibling():
            try:
                await asyncio.sleep(9)
            finally:
                record("sibling ended")

        keep = asyncio.create_task(sibling())
        for number in range(3):
            await current().gate.call("store", "s", "read", body, asked={"number": number})
        await asyncio.wait([keep], timeout=1)

    one, other = current().start("one", node), current().start("other", node)
    await asyncio.sleep(0.3)
    one.crash()
    other.pause(2)
    record("ended", how=await one.ended())
    record("ended", how=await current().start("one", node).ended())
    record("ended", how=await other.ended())


async def a_virtual_world():
    async def node():
        await asyncio.sleep(random.randrange(64) / 64)
        random.shuffle(cards := list(range(9)))
        record("cards", cards=cards, hand=random.sample(range(99), 5), die=random.randint(1, 6))
        record(
            "words", words=random.choices("abc", weights=[1, 2, 3], k=5), one=random.choice("ab")
        )
        record("bits", bits=random.getrandbits(40), octets=random.randbytes(5).hex())
        record("floats", floats=[random.random(), random.uniform(1, 3), random.triangular()])
        record("keys", keys=[str(uuid.uuid4()), str(uuid.uuid1()), secrets.token_hex(4)])
        record("entropy", octets=os.urandom(5).hex(), fresh=random.Random().getrandbits(30))
        record("times", times=[time.time_ns(), time.monotonic_ns(), time.ctime()])
        record("dates", dates=[str(datetime.datetime.now()), str(datetime.date.today())])

    one, other = current().start("one", node), current().start("other", node)
    await asyncio.sleep(0.3)
    one.crash()
    await one.ended()
    again = current().start("one", node)
    await other.ended()
    await again.ended()
    await node()


PROGRAMS = (
    tasks_and_cancellation, uncancelled, gathering, waiting, shielding, timing_out, waiting_for,
    grouping, locking, a_barrier, queueing, futures_and_callbacks, contexts, generators, crashing,
    a_virtual_world,
)  # fmt: skip


def digests():
    """{program: {schedule: digest}}: FIFO, some seeds, and one tape."""
    with virtual_world():
        return _digests()


def _digests():
    tape = Tape({("hold", "", f"Task-{n}", n % 2): (1 + n % 4, 8) for n in range(2, 8)})
    found = {}
    for program in PROGRAMS:
        runs = {"fifo": run(program), "holds": run(program, choices=tape)}
        for seed in range(6):
            runs[f"seed {seed}"] = made = run(program, seed=seed)
            again = run(program, choices=made.choices)
            if again.history.encode() != made.history.encode():
                raise SystemExit(f"{program.__name__}, seed {seed}: its tape gives another history")
        for name, made in runs.items():
            if made.error or made.violations:
                raise SystemExit(f"{program.__name__}, {name}: {made.error} {made.violations}")
        found[program.__name__] = {
            name: {"digest": made.digest, "steps": made.steps, "time_s": made.time_s}
            for name, made in runs.items()
        }
    return found


if __name__ == "__main__":
    text = json.dumps(digests(), indent=2, sort_keys=True) + "\n"
    if "--write" in sys.argv:
        RECORDED.write_text(text)
    else:
        print(text, end="")
