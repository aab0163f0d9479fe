"""Programs whose reports are read, shown and compared: each with one planted mistake, or none."""

import asyncio
from contextlib import suppress


async def transfer_race() -> None:
    """Loses an update if a withdrawal is held between its read and its write."""
    account = {"balance": 100}

    async def withdraw(amount: int) -> None:
        balance = account["balance"]
        await asyncio.sleep(0)
        account["balance"] = balance - amount

    async def late(amount: int) -> None:
        for _ in range(6):
            await asyncio.sleep(0)
        await withdraw(amount)

    await asyncio.gather(withdraw(30), late(20))
    assert account["balance"] == 50, f"balance is {account['balance']}"


async def lock_order() -> None:
    """Deadlocks if both tasks have taken their first lock."""
    ledger, audit = asyncio.Lock(), asyncio.Lock()

    async def post() -> None:
        async with ledger:
            await asyncio.sleep(0)
            async with audit:
                await asyncio.sleep(0)

    async def review() -> None:
        for _ in range(4):
            await asyncio.sleep(0)
        async with audit:
            await asyncio.sleep(0)
            async with ledger:
                await asyncio.sleep(0)

    await asyncio.gather(post(), review())


async def slow_process() -> None:
    """Fails if a task stands still past a timeout."""
    done: list[str] = []

    async def pay() -> None:
        await asyncio.sleep(0.5)
        done.append("paid")

    paying = asyncio.create_task(pay())
    await asyncio.sleep(1)
    if "paid" not in done:
        raise RuntimeError("the order was cancelled, and paid")
    await paying


async def shipments() -> None:
    """Expects nine tasks with long names to begin their second turn in order."""
    seen: list[str] = []

    async def worker(name: str) -> None:
        for _ in range(2):
            await asyncio.sleep(0)
            seen.append(name)

    async with asyncio.TaskGroup() as tasks:
        for number in range(9):
            tasks.create_task(worker(f"w{number}"), name=f"shipment worker {number}")
    assert seen[:9] == sorted(seen[:9]), "</script><b>&amp; \u2028 order \u202e reversed \x00"


async def many_statements() -> None:
    """Has statements of several lines, comprehensions, handlers, a generator and a timeout."""
    lock, queue = asyncio.Lock(), asyncio.Queue[dict[str, object]]()
    account = {"balance": 100}

    async def producer() -> None:
        for number in range(3):
            await queue.put(
                {
                    "number": number,
                    "squares": [
                        other * other
                        for other in range(3)
                        if other
                    ],
                }
            )  # fmt: skip

    async def consumer() -> int:
        got = [await queue.get() for _ in range(3)]
        with suppress(ValueError):
            raise ValueError(
                "nothing",
            )
        try:
            async with asyncio.timeout(0.1):
                await asyncio.sleep(5)
        except TimeoutError:
            total = sum(
                1
                for item in got
                if item
            )  # fmt: skip
        finally:
            got.clear()
        async with lock:
            before = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = before - total
        return total

    async def other() -> None:
        await asyncio.sleep(0.1)
        before = account["balance"]
        await asyncio.sleep(0)
        account["balance"] = before - 7

    results = await asyncio.gather(
        producer(),
        consumer(),
        other(),
        return_exceptions=True,
    )
    assert (
        account["balance"] + len(results)
        == 93
    ), "an update is lost"  # fmt: skip


async def careful() -> None:
    """Has nothing wrong with it."""
    lock = asyncio.Lock()
    account = {"balance": 100}

    async def withdraw(amount: int) -> None:
        async with lock:
            balance = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = balance - amount

    await asyncio.gather(withdraw(30), withdraw(20))
    assert account["balance"] == 50


async def long_run() -> None:
    """Takes 3,000 steps in twelve tasks, and then fails."""
    total = 0

    async def count() -> None:
        nonlocal total
        for _ in range(250):
            before = total
            after = before + 1
            await asyncio.sleep(0)
            total = max(after, total + 1)

    await asyncio.gather(*(count() for _ in range(12)))
    assert total == 0, "it has counted"


async def crowd() -> None:
    """Has eighty tasks, and fails."""

    async def wait() -> None:
        await asyncio.sleep(0)

    await asyncio.gather(*(wait() for _ in range(80)))
    raise RuntimeError("eighty have waited")
