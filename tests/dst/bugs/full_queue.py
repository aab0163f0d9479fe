"""A full queue: the crawler puts the links it finds into the queue that it reads."""

import asyncio

LINKS = {"/": ["/a", "/b"], "/a": ["/c"], "/b": []}


async def crawl(queue: asyncio.Queue[str], seen: list[str]) -> None:
    while True:
        page = await queue.get()
        seen.append(page)
        for link in LINKS.get(page, []):
            await queue.put(link)
        queue.task_done()


async def scenario(size: int) -> None:
    queue: asyncio.Queue[str] = asyncio.Queue(size)
    seen: list[str] = []
    crawler = asyncio.create_task(crawl(queue, seen), name="crawler")
    await queue.put("/")
    for _ in range(3):
        await asyncio.sleep(0)  # reads the bookmarks
    await queue.put("/bookmark")
    await queue.join()
    crawler.cancel()
    assert len(seen) == 5


async def broken() -> None:
    await scenario(2)


async def repaired() -> None:
    await scenario(size=0)
