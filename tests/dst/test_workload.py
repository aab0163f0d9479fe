"""Calls and arguments are picks, the simplest first; explicit calls are made as they are given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from faultlab.dst import Call, Context, Operation, Simulation, SimulationConfig, SimulationError
from faultlab.dst.workload import Made, Workload
from faultlab.kernel import Choices, Tape


async def pay(ctx: Context, order: str, amount: int) -> None: ...


async def look(ctx: Context) -> None: ...


async def switch(
    ctx: Context, on: bool, how: Literal["soft", "hard"], times: int = 3
) -> None: ...  # fmt: skip


PAY = Operation(pay, order=["a", "b"], amount=[1, 5, 100])


def drawn(seed: int, count: int = 20) -> tuple[list[Made], Tape]:
    choices = Choices(seed=seed)
    return Workload([PAY, Operation(look)], count).draw(choices), choices.tape()


def test_a_seed_draws_so_many_calls_of_all_operations_with_all_arguments() -> None:
    made = [call for seed in range(20) for call in drawn(seed)[0]]
    assert all(len(drawn(seed)[0]) == 20 for seed in range(20))
    assert {call.operation.name for call in made} == {"pay", "look"}
    arguments = {tuple(call.arguments.items()) for call in made if call.operation is PAY}
    assert len(arguments) == 6


def test_the_tape_of_a_workload_draws_it_again() -> None:
    made, tape = drawn(7)
    again = Workload([PAY, Operation(look)], 20).draw(Choices(tape=tape))
    assert [str(call) for call in again] == [str(call) for call in made]


def test_the_empty_tape_makes_no_call() -> None:
    assert Workload([PAY], 20).draw(Choices(tape=Tape())) == []


def test_dropping_a_call_or_an_argument_changes_no_other() -> None:
    made, tape = drawn(7)
    for number in (1, 9, 20):
        keys = [key for key in tape if key[2].split()[0] == str(number)]
        fewer = Workload([PAY, Operation(look)], 20).draw(Choices(tape=tape.without(*keys)))
        assert [str(call) for call in fewer] == [
            str(call) for call in made if call.number != number
        ]
    key = next(key for key in tape if key[0] == "argument")
    simpler = Workload([PAY, Operation(look)], 20).draw(Choices(tape=tape.without(key)))
    changed = [
        (before, after)
        for before, after in zip(made, simpler, strict=True)
        if str(before) != str(after)
    ]
    which, _, name = key[2].split()
    assert len(changed) == 1
    assert changed[0][1].number == int(which)
    assert changed[0][1].arguments[name] == PAY.candidates[name][0]


def test_an_argument_at_0_is_its_first_value() -> None:
    tape = Tape({("call", "", "1", 0): (1, 2)})
    (made,) = Workload([PAY], 1).draw(Choices(tape=tape))
    assert made.arguments == {"order": "a", "amount": 1}
    assert str(made) == "call 1: pay(order='a', amount=1)"


def test_bools_literals_and_defaults_need_no_values() -> None:
    assert Operation(switch).candidates == {
        "on": (False, True),
        "how": ("soft", "hard"),
        "times": (3,),
    }
    assert Operation(switch, times=[1, 2]).candidates["times"] == [1, 2]


def test_explicit_calls_are_made_in_their_order_with_their_arguments() -> None:
    calls = [Call(pay, order="b", amount=7), Call(look), Call(pay, order="a", amount=8)]
    expected = ["call 1: pay(order='b', amount=7)", "call 2: look()"]
    expected.append("call 3: pay(order='a', amount=8)")
    for seed in range(10):
        assert [str(call) for call in Workload([], calls).draw(Choices(seed=seed))] == expected


def test_an_explicit_call_can_be_dropped() -> None:
    choices = Choices(seed=0)
    workload = Workload([], [Call(look), Call(look)])
    workload.draw(choices)
    fewer = choices.tape().without(("call", "", "1", 0))
    assert [call.number for call in workload.draw(Choices(tape=fewer))] == [2]


@dataclass(frozen=True)
class Money:
    amount: int
    currency: str


async def spend(ctx: Context, money: Money, tags: tuple[str, ...], what: object) -> object:
    return {"spent": money, "tags": tags}


def test_arguments_and_results_of_any_type_enter_the_history_as_plain_values() -> None:
    call = Call(spend, money=Money(3, "EUR"), tags=("x", "y"), what=object())
    trial = Simulation(calls=[call]).trial(SimulationConfig())
    attempt = trial.attempt(seed=0)
    assert attempt.broken is None
    money = {"amount": 3, "currency": "EUR"}
    begin, end = attempt.run.history.of("begin", "end")
    assert begin.fields["args"] == {"money": money, "tags": ["x", "y"], "what": "<object>"}
    assert end.fields["result"] == {"spent": money, "tags": ["x", "y"]}


async def bare() -> None: ...


def plain(ctx: Context) -> None: ...


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Operation(plain), "is no async function"),  # type: ignore[arg-type]
        (lambda: Operation(bare), "bare takes no arguments; its first one is the context"),
        (lambda: Operation(pay, order=["a"]), "no values for the parameter 'amount'"),
        (
            lambda: Operation(pay, order=["a"], amonut=[1]),
            "pay has no parameter 'amonut'. Did you mean 'amount'?",
        ),
        (lambda: Operation(pay, order=[], amount=[1]), "order has 0 values; give 1 to"),
        (lambda: Call(pay, order="a"), "no values for the parameter 'amount'"),
        (lambda: Simulation([PAY], calls=0), "there are 0 calls; give at least one"),
        (lambda: Simulation([PAY], calls=[]), "there are 0 calls; give at least one"),
        (lambda: Simulation([]), "there are no operations"),
        (lambda: Simulation([PAY, PAY]), "two operations are named 'pay'"),
        (lambda: Simulation([PAY], concurrency=0), "concurrency is 0; give at least 1"),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(SimulationError, match=says.replace("?", r"\?")):
        make()
