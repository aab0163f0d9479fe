"""A future answered twice: the reply comes when the timeout has answered already."""

import asyncio
from collections.abc import Callable

REPLY_S, TIMEOUT_S = 0.5, 1.0

Reply = asyncio.Future[str]


def time_out(reply: Reply) -> None:
    reply.set_exception(TimeoutError("no reply"))


def answer(reply: Reply, text: str) -> None:
    reply.set_result(text)


def answer_if_open(reply: Reply, text: str) -> None:
    if not reply.done():
        reply.set_result(text)


async def scenario(deliver: Callable[[Reply, str], None]) -> None:
    loop = asyncio.get_running_loop()
    reply: Reply = loop.create_future()
    timer = loop.call_later(TIMEOUT_S, time_out, reply)
    reply.add_done_callback(lambda _: timer.cancel())

    async def server() -> None:
        await asyncio.sleep(REPLY_S)
        deliver(reply, "done")

    serving = asyncio.create_task(server(), name="server")
    try:
        await reply
    except TimeoutError:
        await serving


async def broken() -> None:
    await scenario(answer)


async def repaired() -> None:
    await scenario(answer_if_open)
