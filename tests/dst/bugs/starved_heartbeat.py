"""Starvation: a monitor looks 20 times, sees no heartbeat, and has the job done again."""

import asyncio

LOOKS = 20


class Job:
    def __init__(self) -> None:
        self.beats = 0
        self.epoch = 0
        self.results: list[str] = []

    def report(self, epoch: int, *, fenced: bool) -> None:
        if epoch == self.epoch or not fenced:
            self.results.append(f"result of attempt {epoch}")


async def scenario(*, fenced: bool) -> None:
    job = Job()

    async def worker() -> None:
        for _ in range(5):
            await asyncio.sleep(0)
            job.beats += 1
        job.report(0, fenced=fenced)

    async def monitor() -> None:
        for _ in range(LOOKS):
            await asyncio.sleep(0)
        if job.beats == 0:
            job.epoch = 1
            job.report(1, fenced=fenced)

    await asyncio.gather(worker(), monitor())
    assert len(job.results) == 1, f"done twice: {job.results}"


async def broken() -> None:
    await scenario(fenced=False)


async def repaired() -> None:
    await scenario(fenced=True)
