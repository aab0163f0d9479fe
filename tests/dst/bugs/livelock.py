"""A livelock: the status that the poll waits for was overwritten with an older one."""

import asyncio

ORDER = ["queued", "running", "done"]


class Job:
    def __init__(self, *, forward_only: bool) -> None:
        self.forward_only = forward_only
        self.status = "queued"

    def move(self, status: str) -> None:
        if not self.forward_only or ORDER.index(status) > ORDER.index(self.status):
            self.status = status

    async def announce(self) -> None:
        await asyncio.sleep(0)
        self.move("running")

    async def work(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        self.move("done")

    async def poll(self) -> None:
        while self.status != "done":
            await asyncio.sleep(0.5)


async def scenario(*, forward_only: bool) -> None:
    job = Job(forward_only=forward_only)
    await asyncio.gather(job.announce(), job.work(), job.poll())


async def broken() -> None:
    await scenario(forward_only=False)


async def repaired() -> None:
    await scenario(forward_only=True)
