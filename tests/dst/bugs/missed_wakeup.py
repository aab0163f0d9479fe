"""Missed wake-up: the bell rings after the look at the queue, and is then reset."""

import asyncio


class Mailbox:
    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.bell = asyncio.Event()

    def put(self, job: str) -> None:
        self.jobs.append(job)
        self.bell.set()

    async def get(self) -> str:
        while not self.jobs:
            await asyncio.sleep(0)  # tells the metrics that it is idle
            self.bell.clear()
            await self.bell.wait()
        return self.jobs.pop(0)

    async def get_reset_first(self) -> str:
        while not self.jobs:
            self.bell.clear()
            await asyncio.sleep(0)
            await self.bell.wait()
        return self.jobs.pop(0)


async def scenario(name: str) -> None:
    mailbox = Mailbox()
    async with asyncio.TaskGroup() as group:
        group.create_task(getattr(mailbox, name)(), name="worker")
        for _ in range(3):
            await asyncio.sleep(0)  # a request comes in
        mailbox.put("send the mail")


async def broken() -> None:
    await scenario("get")


async def repaired() -> None:
    await scenario("get_reset_first")
