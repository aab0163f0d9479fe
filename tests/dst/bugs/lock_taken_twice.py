"""A lock taken twice: only the retry after a conflict needs the lock that it holds."""

import asyncio


class Documents:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.revision = 1

    async def save(self, revision: int) -> None:
        async with self.lock:
            if revision == self.revision:
                self.revision += 1
                return
            await self.save(self.revision)

    async def save_outside(self, revision: int) -> None:
        async with self.lock:
            if revision == self.revision:
                self.revision += 1
                return
        await self.save_outside(self.revision)


async def scenario(name: str) -> None:
    documents = Documents()

    async def edit(delay: int) -> None:
        for _ in range(delay):
            await asyncio.sleep(0)
        revision = documents.revision
        await asyncio.sleep(0)  # the user types
        await getattr(documents, name)(revision)

    await asyncio.gather(edit(0), edit(4))
    assert documents.revision == 3


async def broken() -> None:
    await scenario("save")


async def repaired() -> None:
    await scenario("save_outside")
