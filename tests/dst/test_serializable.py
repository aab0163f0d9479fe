"""Serializability over real runs: each anomaly on a store that lets it happen, and its repair."""

import asyncio
from dataclasses import replace
from typing import Any, Literal

import pytest

from faultlab.dst.invariants import (
    Access,
    Broken,
    InvariantError,
    Transaction,
    Undecided,
    judge,
    no_lost_update,
    returned,
    serializable,
    transactions,
)
from faultlab.dst.serializable import anomaly
from faultlab.dst.transactions import lost_updates
from faultlab.kernel import History, record, run
from tests.dst.histories import Row, history

Step = tuple[float, str, str]
"""When, what (read, write, commit, abort), which key."""

SCRIPTS: dict[str, dict[str, list[Step]]] = {
    "G0 (dirty write)": {
        "t1": [(0, "write", "a"), (2, "write", "b"), (4, "commit", "")],
        "t2": [(1, "write", "a"), (1, "write", "b"), (4, "commit", "")],
    },
    "G1a (aborted read)": {
        "t1": [(0, "write", "a"), (2, "abort", "")],
        "t2": [(1, "read", "a"), (3, "commit", "")],
    },
    "G1b (intermediate read)": {
        "t1": [(0, "write", "a"), (2, "write", "a"), (3, "commit", "")],
        "t2": [(1, "read", "a"), (4, "commit", "")],
    },
    "G1c (circular information flow)": {
        "t1": [(0, "write", "a"), (2, "read", "b"), (3, "commit", "")],
        "t2": [(1, "write", "b"), (1, "read", "a"), (3, "commit", "")],
    },
    "G-single (read skew)": {
        "t1": [(0, "read", "a"), (2, "read", "b"), (3, "commit", "")],
        "t2": [(1, "write", "a"), (1, "write", "b"), (1, "commit", "")],
    },
    "G2 (write skew)": {
        "t1": [(0, "read", "a"), (0, "read", "b"), (2, "write", "a"), (3, "commit", "")],
        "t2": [(0, "read", "a"), (0, "read", "b"), (2, "write", "b"), (3, "commit", "")],
    },
}


def play(script: dict[str, list[Step]], *, isolated: bool) -> History:
    """Transactions that read and write in place, one at a time or all at once."""

    async def program() -> None:
        versions: dict[str, list[int]] = {"a": [0], "b": [0]}
        newest = {"a": 0, "b": 0}
        lock = asyncio.Lock()

        def act(tx: str, action: str, key: str) -> None:
            if action == "read":
                record("read", tx=tx, key=key, version=versions[key][-1])
            elif action == "write":
                newest[key] += 1
                versions[key].append(newest[key])
                record("write", tx=tx, key=key, version=newest[key])
            else:
                if action == "abort":
                    versions["a"].pop()
                record(action, tx=tx)

        async def transaction(tx: str, steps: list[Step]) -> None:
            record("begin", tx=tx)
            for at_s, action, key in steps:
                await asyncio.sleep(max(0.0, at_s - asyncio.get_running_loop().time()))
                act(tx, action, key)

        async def alone(tx: str, steps: list[Step]) -> None:
            async with lock:
                await transaction(tx, steps)

        one = alone if isolated else transaction
        await asyncio.gather(*(one(tx, steps) for tx, steps in script.items()))

    made = run(program)
    assert made.error is None
    return made.history


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_anomaly_is_called_by_its_name(name: str) -> None:
    (found,) = judge(play(SCRIPTS[name], isolated=False), [serializable()])
    assert isinstance(found, Broken)
    assert found.message.startswith(f"{name}: ")
    assert len(found.events) >= 1


@pytest.mark.parametrize("name", SCRIPTS)
def test_twin_transactions_one_at_a_time_are_serializable(name: str) -> None:
    made = play(SCRIPTS[name], isolated=True)
    assert len(made.of("commit", "abort")) == 2
    assert judge(made, [serializable(), serializable(strict=True)]) == []


def test_a_cycle_is_told_edge_by_edge() -> None:
    (found,) = judge(play(SCRIPTS["G-single (read skew)"], isolated=False), [serializable()])
    assert found.message == (
        "G-single (read skew): no order puts tx t1 → tx t2 → tx t1 one after the other\n"
        "  tx t1 before tx t2: tx t1 read version 0 of 'a' (#2), not yet version 1, which tx t2 "
        "wrote (#3)\n"
        "  tx t2 before tx t1: tx t1 read version 1 of 'b' (#6), which tx t2 wrote (#4)\n"
        "  tx t1 from #0 at 0 s: r('a', version 0) #2, r('b', version 1) #6; committed\n"
        "  tx t2 from #1 at 0 s: w('a', version 1) #3, w('b', version 1) #4; committed"
    )
    assert found.events == (2, 3, 4, 6)
    assert found.name == "serializable(transactions of read and write)"


def test_real_time_counts_only_if_it_is_asked_for() -> None:
    """The second began after the first had committed, and yet saw nothing of it."""
    rows: list[Row] = [
        ("p", "begin", {"tx": 1}),
        ("p", "write", {"tx": 1, "key": "a", "version": 1}),
        ("p", "commit", {"tx": 1}),
        ("q", "begin", {"tx": 2}),
        ("q", "read", {"tx": 2, "key": "a", "version": 0}),
        ("q", "commit", {"tx": 2}),
    ]
    assert judge(history(*rows), [serializable()]) == []
    (found,) = judge(history(*rows), [serializable(strict=True)])
    assert found.message.startswith("G-single (read skew), against real time: ")
    assert "tx 1 before tx 2: it had committed (#2) when the other began (#3)" in found.message


def test_an_unknown_ending_is_a_commit_once_somebody_read_from_it() -> None:
    rows: list[Row] = [
        ("p", "write", {"tx": 1, "key": "a", "version": 1}),
        ("q", "read", {"tx": 2, "key": "a", "version": 1}),
        ("q", "commit", {"tx": 2}),
    ]
    assert judge(history(*rows), [serializable()]) == []
    rows += [("q", "read", {"tx": 3, "key": "a", "version": 0}), ("q", "commit", {"tx": 3})]
    assert judge(history(*rows), [serializable()]) == []
    assert judge(history(*rows), [serializable(strict=True)]) != []
    rows.append(("p", "abort", {"tx": 1}))
    (found,) = judge(history(*rows), [serializable()])
    assert found.message.startswith("G1a (aborted read): tx 2 read version 1 of 'a' (#1)")


def committed(name: str, *accesses: tuple[Literal["read", "write"], str, int]) -> Transaction:
    return Transaction(
        name=name,
        accesses=tuple(
            Access(kind=kind, key=key, version=version, seq=seq)
            for seq, (kind, key, version) in enumerate(accesses)
        ),
        ending="committed",
        began_seq=0,
    )


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ([committed("t", ("write", "a", 1), ("read", "a", 0))], "after it had itself written"),
        ([committed("t", ("write", "a", 2), ("write", "a", 1))], "versions must grow"),
        ([committed("t", ("read", "a", 1), ("write", "a", 1))], "before it wrote that version"),
        ([committed("t", ("read", "a", 5), ("write", "a", 3))], "which no transaction wrote"),
        ([committed("t", ("read", "a", 1), ("read", "a", 2))], "no transaction wrote either"),
        ([committed(n, ("write", "a", 1)) for n in "tu"], "both committed version 1 of 'a'"),
    ],
)
def test_what_no_store_may_do_is_told_in_words(found: list[Transaction], says: str) -> None:
    finding = anomaly(found)
    assert isinstance(finding, Broken)
    assert says in finding.message


def test_too_many_unknown_writers_of_one_version_are_undecided() -> None:
    def unknown(name: str, key: str) -> Transaction:
        one = committed(name, ("write", key, 1))
        return Transaction(name=name, accesses=one.accesses, ending="unknown", began_seq=0)

    reader = committed(
        "r", *(("read", key, 1) for key in "abcdef"), ("read", "z", 9), ("write", "z", 3)
    )
    found = [reader, *(unknown(f"{key}{n}", key) for key in "abcdef" for n in range(6))]
    assert isinstance(anomaly(found), Undecided)
    assert isinstance(anomaly(found[:19]), Broken)


# no_lost_update


class Shelf:
    """Snapshot reads; at the commit a checking shelf refuses what has been overwritten."""

    def __init__(self, *, checks: bool) -> None:
        self.version = 0
        self.checks = checks

    async def add(self, tx: str) -> bool:
        record("begin", tx=tx)
        seen = self.version
        record("read", tx=tx, key="stock", version=seen)
        await asyncio.sleep(1)
        if self.checks and seen != self.version:
            record("abort", tx=tx)
            return False
        self.version += 1
        record("write", tx=tx, key="stock", version=self.version)
        record("commit", tx=tx)
        return True


def two_updates(*, checks: bool) -> History:
    async def program() -> None:
        shelf = Shelf(checks=checks)

        async def until_done(name: str) -> None:
            for attempt in range(3):
                if await shelf.add(f"{name}.{attempt}"):
                    return

        await asyncio.gather(until_done("x"), until_done("y"))

    return run(program).history


def test_an_update_that_is_overwritten_unread_is_lost() -> None:
    (found,) = judge(two_updates(checks=False), [no_lost_update()])
    assert found.message.startswith(
        "the update of 'stock' by tx x.0 is lost: tx y.0 read version 0 (#3), tx x.0 wrote "
        "version 1 (#4), and tx y.0 overwrote it with version 2 (#6) without having read it.\n"
    )
    assert found.events == (3, 4, 6)
    assert judge(two_updates(checks=False), [serializable()]) != []


def test_twin_a_revision_check_makes_the_second_read_again() -> None:
    made = two_updates(checks=True)
    assert len(made.of("abort")) == 1
    assert judge(made, [no_lost_update(), serializable(), serializable(strict=True)]) == []


def test_a_blind_write_loses_nothing_that_it_was_based_on() -> None:
    rows: list[Row] = [("p", "write", {"tx": n, "key": "a", "version": n}) for n in (1, 2)] + [
        ("p", "commit", {"tx": n}) for n in (1, 2)
    ]
    assert judge(history(*rows), [no_lost_update()]) == []


@pytest.mark.parametrize("first", ["read", "write"])
def test_what_a_transaction_last_knew_of_a_key_is_what_its_write_is_based_on(first: Any) -> None:
    both = [
        committed("t", (first, "a", 1), ("write", "a", 3), ("write", "a", 4)),
        committed("u", ("read", "a", 1), ("read", "a", 4), ("write", "a", 5)),
    ]
    assert lost_updates(both) == []
    (found,) = lost_updates([*both, committed("v", ("write", "a", 2))])
    assert f"t {'read' if first == 'read' else 'wrote'} version 1 (#0)" in found.message
    assert lost_updates([both[0], committed("v", ("write", "b", 2))]) == []


@pytest.mark.parametrize("ending", ["aborted", "unknown"])
def test_an_update_that_was_not_committed_can_not_be_lost(ending: Any) -> None:
    one = committed("t", ("read", "a", 1), ("write", "a", 3))
    other = committed("u", ("write", "a", 2))
    assert len(lost_updates([one, other])) == 1
    assert lost_updates([one, replace(other, ending=ending)]) == []
    assert lost_updates([replace(one, ending=ending), other]) == []


def test_write_skew_is_not_a_lost_update() -> None:
    made = play(SCRIPTS["G2 (write skew)"], isolated=False)
    assert judge(made, [no_lost_update()]) == []


# transactions


def test_tasks_can_be_transactions_that_are_always_committed() -> None:
    rows: list[Row] = []
    for process, seen, version in (("x", 0, 1), ("y", 0, 2)):
        rows += [
            (process, "get", {"id": "a", "rev": seen}),
            (process, "put", {"id": "a", "rev": version}),
        ]
    select = transactions(
        read="get", write="put", commit=None, by=("process", "task"), key="id", version="rev"
    )
    assert [str(one) for one in select(history(*rows))] == [
        "x from #0 at 0 s: r('a', version 0) #0, w('a', version 1) #1; committed",
        "y from #2 at 1 s: r('a', version 0) #2, w('a', version 2) #3; committed",
    ]
    assert judge(history(*rows), [no_lost_update(select)]) != []


def test_reads_can_be_port_calls_that_returned() -> None:
    rows: list[Row] = [
        ("x", "call", {"surface": "s", "route": "r", "op": "get", "asked": {"tx": 1, "key": "a"}}),
        ("x", "return", {"call": 0, "known": {"version": 4}}),
    ]
    (one,) = transactions(read=returned(op="get"))(history(*rows))
    assert one.accesses == (Access(kind="read", key="a", version=4, seq=1),)
    assert one.ending == "unknown"


def test_no_version_is_nothing_there_yet() -> None:
    (one,) = transactions()(history(("x", "read", {"tx": 1, "key": "a", "version": None})))
    assert one.accesses[0].version == 0


@pytest.mark.parametrize("version", ["1", 1.5, [1]])
def test_a_version_that_is_no_number_is_an_error(version: Any) -> None:
    with pytest.raises(InvariantError, match="Record whole numbers"):
        judge(history(("x", "read", {"tx": 1, "key": "a", "version": version})), [serializable()])
