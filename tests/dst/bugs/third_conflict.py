"""The third conflict: two retries are enough for everybody, until three writers come between."""

import asyncio


class Document:
    def __init__(self) -> None:
        self.revision = 0
        self.words: list[str] = []

    async def save(self, word: str) -> bool:
        seen = self.revision
        await asyncio.sleep(0)  # the reply with the text
        if seen != self.revision:
            return False
        self.revision += 1
        self.words.append(word)
        return True


async def save_retrying(document: Document, word: str, tries: int) -> None:
    for _ in range(tries):
        if await document.save(word):
            return
        await asyncio.sleep(1)


async def scenario(tries: int) -> None:
    document = Document()

    async def others() -> None:
        for word in ("two", "three", "four"):
            for _ in range(3):
                await asyncio.sleep(0)
            await save_retrying(document, word, tries)
            await asyncio.sleep(1)

    await asyncio.gather(save_retrying(document, "one", tries), others())
    assert len(document.words) == 4, f"a word is lost: {document.words}"


async def broken() -> None:
    await scenario(tries=3)


async def repaired() -> None:
    await scenario(tries=100)
