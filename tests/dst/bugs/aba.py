"""ABA: the free list's head is the same as before, but what lies below it is not."""

import asyncio


class Pool:
    def __init__(self, *, count: bool) -> None:
        self.count = count
        self.head: tuple[str | None, int] = ("a", 0)  # the first free connection, a version
        self.after: dict[str, str | None] = {"a": "b", "b": "c", "c": "d", "d": None}

    def swap(self, seen: tuple[str | None, int], name: str | None) -> bool:
        if self.head != seen:
            return False
        self.head = (name, seen[1] + self.count)
        return True

    async def take(self) -> str:
        for _ in range(9):
            seen = self.head
            name = seen[0]
            assert name, "no connection is free"
            below = self.after[name]
            await asyncio.sleep(0)  # asks whether the connection still answers
            if self.swap(seen, below):
                return name
        raise TimeoutError

    def give_back(self, name: str) -> None:
        self.after[name] = self.head[0]
        assert self.swap(self.head, name)


async def scenario(*, count: bool) -> None:
    pool = Pool(count=count)

    async def juggler() -> list[str]:
        await asyncio.sleep(0)
        first, second = await pool.take(), await pool.take()
        pool.give_back(first)
        return [second]

    async def client() -> list[str]:
        return [await pool.take(), await pool.take()]

    mine, yours = await asyncio.gather(client(), juggler())
    assert len({*mine, *yours}) == 3, f"one connection, two users: {mine} and {yours}"


async def broken() -> None:
    await scenario(count=False)


async def repaired() -> None:
    await scenario(count=True)
