"""A task that leaks: the agent's loop retries whatever it catches, its own end included."""

import asyncio


async def call_model() -> str:
    await asyncio.sleep(1)
    raise ConnectionError("the model is not there")


async def agent(retries: type[BaseException]) -> str:
    while True:
        try:
            return await call_model()
        except retries:
            continue


async def scenario(retries: type[BaseException]) -> None:
    running = asyncio.create_task(agent(retries), name="agent")
    await asyncio.sleep(10)
    running.cancel()


async def broken() -> None:
    await scenario(BaseException)


async def repaired() -> None:
    await scenario(ConnectionError)
