"""The linearizability check agrees with trying every order, on thousands of small histories."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, combinations, permutations
from random import Random
from typing import Any

import pytest

from faultlab.dst.invariants import (
    Counter,
    Map,
    Model,
    Operation,
    Queue,
    Register,
    calls,
    judge,
    linearizable,
)
from faultlab.dst.orders import search
from faultlab.kernel import History
from tests.dst import histories as h

pytestmark = pytest.mark.long

HISTORIES = 2500
Apply = Callable[[Any, str, dict[str, Any]], tuple[Any, Any]]
FREE = object()


def register(state: Any, op: str, asked: dict[str, Any]) -> tuple[Any, Any]:
    if op == "read":
        return state, state
    if op == "write":
        return FREE, asked["value"]
    return (True, asked["value"]) if state == asked["expected"] else (False, state)


def counter(state: Any, op: str, asked: dict[str, Any]) -> tuple[Any, Any]:
    total = state if op == "read" else state + asked["amount"]
    return total, total


def queue(state: Any, op: str, asked: dict[str, Any]) -> tuple[Any, Any]:
    if op == "put":
        return FREE, [*state, asked["item"]]
    return (state[0], state[1:]) if state else (None, state)


def table(state: Any, op: str, asked: dict[str, Any]) -> tuple[Any, Any]:
    rest = {key: value for key, value in state.items() if key != asked["key"]}
    if op == "get":
        return state.get(asked["key"]), state
    return FREE, rest if op == "delete" else rest | {asked["key"]: asked["value"]}


def one_of(random: Random, kind: str) -> Any:
    """An op with its arguments, from a world small enough for calls to meet."""
    value = random.randint(1, 2)
    if kind == "register":
        swap = {"expected": random.choice([None, 1, 2]), "value": value}
        return random.choice([("read", {}), ("write", {"value": value}), ("compare_and_set", swap)])
    if kind == "counter":
        return random.choice([("read", {}), ("add", {"amount": value})])
    if kind == "queue":
        return random.choice([("take", {}), ("put", {"item": value})])
    key = random.choice("ab")
    put = {"key": key, "value": value}
    return random.choice([("get", {"key": key}), ("put", put), ("delete", {"key": key})])


SPECS: dict[str, tuple[Model, Apply, Any, list[Any]]] = {
    "register": (Register(), register, None, [None, 1, 2, True, False]),
    "counter": (Counter(), counter, 0, [0, 1, 2, 3, 4]),
    "queue": (Queue(), queue, [], [None, 1, 2]),
    "table": (Map(), table, {}, [None, 1, 2]),
}


def generate(random: Random, kind: str, ops_max: int) -> History:
    """A concurrent history: calls take effect at random moments, some replies are lost, some
    callers crash, and some answers are wrong."""
    _, apply, state, answers = SPECS[kind]
    rows: list[h.Row] = []
    ahead = random.randint(1, ops_max)
    under_way: dict[str, list[Any]] = {}
    liar = random.random() < 0.6
    while ahead or under_way:
        process = random.choice("xyz")
        if process not in under_way:
            if ahead:
                op, asked = one_of(random, kind)
                under_way[process] = [len(rows), op, asked, False, None]
                rows.append(h.call(process, op, **asked))
                ahead -= 1
            continue
        number, op, asked, done, answer = under_way[process]
        if not done and random.random() < 0.8:
            answer, state = apply(state, op, asked)
            under_way[process][3:] = [True, answer]
        elif random.random() < 0.3:
            end = h.lost(process, number) if random.random() < 0.6 else h.crash(process)
            rows.append(end)
            del under_way[process]
        elif done:
            known = None if answer is FREE else answer
            if liar and random.random() < 0.6 and answer is not FREE:
                known = random.choice(answers)
            rows.append(h.back(process, number, known))
            del under_way[process]
    return h.history(*rows)


def by_brute_force(made: list[Operation], apply: Apply, start: Any) -> bool:
    """Whether any order of any choice of the lost calls, with all the others, explains it."""
    certain = [call for call in made if call.outcome == "returned"]
    perhaps = [call for call in made if call.outcome != "returned"]
    choices = chain.from_iterable(combinations(perhaps, n) for n in range(len(perhaps) + 1))
    return any(
        explains(order, apply, start)
        for chosen in choices
        for order in permutations([*certain, *chosen])
    )


def explains(order: tuple[Operation, ...], apply: Apply, state: Any) -> bool:
    for number, call in enumerate(order):
        if any(later.outcome == "returned" and ended(later) < call.began_seq
               for later in order[number + 1 :]):  # fmt: skip
            return False
        answer, state = apply(state, call.op, dict(call.asked))
        if call.outcome == "returned" and answer is not FREE and answer != call.known:
            return False
    return True


def ended(call: Operation) -> int:
    assert call.ended_seq is not None
    return call.ended_seq


def generated(kind: str, ops_max: int = 5) -> Iterator[History]:
    random = Random(f"{kind} 1993")
    return (generate(random, kind, ops_max) for _ in range(HISTORIES))


@pytest.mark.parametrize("kind", SPECS)
def test_agrees_with_trying_every_order(kind: str) -> None:
    model, apply, start, _ = SPECS[kind]
    verdicts = []
    for history in generated(kind):
        made = list(calls()(history))
        expected = by_brute_force(made, apply, start)
        assert (judge(history, [linearizable(model)]) == []) is expected, history.to_json()
        verdicts.append((expected, any(call.outcome != "returned" for call in made)))
    assert {verdict: verdicts.count(verdict) > 100 for verdict in set(verdicts)} == {
        (True, True): True, (True, False): True, (False, True): True, (False, False): True,
    }  # fmt: skip


def test_agrees_on_histories_of_six_calls_that_are_mostly_lost() -> None:
    random = Random(6)
    both = set()
    for _ in range(60):
        history = generate(random, "register", 6)
        made = list(calls()(history))
        expected = by_brute_force(made, register, None)
        assert isinstance(search(Register(), made), tuple) is expected
        both.add((expected, len(made) == 6))
    assert len(both) == 4


def test_the_order_that_is_found_is_one_that_explains_everything() -> None:
    found = 0
    for history in generated("register"):
        made = list(calls()(history))
        order = search(Register(), made)
        if isinstance(order, tuple):
            found += 1
            assert {call.began_seq for call in made if call.outcome == "returned"} <= {
                call.began_seq for call in order
            }
            assert explains(order, register, None)
    assert found > 300


@pytest.mark.parametrize("belief", ["they did not happen", "they happened before the error"])
def test_twin_a_check_that_believes_to_know_of_lost_calls_is_told_apart(belief: str) -> None:
    """Trying every order shows a checker that drops lost calls, or ends them with their error."""
    disagreed = 0
    for history in generated("register"):
        made = list(calls()(history))
        if belief == "they did not happen":
            believed = [call for call in made if call.outcome == "returned"]
        else:
            believed = [
                replace(call, outcome="returned") if call.op == "write" else call
                for call in made
                if call.outcome == "returned" or (call.op == "write" and call.outcome == "raised")
            ]
        mistaken = isinstance(search(Register(), believed), tuple)
        disagreed += mistaken is not by_brute_force(made, register, None)
    assert disagreed > 30


def test_objects_apart_are_judged_as_the_whole_is() -> None:
    """Locality: a map is linearizable iff each of its keys is."""
    parts = linearizable(
        Register(read="get", write="put"),
        lambda history: [c for c in calls()(history) if c.op != "delete"],
        by=("key",),
    )
    whole = linearizable(Map(), lambda history: [c for c in calls()(history) if c.op != "delete"])
    verdicts = []
    for history in generated("table"):
        expected = judge(history, [whole]) == []
        assert (judge(history, [parts]) == []) is expected
        verdicts.append(expected)
    assert 200 < sum(verdicts) < len(verdicts) - 200
