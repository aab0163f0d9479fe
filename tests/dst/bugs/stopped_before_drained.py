"""Stopped before drained: all jobs are in the queue, so the worker is stopped."""

import asyncio


async def work(queue: asyncio.Queue[int], done: list[int]) -> None:
    while True:
        job = await queue.get()
        await asyncio.sleep(0)
        done.append(job)
        queue.task_done()


async def scenario(*, drain: bool) -> None:
    queue: asyncio.Queue[int] = asyncio.Queue()
    done: list[int] = []
    worker = asyncio.create_task(work(queue, done), name="worker")
    for job in range(3):
        await queue.put(job)
        for _ in range(3):
            await asyncio.sleep(0)  # reads the next line of the file
    if drain:
        await queue.join()
    worker.cancel()
    assert done == [0, 1, 2], f"only {done} were done"


async def broken() -> None:
    await scenario(drain=False)


async def repaired() -> None:
    await scenario(drain=True)
