"""Approval, then action: the user stops the agent between the check and the tool call."""

import asyncio


class Agent:
    def __init__(self) -> None:
        self.approved = True
        self.stopped_at: int | None = None
        self.calls: list[str] = []

    async def act(self, tool: str) -> None:
        if self.approved:
            await asyncio.sleep(0)  # fetches the tool's schema
            self.call(tool)

    async def act_checked_last(self, tool: str) -> None:
        await asyncio.sleep(0)
        if self.approved:
            self.call(tool)

    def call(self, tool: str) -> None:
        assert self.approved, f"{tool} ran after the user had stopped the agent"
        self.calls.append(tool)


async def scenario(name: str) -> None:
    agent = Agent()

    async def user() -> None:
        for _ in range(6):
            await asyncio.sleep(0)
        agent.approved = False

    async def loop() -> None:
        for tool in ("search", "read"):
            await getattr(agent, name)(tool)

    async with asyncio.TaskGroup() as group:
        group.create_task(loop(), name="agent")
        group.create_task(user(), name="user")


async def broken() -> None:
    await scenario("act")


async def repaired() -> None:
    await scenario("act_checked_last")
