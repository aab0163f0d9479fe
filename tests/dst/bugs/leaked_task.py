"""A leaked task: of two hedged requests the loser goes on, and keeps its connection."""

import asyncio

REPLY_S = 0.2


class Service:
    def __init__(self) -> None:
        self.open = 0

    async def ask(self, replica: str) -> str:
        self.open += 1
        try:
            await asyncio.sleep(REPLY_S)
            return replica
        finally:
            self.open -= 1


async def scenario(*, cancel: bool) -> None:
    service = Service()
    asked = [asyncio.create_task(service.ask(name), name=name) for name in ("near", "far")]
    _, late = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    if cancel:
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    assert service.open == 0, f"{service.open} connection is open after the reply"


async def broken() -> None:
    await scenario(cancel=False)


async def repaired() -> None:
    await scenario(cancel=True)
