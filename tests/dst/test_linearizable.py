"""Linearizability over real runs, its models, its words, and what it does with too much."""

import asyncio
from typing import Any

import pytest

from faultlab.dst.invariants import (
    ANY,
    Broken,
    Counter,
    InvariantError,
    Operation,
    Queue,
    Register,
    Spec,
    Undecided,
    calls,
    judge,
    linearizable,
)
from faultlab.kernel import History, Policy, current, record, run
from faultlab.mock import Crash, LostReply, OneFault, port
from tests.dst import histories as h


class Store:
    """A register. An eager one says that a write is done before it is."""

    def __init__(self, *, eager: bool = False) -> None:
        self.value: int | None = None
        self.eager = eager
        self.kept: list[asyncio.Task[None]] = []

    async def write(self, *, value: int) -> None:
        if self.eager:
            self.kept.append(asyncio.create_task(self._set(value)))
        else:
            self.value = value

    async def _set(self, value: int) -> None:
        await asyncio.sleep(1)
        self.value = value

    async def read(self) -> int | None:
        return self.value


def write_then_read(store: Store, policy: Policy | None = None) -> History:
    """One process writes 1; another, later, reads until it sees something."""
    shared = port(store, surface="store", route="s")

    async def writer() -> None:
        try:
            await shared.write(value=1)
        except TimeoutError:
            record("gave up")

    async def program() -> None:
        await current().start("writer", writer).ended()
        for _ in range(3):
            await shared.read()
            await asyncio.sleep(0.6)

    made = run(program, policy=policy)
    assert made.error is None
    return made.history


def test_a_write_that_is_acknowledged_too_early_is_named_by_the_read_that_misses_it() -> None:
    (found,) = judge(write_then_read(Store(eager=True)), [linearizable(Register())])
    assert found == Broken(
        name="linearizable(Register, calls of any port)",
        message=(
            "no order of the calls explains that #4 read answered None at #6 at 0 s: it would have "
            "had to answer 1. One order that explains all before it: #1.\n"
            "  #1–#3  0 s – 0 s  writer  write value=1  → None\n"
            "  #4–#6  0 s – 0 s  main  read  → None  ← no order explains this"
        ),
        events=(1, 3, 4, 6),
    )


def test_twin_a_write_that_is_acknowledged_when_it_is_done() -> None:
    assert judge(write_then_read(Store()), [linearizable(Register())]) == []


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("fault", [LostReply(), Crash()])
def test_a_write_that_was_lost_or_cut_off_may_have_happened_or_not(fault: Any, when: Any) -> None:
    policy = OneFault(fault, surface="store", op="write", when=when)
    made = write_then_read(Store(), policy)
    assert policy.exercised
    (write,) = calls(op="write")(made)
    assert write.outcome == ("pending" if isinstance(fault, Crash) else "raised")
    assert {read.known for read in calls(op="read")(made)} == {1 if when == "after" else None}
    assert judge(made, [linearizable(Register())]) == []


def flickering(lost: bool) -> History:
    """A write without an answer, seen, then no longer seen."""
    end = h.lost("x", 0) if lost else h.crash("x")
    reads = [("y", 2, 1), ("y", 4, None)]
    rows = [h.call("x", "write", value=1), end]
    for process, number, known in reads:
        rows += [h.call(process, "read"), h.back(process, number, known)]
    return h.history(*rows)


@pytest.mark.parametrize("lost", [True, False])
def test_a_lost_write_that_was_seen_can_not_unhappen(lost: bool) -> None:
    (found,) = judge(flickering(lost), [linearizable(Register())])
    assert "#4 read answered None" in found.message
    assert "may have happened" in found.message


@pytest.mark.parametrize("begins", [0, 1])
def test_of_two_lost_calls_with_one_outcome_either_may_be_the_one_that_happened(
    begins: int,
) -> None:
    """A 1 is seen, then a 2, then a 1: only the swap can have made the first, whichever began."""
    write = h.call("x", "write", value=1)
    swap = h.call("x", "compare_and_set", expected=None, value=1)
    rows = [write, swap] if begins == 0 else [swap, write]
    rows += [h.lost("x", 0), h.lost("x", 1)]
    rows += [h.call("z", "read"), h.back("z", 4, 1), h.call("z", "write", value=2), h.back("z", 6)]
    rows += [h.call("z", "read"), h.back("z", 8, 2), h.call("z", "read"), h.back("z", 10, 1)]
    assert judge(h.history(*rows), [linearizable(Register())]) == []
    rows += [
        h.call("z", "write", value=2),
        h.back("z", 12),
        h.call("z", "read"),
        h.back("z", 14, 1),
    ]
    assert judge(h.history(*rows), [linearizable(Register())]) != []


def test_an_addition_may_answer_nothing() -> None:
    rows = [h.call("x", "add", amount=2), h.back("x", 0), h.call("x", "read"), h.back("x", 2, 2)]
    assert judge(h.history(*rows), [linearizable(Counter())]) == []
    rows[1] = h.back("x", 0, 3)
    assert judge(h.history(*rows), [linearizable(Counter())]) != []


def test_a_lost_write_may_take_effect_long_after_its_caller_gave_up() -> None:
    rows = [h.call("x", "write", value=1), h.lost("x", 0)]
    rows += [h.call("y", "read"), h.back("y", 2, None), h.call("y", "read"), h.back("y", 4, 1)]
    assert judge(h.history(*rows), [linearizable(Register())]) == []


def test_an_error_that_refuses_for_certain_had_no_effect() -> None:
    rows = [h.call("x", "write", value=1), h.lost("x", 0, "Conflict")]
    rows += [h.call("y", "read"), h.back("y", 2, 1)]
    made = h.history(*rows)
    assert judge(made, [linearizable(Register())]) == []
    assert judge(made, [linearizable(Register(), refused=("Conflict",))]) != []


def test_objects_are_told_apart_by_an_argument() -> None:
    rows = [h.call("x", "put", key="a", value=1), h.back("x", 0)]
    rows += [h.call("x", "get", key="b"), h.back("x", 2, None)]
    register = Register(read="get", write="put")
    assert judge(h.history(*rows), [linearizable(register, by=("key",))]) == []
    assert judge(h.history(*rows), [linearizable(register)]) != []
    rows[3] = h.back("x", 2, 1)
    (found,) = judge(h.history(*rows), [linearizable(register, by=("key",))])
    assert found.message.startswith("no order of the calls key='b' explains that #2 get answered 1")
    assert "It is first." in found.message


class Tally:
    """Adds by reading and writing, with a moment between unless it is careful."""

    def __init__(self, *, careful: bool) -> None:
        self.total = 0
        self.moment_s = 0.0 if careful else 0.1

    async def add(self, *, amount: int) -> int:
        seen = self.total
        if self.moment_s:
            await asyncio.sleep(self.moment_s)
        self.total = seen + amount
        return self.total

    async def read(self) -> int:
        return self.total


@pytest.mark.parametrize("careful", [True, False])
def test_a_counter_that_loses_an_addition_is_found(careful: bool) -> None:
    async def program() -> None:
        tally = port(Tally(careful=careful), surface="tally", route="t")
        await asyncio.gather(tally.add(amount=1), tally.add(amount=2))
        await tally.read()

    found = judge(run(program).history, [linearizable(Counter(), calls(surface="tally"))])
    assert (found == []) is careful


class Pile:
    """A queue; a hasty one looks at the first item and removes it a moment later."""

    def __init__(self, *, hasty: bool) -> None:
        self.items = ["a", "b"]
        self.hasty = hasty

    async def take(self) -> str:
        item = self.items[0]
        if self.hasty:
            await asyncio.sleep(0.1)
        if item in self.items:
            self.items.remove(item)
        return item


@pytest.mark.parametrize("hasty", [True, False])
def test_a_queue_that_hands_an_item_out_twice_is_found(hasty: bool) -> None:
    async def program() -> None:
        pile = port(Pile(hasty=hasty), surface="queue", route="q")
        await asyncio.gather(pile.take(), pile.take())

    queue = linearizable(Queue(start=("a", "b")))
    found = judge(run(program).history, [queue])
    assert (found == []) is not hasty
    if hasty:
        assert "had to answer 'b'" in found[0].message


def test_a_model_of_your_own_is_a_function() -> None:
    def step(level: int, call: Operation) -> tuple[Any, int]:
        if call.op == "fill":
            return ANY, level + int(call.asked["litres"])
        return level, level

    tank = linearizable(Spec(start=0, step=step), calls(op=("fill", "gauge")))
    rows = [h.call("x", "fill", litres=5), h.back("x", 0), h.call("x", "gauge"), h.back("x", 2, 5)]
    assert judge(h.history(*rows), [tank]) == []
    rows[3] = h.back("x", 2, 4)
    assert judge(h.history(*rows), [tank]) != []


def test_states_may_be_lists_and_dicts() -> None:
    def step(state: dict[str, list[int]], call: Operation) -> tuple[Any, dict[str, list[int]]]:
        kept = [*state["seen"], len(state["seen"])]
        return kept, {"seen": kept}

    rows = [h.call("x", "grow"), h.back("x", 0, [0]), h.call("x", "grow"), h.back("x", 2, [0, 1])]
    assert judge(h.history(*rows), [linearizable(Spec(start={"seen": []}, step=step))]) == []


def crowd(callers: int) -> History:
    """Many at once write different values, and then one reads what nobody wrote."""
    rows = [h.call(f"w{n}", "write", value=n) for n in range(callers)]
    rows += [h.back(f"w{n}", n) for n in range(callers)]
    rows += [h.call("r", "read"), h.back("r", 2 * callers, -1)]
    return h.history(*rows)


def test_what_is_too_much_is_undecided_and_says_what_helps() -> None:
    (found,) = judge(crowd(16), [linearizable(Register(), steps_max=5000)])
    assert isinstance(found, Undecided)
    assert found.message.startswith("gave up after 5000 steps of the model at write #")
    assert found.message.endswith("Tell objects apart with by=(…), let fewer calls run at once, "
                                  "or raise steps_max.")  # fmt: skip
    (found,) = judge(crowd(6), [linearizable(Register(), steps_max=5000)])
    assert isinstance(found, Broken)


def long_run(callers: int, rounds: int, lost_every: int) -> History:
    """Rounds in which all callers are under way at once, and some never hear back."""
    rows: list[h.Row] = []
    value: int | None = None
    for turn in range(rounds):
        numbers = {}
        for n in range(callers):
            numbers[n] = len(rows)
            op = h.call(f"p{n}", "read") if n % 2 else h.call(f"p{n}", "write", value=turn)
            rows.append(op)
        for n, number in numbers.items():
            if (turn * callers + n) % lost_every == 0:
                rows.append(h.lost(f"p{n}", number))
                continue
            if n % 2 == 0:
                value = turn
            rows.append(h.back(f"p{n}", number, value if n % 2 else None))
    return h.history(*rows)


def test_hundreds_of_calls_of_which_many_are_lost_are_decided() -> None:
    made = long_run(callers=4, rounds=100, lost_every=15)
    lost = [call for call in calls()(made) if call.outcome == "raised"]
    assert len(lost) > 25
    assert judge(made, [linearizable(Register(), steps_max=200_000)]) == []


def test_equal_calls_that_were_lost_are_not_told_apart() -> None:
    rows: list[h.Row] = []
    for n in range(40):
        rows += [h.call(f"p{n}", "add"), h.lost(f"p{n}", 2 * n)]
    rows += [h.call("r", "read"), h.back("r", 80, 17), h.call("r", "read"), h.back("r", 82, 40)]
    assert judge(h.history(*rows), [linearizable(Counter(), steps_max=2_000)]) == []
    rows[-1] = h.back("r", 82, 41)
    (found,) = judge(h.history(*rows), [linearizable(Counter(), steps_max=2_000)])
    assert isinstance(found, Broken)


def test_a_message_lists_only_the_latest_of_many_calls() -> None:
    rows: list[h.Row] = []
    for n in range(50):
        rows += [h.call("x", "write", value=n), h.back("x", 2 * n)]
    rows += [h.call("x", "read"), h.back("x", 100, 3)]
    (found,) = judge(h.history(*rows), [linearizable(Register())])
    assert len(found.message.splitlines()) == 14
    assert "had to answer 49" in found.message


@pytest.mark.parametrize(
    ("invariant", "says"),
    [
        (linearizable(Register()), r"Register knows the ops read, write, .*is 'red'.*'read'"),
        (linearizable(Counter()), r"Counter knows the ops add, read"),
        (linearizable(Queue(put="red")), r"call #0 \(red\) has no argument 'item'.* Say which"),
        (linearizable(Register(), by=("key",)), r"has no argument 'key', which is to tell objects"),
    ],
)
def test_a_model_that_does_not_fit_is_an_error_with_a_remedy(invariant: Any, says: str) -> None:
    made = h.history(h.call("x", "red", itm=1), h.back("x", 0))
    with pytest.raises(InvariantError, match=says):
        judge(made, [invariant])


def test_no_steps_at_all_is_an_error() -> None:
    with pytest.raises(InvariantError, match="steps_max is 0"):
        linearizable(Register(), steps_max=0)
