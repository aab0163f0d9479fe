"""Searches that pause reach what only a slow process shows, on the program's own scale."""

import asyncio

import pytest

from faultlab import dst
from faultlab.dst import Holds, Portfolio, SimulationConfig
from faultlab.kernel import Program


async def late_reply(reply_s: float) -> None:
    """A reply that comes in time unless its server is paused for a tenth longer than it takes."""
    answered = asyncio.get_running_loop().create_future()

    async def server() -> None:
        await asyncio.sleep(reply_s)
        answered.set_result(None)

    async with asyncio.TaskGroup() as group:
        group.create_task(server(), name="server")
        async with asyncio.timeout(1.1 * reply_s):
            await asyncio.shield(answered)


async def milliseconds() -> None:
    await late_reply(0.005)


async def seconds() -> None:
    await late_reply(5)


@pytest.mark.parametrize("program", [milliseconds, seconds])
def test_a_pause_long_enough_is_found_whatever_the_programs_scale(program: Program) -> None:
    found = dst.check(program, SimulationConfig(search=Holds(pauses=True), seeds=range(64))).finding
    assert found is not None
    (decision,) = found.decisions
    assert decision.words.startswith("pause server")


@pytest.mark.parametrize("program", [milliseconds, seconds])
def test_a_search_without_pauses_never_makes_a_process_slow(program: Program) -> None:
    for search in (Holds(), Portfolio(pauses=False)):
        assert dst.check(program, SimulationConfig(search=search)).verdict == "clean"


def test_three_of_sixteen_seeds_pause_and_none_if_pauses_are_left_out() -> None:
    pausing = [seed for seed in range(16) if Portfolio().member(seed) == Holds(pauses=True)]
    assert len(pausing) == 3
    assert all(Portfolio(pauses=False).member(seed) != Holds(pauses=True) for seed in range(16))
