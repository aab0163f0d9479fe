"""Programs that the tests of the search share: small, and each with one property."""

import asyncio
import os
import signal

from faultlab.kernel import current


async def lost_update() -> None:
    """Fails if both withdrawals read the same balance; asyncio's own order never does."""
    account = {"balance": 100}

    async def withdraw(amount: int, *, wait: int) -> None:
        for _ in range(wait):
            await asyncio.sleep(0)
        balance = account["balance"]
        await asyncio.sleep(0)
        account["balance"] = balance - amount

    await asyncio.gather(withdraw(30, wait=0), withdraw(20, wait=6))
    assert account["balance"] == 50, f"the balance is {account['balance']}"


async def locked_update() -> None:
    """The same with a lock: no schedule breaks it."""
    account, lock = {"balance": 100}, asyncio.Lock()

    async def withdraw(amount: int, *, wait: int) -> None:
        for _ in range(wait):
            await asyncio.sleep(0)
        async with lock:
            balance = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = balance - amount

    await asyncio.gather(withdraw(30, wait=0), withdraw(20, wait=6))
    assert account["balance"] == 50, f"the balance is {account['balance']}"


async def always_fails() -> None:
    """Fails in every schedule."""
    await asyncio.sleep(0)
    raise ValueError("always")


async def stall() -> None:
    """Fails if one ready task waits for 20 steps of the other."""
    reached: list[int] = []

    async def counts() -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        assert reached, "stalled for 20 steps"

    async def marks() -> None:
        await asyncio.sleep(0)
        reached.append(1)

    await asyncio.gather(counts(), marks())


async def lock_order() -> None:
    """Two locks taken in two orders: a deadlock if both take their first one first."""
    one, other = asyncio.Lock(), asyncio.Lock()

    async def left() -> None:
        async with one:
            await asyncio.sleep(0)
            async with other:
                pass

    async def right() -> None:
        for _ in range(6):
            await asyncio.sleep(0)
        async with other:
            await asyncio.sleep(0)
            async with one:
                pass

    await asyncio.gather(left(), right())


async def three_windows() -> None:
    """Fails if one task meets three short windows of another: needs more than one decision."""
    state = {"open": False, "hits": 0}

    async def opens() -> None:
        for _ in range(3):
            for _ in range(4):
                await asyncio.sleep(0)
            state["open"] = True
            await asyncio.sleep(0)
            state["open"] = False

    async def looks() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            state["hits"] += state["open"]

    await asyncio.gather(opens(), looks())
    assert state["hits"] < 3, "met all three windows"


async def late_lease() -> None:
    """Fails if the owner is slower than its lease: across time, so only a pause shows it."""
    lapsed = asyncio.Event()

    async def lapses() -> None:
        await asyncio.sleep(5)
        lapsed.set()

    async def owner() -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not lapsed.is_set(), "worked on after the lease had lapsed"

    watch = asyncio.create_task(lapses())
    await owner()
    watch.cancel()


SURVIVES: list[int] = []


async def remembers() -> None:
    """Takes one step more each time: something outside of it survives a run."""
    SURVIVES.append(1)
    for _ in SURVIVES:
        await asyncio.sleep(0)


async def kills_its_worker() -> None:
    """Ends its process in about one seed of 16, unless it is the one that started the sweep."""
    await asyncio.sleep(0)
    if (
        os.environ.get("FAULTLAB_TEST_KILL", "0") not in ("0", str(os.getpid()))
        and in_a_sixteenth()
    ):
        signal.raise_signal(signal.SIGKILL)


def in_a_sixteenth() -> bool:
    return current().choices.pick("kill", 16) == 1
