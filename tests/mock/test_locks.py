"""Leases with fencing tokens: they end by themselves, and a paused holder does not know."""

import asyncio

import pytest

from faultlab.kernel import current
from faultlab.mock import Crash, FencedRegister, Lease, LockError, Locks, StaleToken, port
from faultlab.mock.common import now_s
from tests.mock.helpers import at_once, simulate, struck


async def taken(locks: Locks, owner: str, *, lease_s: float = 10, wait_s: float = 0) -> Lease:
    lease = await locks.acquire("cron", owner, lease_s=lease_s, wait_s=wait_s)
    assert lease is not None
    return lease


def test_a_held_lock_is_not_given_to_anybody_not_even_to_its_owner() -> None:
    async def program() -> None:
        locks = Locks()
        await taken(locks, "a")
        assert await locks.acquire("cron", "b", lease_s=10) is None
        assert await locks.acquire("cron", "a", lease_s=10) is None
        assert await locks.acquire("other", "b", lease_s=10) is not None

    simulate(program)


def test_a_lease_has_ended_at_the_very_moment_it_expires() -> None:
    async def program() -> None:
        locks = Locks()
        lease = await taken(locks, "a", lease_s=10)
        assert lease.expires_at_s == 10
        await asyncio.sleep(9.999)
        assert await locks.acquire("cron", "b", lease_s=10) is None
        await asyncio.sleep(10 - now_s())
        assert (await taken(locks, "b")).token == 2

    simulate(program)


def test_tokens_grow_with_every_lease_of_every_name() -> None:
    async def program() -> list[int]:
        locks = Locks()
        tokens = []
        for name in ("a", "b", "a"):
            lease = await locks.acquire(name, "me", lease_s=1)
            assert lease is not None
            tokens.append(lease.token)
            assert await locks.release(lease)
        return tokens

    assert simulate(program).result == [1, 2, 3]


def test_renewing_keeps_the_token_and_is_refused_once_the_lease_has_ended() -> None:
    async def program() -> None:
        locks = Locks()
        lease = await taken(locks, "a", lease_s=10)
        await asyncio.sleep(9)
        renewed = await locks.renew(lease, lease_s=10)
        assert (renewed.token, renewed.expires_at_s) == (lease.token, 19)
        await asyncio.sleep(10)
        with pytest.raises(LockError, match="with token 1 has ended"):
            await locks.renew(renewed, lease_s=10)
        await taken(locks, "b")
        with pytest.raises(LockError, match="with token 1 has ended"):
            await locks.renew(renewed, lease_s=10)

    simulate(program)


def test_a_lost_lease_can_not_release_the_lock_of_its_successor() -> None:
    async def program() -> None:
        locks = Locks()
        first = await taken(locks, "a", lease_s=1)
        await asyncio.sleep(1)
        second = await taken(locks, "b")
        assert not await locks.release(first)
        assert locks.holder("cron") == second
        assert await locks.release(second)
        assert not await locks.release(second)

    simulate(program)


def test_who_waits_gets_the_lock_at_the_release_or_at_the_end_of_the_lease() -> None:
    async def program() -> list[float]:
        locks = Locks()
        lease = await taken(locks, "a", lease_s=10)

        async def waits() -> float:
            await taken(locks, "b", lease_s=10, wait_s=60)
            return now_s()

        async def releases() -> None:
            await asyncio.sleep(4)
            await locks.release(lease)

        first, second, impatient, _ = await at_once(
            waits(), waits(), locks.acquire("cron", "c", lease_s=10, wait_s=3), releases()
        )
        assert impatient is None
        return sorted((first, second))

    for seed in range(20):
        assert simulate(program, seed=seed).result == [4, 14]


def test_what_a_lock_can_not_mean_is_refused() -> None:
    async def program() -> None:
        with pytest.raises(LockError, match="lease_s=0 is no length of time"):
            await Locks().acquire("cron", "a", lease_s=0)
        with pytest.raises(LockError, match="wait_s=-1 is no time to wait"):
            await Locks().acquire("cron", "a", lease_s=1, wait_s=-1)

    simulate(program)


def test_the_lease_of_a_crashed_process_ends_by_itself_and_not_before() -> None:
    locks = Locks()

    async def node() -> None:
        service = port(locks, surface="lock", route="cron")
        await service.acquire("cron", "node", lease_s=10)

    async def program() -> None:
        assert await current().start("node", node).ended() == "crashed"
        assert await locks.acquire("cron", "other", lease_s=10) is None
        await taken(locks, "other", wait_s=60)
        assert now_s() == pytest.approx(10, abs=0.1)

    struck(program, Crash(), surface="lock", op="acquire", when="after")


def two_writers(locks: Locks, register: FencedRegister, *, fenced: bool) -> list[str]:
    """The first writer is paused for longer than its lease, between acquiring and writing."""
    told: list[str] = []

    async def writer(name: str) -> None:
        lease = await taken(locks, name, lease_s=10, wait_s=60)
        await asyncio.sleep(1)
        try:
            await register.write(name, lease.token if fenced else 10**6)
        except StaleToken:
            told.append(f"{name} refused")
        else:
            told.append(f"{name} wrote")

    async def program() -> None:
        first = current().start("first", lambda: writer("first"))
        await asyncio.sleep(0.5)
        first.pause(30)
        second = current().start("second", lambda: writer("second"))
        await second.ended()
        await first.ended()

    made = simulate(program)
    assert len(made.history.of("pause")) == 1
    return told


def test_a_fenced_register_refuses_a_holder_that_was_paused_past_its_lease() -> None:
    register = FencedRegister("start")
    assert two_writers(Locks(), register, fenced=True) == ["second wrote", "first refused"]

    async def value() -> object:
        return await register.read()

    assert asyncio.run(value()) == "second"


def test_twin_without_the_lease_s_token_the_paused_holder_overwrites_its_successor() -> None:
    register = FencedRegister("start")
    assert two_writers(Locks(), register, fenced=False) == ["second wrote", "first wrote"]


def test_one_holder_may_write_again_with_its_token() -> None:
    async def program() -> object:
        register = FencedRegister()
        for value in ("a", "b"):
            await register.write(value, token=1)
        return await register.read()

    assert simulate(program).result == "b"
