"""The serializability check agrees with trying every serial order, on thousands of histories."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, permutations
from random import Random
from typing import Any

import pytest

from faultlab.dst.invariants import (
    Access,
    Broken,
    Transaction,
    judge,
    no_lost_update,
    serializable,
    transactions,
)
from faultlab.dst.serializable import anomaly
from faultlab.kernel import History
from tests.dst import histories as h

pytestmark = pytest.mark.long

HISTORIES = 3000


def generate(random: Random, transactions_max: int = 5) -> History:
    """Transactions that interleave over two keys; isolation is what chance makes of it."""
    rows: list[h.Row] = []
    newest = {"a": 0, "b": 0}
    stored: dict[str, list[int]] = {"a": [0], "b": [0]}
    staged: dict[int, dict[str, int]] = {}
    ahead = list(range(1, random.randint(2, transactions_max) + 1))
    wild = random.random() < 0.5
    while ahead or staged:
        if ahead and (not staged or random.random() < 0.6):
            tx = ahead.pop(0)
            staged[tx] = {}
            rows.append(("p", "begin", {"tx": tx}))
            continue
        tx = random.choice(sorted(staged))
        key = random.choice("ab")
        fields: dict[str, Any] = {"tx": tx, "key": key}
        chance = random.random()
        if chance < 0.4:
            seen = staged[tx].get(key, stored[key][-1])
            if wild and random.random() < 0.3:
                seen = random.randint(0, newest[key] + (random.random() < 0.1))
            rows.append(("p", "read", fields | {"version": seen}))
        elif chance < 0.7:
            newest[key] += 1
            staged[tx][key] = newest[key]
            rows.append(("p", "write", fields | {"version": newest[key]}))
            if wild and random.random() < 0.2:
                stored[key].append(newest[key])  # a dirty write
        else:
            ending = random.choices(["commit", "abort", None], [6, 1, 3])[0]
            if ending is not None:
                rows.append(("p", ending, {"tx": tx}))
            if ending == "commit" or (ending is None and random.random() < 0.7):
                for key, version in staged[tx].items():
                    stored[key].append(version)
            del staged[tx]
    return h.history(*rows)


def by_brute_force(found: Sequence[Transaction], *, strict: bool) -> bool:
    """Whether any order of the committed ones, with any of the unknown ones, explains it."""
    committed = [one for one in found if one.ending == "committed"]
    unknown = [one for one in found if one.ending == "unknown"]
    ever = {(a.key, a.version) for one in found for a in one.accesses if a.kind == "write"}
    choices = chain.from_iterable(combinations(unknown, n) for n in range(len(unknown) + 1))
    return any(
        explains(order, ever, strict=strict)
        for chosen in choices
        for order in permutations([*committed, *chosen])
    )


def explains(order: Sequence[Transaction], ever: set[tuple[Any, int]], *, strict: bool) -> bool:
    """Runs them one after the other: each read sees the newest version, versions only grow."""
    if strict and any(
        later.ended_seq is not None and later.ended_seq < one.began_seq
        for number, one in enumerate(order)
        for later in order[number + 1 :]
    ):
        return False
    newest: dict[Any, int] = {}
    for access in (access for one in order for access in one.accesses):
        key, version = access.key, access.version
        if access.kind == "write":
            if version <= newest.get(key, -1):
                return False
            newest[key] = version
        elif key in newest:
            if version != newest[key]:
                return False
        elif (key, version) in ever:
            return False
        else:
            newest[key] = version  # what was there at first
    return True


def generated(transactions_max: int = 4) -> Iterator[list[Transaction]]:
    random = Random("Adya 1999")
    for _ in range(HISTORIES):
        yield list(transactions()(generate(random, transactions_max)))


@pytest.mark.parametrize("strict", [False, True])
def test_agrees_with_trying_every_serial_order(strict: bool) -> None:
    verdicts: Counter[tuple[bool, bool]] = Counter()
    for found in generated():
        expected = by_brute_force(found, strict=strict)
        assert (anomaly(found, strict=strict) is None) is expected, "\n".join(map(str, found))
        verdicts[expected, any(one.ending == "unknown" for one in found)] += 1
    assert min(verdicts.values()) > 200
    assert len(verdicts) == 4


def test_agrees_on_larger_ones() -> None:
    random = Random(5)
    verdicts: Counter[bool] = Counter()
    for _ in range(400):
        found = list(transactions()(generate(random, 6)))
        expected = by_brute_force(found, strict=False)
        assert (anomaly(found) is None) is expected
        verdicts[expected] += 1
    assert min(verdicts.values()) > 50


def test_agrees_when_unknown_transactions_wrote_the_same_version() -> None:
    """Which of them committed is then tried; a version has one writer."""
    random = Random(7)
    verdicts: Counter[bool] = Counter()
    for _ in range(1500):
        found = [
            Transaction(
                name=f"t{number}",
                accesses=tuple(
                    Access(
                        kind=random.choice(["read", "write"]),
                        key=random.choice("ab"),
                        version=random.randint(0, 2),
                        seq=10 * number + place,
                    )
                    for place in range(random.randint(1, 3))
                ),
                ending=random.choice(["committed", "unknown", "unknown"]),
                began_seq=10 * number,
            )
            for number in range(4)
        ]
        expected = by_brute_force(found, strict=False)
        assert (anomaly(found) is None) is expected, "\n".join(map(str, found))
        verdicts[expected] += 1
    assert min(verdicts.values()) > 200


def test_every_anomaly_comes_up_among_the_generated_histories() -> None:
    names: Counter[str] = Counter()
    for found in generated():
        finding = anomaly(found, strict=True)
        if isinstance(finding, Broken):
            names[finding.message.split(" ")[0] + " " * ("real time" in finding.message)] += 1
    assert {"G0", "G1a", "G1b", "G1c", "G-single", "G2"} <= set(names)
    assert any(name.endswith(" ") for name in names)


@pytest.mark.parametrize("belief", ["committed", "aborted"])
def test_twin_a_check_that_believes_to_know_of_unknown_endings_is_told_apart(
    belief: Any,
) -> None:
    disagreed = 0
    for found in generated():
        believed = [
            replace(one, ending=belief) if one.ending == "unknown" else one for one in found
        ]
        mistaken = anomaly(believed) is None
        disagreed += mistaken is not by_brute_force(found, strict=False)
    assert disagreed > 40


def test_a_lost_update_is_never_serializable() -> None:
    random = Random(4)
    lost = skewed = 0
    for _ in range(1200):
        history = generate(random, 4)
        if judge(history, [no_lost_update()]):
            lost += 1
            assert judge(history, [serializable()])
        else:
            skewed += bool(judge(history, [serializable()]))
    assert lost > 60
    assert skewed > 100
