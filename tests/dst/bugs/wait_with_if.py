"""`if` around Condition.wait: between notify and wake-up another worker takes the job."""

import asyncio


class Jobs:
    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.changed = asyncio.Condition()

    async def put(self, job: str) -> None:
        async with self.changed:
            self.waiting.append(job)
            self.changed.notify()

    async def take(self) -> str:
        async with self.changed:
            if not self.waiting:
                await self.changed.wait()
            return self.waiting.pop()

    async def take_looking_again(self) -> str:
        async with self.changed:
            while not self.waiting:
                await self.changed.wait()
            return self.waiting.pop()


async def scenario(name: str) -> None:
    jobs = Jobs()
    async with asyncio.TaskGroup() as group:
        group.create_task(getattr(jobs, name)(), name="patient")
        await asyncio.sleep(1)
        await jobs.put("resize")
        for _ in range(3):
            await asyncio.sleep(0)
        group.create_task(getattr(jobs, name)(), name="newcomer")
        await asyncio.sleep(1)
        await jobs.put("upload")


async def broken() -> None:
    await scenario("take")


async def repaired() -> None:
    await scenario("take_looking_again")
