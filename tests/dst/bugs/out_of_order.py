"""Out of order: the answer to an older search replaces the answer to the newer one."""

import asyncio

SEARCH_S = 0.1


class SearchBox:
    def __init__(self, *, newest_only: bool) -> None:
        self.newest_only = newest_only
        self.number = 0  # of the newest search
        self.shown = ""

    async def search(self, text: str, mine: int) -> None:
        await asyncio.sleep(SEARCH_S)
        if self.newest_only and mine < self.number:
            return
        self.shown = f"results for {text}"


async def scenario(*, newest_only: bool) -> None:
    box = SearchBox(newest_only=newest_only)
    async with asyncio.TaskGroup() as group:
        for text in ("ca", "cat"):
            box.number += 1
            group.create_task(box.search(text, box.number), name=f"search {text}")
    assert box.shown == "results for cat", f"shown: {box.shown}"


async def broken() -> None:
    await scenario(newest_only=False)


async def repaired() -> None:
    await scenario(newest_only=True)
