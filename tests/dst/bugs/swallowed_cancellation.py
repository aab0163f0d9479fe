"""Cancellation swallowed: a worker that survives every error also survives its shutdown."""

import asyncio


async def handle(job: str) -> None:
    await asyncio.sleep(0)
    if job == "bad":
        raise ValueError(job)


async def worker(queue: asyncio.Queue[str], survives: type[BaseException]) -> None:
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except survives:
            continue  # one bad job must not stop the worker


async def scenario(survives: type[BaseException]) -> None:
    queue: asyncio.Queue[str] = asyncio.Queue()
    running = asyncio.create_task(worker(queue, survives), name="worker")
    for job in ("good", "bad", "good"):
        queue.put_nowait(job)
    for _ in range(12):
        await asyncio.sleep(0)  # serves requests meanwhile
    running.cancel()
    await asyncio.wait([running])


async def broken() -> None:
    await scenario(BaseException)


async def repaired() -> None:
    await scenario(Exception)
