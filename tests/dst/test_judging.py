"""What counts as an invariant, and what it may say."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from faultlab.dst.invariants import (
    Broken,
    InvariantError,
    Undecided,
    expect,
    judge,
    looked_at,
    name_of,
    no_duplicate_effect,
)
from faultlab.kernel import History
from tests.dst.histories import history

TWICE = history(*[("w", "applied", {"key": "order-42", "effect": n}) for n in (1, 2)])
ONCE = history(("w", "applied", {"key": "order-42", "effect": 1}))


def charged_once(history: History) -> str | None:
    charges = [e for e in history.of("applied") if e.fields["key"] == "order-42"]
    if len(charges) > 1:
        return f"order-42 was charged {len(charges)} times"
    return None


def test_an_invariant_of_your_own_is_five_lines() -> None:
    assert judge(ONCE, [charged_once]) == []
    assert judge(TWICE, [charged_once]) == [
        Broken(name="charged_once", message="order-42 was charged 2 times")
    ]


def test_a_failed_assertion_is_a_broken_invariant() -> None:
    def asserts(history: History) -> None:
        assert len(history) == 1, "one event is right"

    def asserts_silently(history: History) -> None:
        if len(history) != 1:
            raise AssertionError

    assert judge(ONCE, [asserts, asserts_silently]) == []
    said = judge(TWICE, [asserts, asserts_silently])
    assert said[0].message.startswith("one event is right")
    assert said[1].message == "an assertion without a message failed"


def test_an_invariant_may_say_several_things_and_prove_them() -> None:
    def yields(history: History) -> Iterator[str | Broken | Undecided]:
        for event in history:
            yield Broken(message="no", events=(event.seq,))
        yield "text"
        yield Undecided(message="too much")

    assert judge(TWICE, [yields]) == [
        Broken(name="yields", message="no", events=(0,)),
        Broken(name="yields", message="no", events=(1,)),
        Broken(name="yields", message="text"),
        Undecided(name="yields", message="too much"),
    ]


def test_a_finding_that_names_itself_keeps_its_name() -> None:
    def names(history: History) -> Broken:
        return Broken(name="ledger balances", message="no")

    assert [one.name for one in judge(ONCE, [names])] == ["ledger balances"]


def test_findings_keep_the_order_of_the_invariants() -> None:
    said = judge(TWICE, [charged_once, no_duplicate_effect()])
    assert [one.name for one in said] == ["charged_once", "no_duplicate_effect(applied by key)"]


@pytest.mark.parametrize("returned", [True, False, 0, [False], object()])
def test_what_is_no_verdict_is_an_error_and_not_taken_for_one(returned: Any) -> None:
    def odd(history: History) -> Any:
        return returned

    with pytest.raises(InvariantError, match=r"odd returned .*expect"):
        judge(ONCE, [odd])


def test_a_crash_of_an_invariant_is_an_error_and_no_violation() -> None:
    def crashes(history: History) -> None:
        raise KeyError("order")

    with pytest.raises(InvariantError, match=r"crashes raised KeyError: 'order'\. Mend it"):
        judge(ONCE, [crashes])


def test_an_async_function_is_no_invariant() -> None:
    async def late(history: History) -> None: ...

    with pytest.raises(InvariantError, match="late is async"):
        judge(ONCE, [late])  # type: ignore[list-item]


def test_text_instead_of_a_function_is_no_invariant() -> None:
    with pytest.raises(InvariantError, match=r"'charged_once' is no invariant\. Give a function"):
        judge(ONCE, ["charged_once"])  # type: ignore[list-item]


def test_an_invariant_can_say_how_much_it_looked_at() -> None:
    rule = no_duplicate_effect()
    assert looked_at(rule, TWICE) == 2
    assert looked_at(no_duplicate_effect("apply"), TWICE) == 0
    assert looked_at(charged_once, TWICE) is None
    assert repr(rule) == "<invariant no_duplicate_effect(applied by key)>"


def test_a_rule_can_be_renamed() -> None:
    rule = expect(lambda history: False, "never", name="house rule")
    assert (name_of(rule), judge(ONCE, [rule])[0].name) == ("house rule", "house rule")


def test_a_field_that_no_event_has_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(InvariantError, match=r"event #0 \(applied\) has no field 'keys'. Did you"):
        judge(TWICE, [no_duplicate_effect(by=("keys",))])


def test_judging_the_same_history_gives_the_same_words_under_any_hash_seed() -> None:
    program = """
from tests.dst.test_linearizable_oracle import generated, Register, judge, linearizable
from tests.dst.test_serializable_oracle import generate, serializable, Random
for history, _ in zip(generated("register"), range(60)):
    print(judge(history, [linearizable(Register())]))
random = Random(3)
for _ in range(60):
    print(judge(generate(random), [serializable()]))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(["src", *sys.path])},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "Broken" in printed.pop()
