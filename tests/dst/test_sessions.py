"""Session guarantees over real runs: a lagging replica breaks them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from faultlab.dst.invariants import (
    Broken,
    InvariantError,
    judge,
    monotonic_reads,
    read_your_writes,
    returned,
)
from faultlab.kernel import History, current, record, run
from faultlab.mock import port
from tests.dst import histories as h

LAG_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Seen:
    version: int


class Replicas:
    """One primary, and replicas that follow it after a while, each after its own."""

    def __init__(self, *lags_s: float) -> None:
        self.lags_s = lags_s
        self.versions = [0 for _ in lags_s]
        self.kept: list[asyncio.TimerHandle] = []

    async def write(self, *, key: str) -> Seen:
        version = self.versions[0] + 1
        loop = asyncio.get_running_loop()
        for number, lag_s in enumerate(self.lags_s):
            if lag_s:
                self.kept.append(loop.call_later(lag_s, self._follow, number, version))
            else:
                self._follow(number, version)
        return Seen(version=version)

    def _follow(self, number: int, version: int) -> None:
        self.versions[number] = version

    async def read(self, *, key: str, replica: int) -> Seen:
        return Seen(version=self.versions[replica])


READ, WRITE = returned(op="read"), returned(op="write")


def client(*replicas: int, pause_s: float = 0.0) -> History:
    """Writes once, then reads from these replicas in turn."""

    async def program() -> None:
        store = port(Replicas(0.0, LAG_S), surface="replicas", route="r")
        await store.write(key="k")
        await asyncio.sleep(pause_s)
        for replica in replicas:
            await store.read(key="k", replica=replica)

    made = run(program)
    assert made.error is None
    return made.history


def test_a_session_that_reads_a_lagging_replica_misses_its_own_write() -> None:
    (found,) = judge(client(1), [read_your_writes(READ, WRITE)])
    assert found == Broken(
        name="read_your_writes(return of read, return of write)",
        message=(
            "main (#5 at 0 s) read version 0 of key 'k' after it had itself written version 1 "
            "(#2 at 0 s)"
        ),
        events=(2, 5),
    )


@pytest.mark.parametrize("made", [lambda: client(0), lambda: client(1, pause_s=2 * LAG_S)])
def test_twin_the_primary_or_enough_patience_shows_it(made: Callable[[], History]) -> None:
    history = made()
    assert len(READ(history)) == 1
    assert judge(history, [read_your_writes(READ, WRITE)]) == []


def test_reads_that_change_replicas_go_back_in_time() -> None:
    (found,) = judge(client(0, 1, 0), [monotonic_reads(READ)])
    assert found.message == (
        "main (#8 at 0 s) read version 0 of key 'k' after it had read version 1 (#5 at 0 s)"
    )
    assert found.events == (5, 8)


@pytest.mark.parametrize("replicas", [(0, 0, 0), (1, 1, 0)])
def test_twin_reads_that_stay_or_move_forward_are_monotonic(replicas: tuple[int, ...]) -> None:
    assert judge(client(*replicas), [monotonic_reads(READ)]) == []


def test_another_session_promises_nothing() -> None:
    rows: list[h.Row] = [
        ("a", "write", {"key": "k", "version": 2}),
        ("b", "read", {"key": "k", "version": 1}),
    ]
    assert judge(h.history(*rows), [read_your_writes(), monotonic_reads()]) == []
    rows[1] = ("a", "read", {"key": "k", "version": 1})
    assert len(judge(h.history(*rows), [read_your_writes()])) == 1
    rows[1] = ("a", "read", {"key": "other", "version": 1})
    assert judge(h.history(*rows), [read_your_writes()]) == []


def test_a_read_that_began_before_the_write_was_known_owes_it_nothing() -> None:
    rows = [
        h.call("a", "read", key="k"),
        h.call("a", "write", key="k"),
        h.back("a", 1, {"version": 1}),
        h.back("a", 0, {"version": 0}),
    ]
    assert judge(h.history(*rows), [read_your_writes(READ, WRITE)]) == []
    rows += [h.call("a", "read", key="k"), h.back("a", 4, {"version": 0})]
    assert len(judge(h.history(*rows), [read_your_writes(READ, WRITE)])) == 1


def test_a_write_whose_reply_was_lost_binds_no_read() -> None:
    rows = [h.call("a", "write", key="k"), h.lost("a", 0)]
    rows += [h.call("a", "read", key="k"), h.back("a", 2, {"version": 0})]
    assert judge(h.history(*rows), [read_your_writes(READ, WRITE)]) == []


def test_a_process_that_starts_again_is_a_new_session() -> None:
    async def writes() -> None:
        record("write", key="k", version=1)

    async def reads() -> None:
        record("read", key="k", version=0)

    async def program(second: str) -> None:
        await current().start("node", writes).ended()
        await current().start(second, reads).ended()

    async def again() -> None:
        await program("node")

    assert judge(run(again).history, [read_your_writes()]) == []

    async def both() -> None:
        async def node() -> None:
            await writes()
            await reads()

        await current().start("node", node).ended()

    assert len(judge(run(both).history, [read_your_writes()])) == 1


def test_nothing_there_is_older_than_any_version() -> None:
    rows: list[h.Row] = [
        ("a", "read", {"key": "k", "version": 1}),
        ("a", "read", {"key": "k", "version": None}),
    ]
    assert len(judge(h.history(*rows), [monotonic_reads()])) == 1


@pytest.mark.parametrize("version", ["v1", [1]])
def test_a_version_that_has_no_order_is_an_error(version: Any) -> None:
    rows: list[h.Row] = [("a", "read", {"key": "k", "version": version})] * 2
    with pytest.raises(InvariantError, match=r"has the version .* Name a field with numbers"):
        judge(h.history(*rows), [monotonic_reads()])
