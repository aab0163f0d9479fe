"""The idempotency contract experiment: 64 combinations, an exact boundary, and what it refuses."""

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultlab import FaultlabError, idempotency, receiver
from faultlab.cli import main
from faultlab.contracts import CONTRACTS, PRESETS
from faultlab.idempotency import (
    KEY_SCOPES,
    SECOND_REQUESTS,
    SECONDS_MAX,
    ContractRun,
    IdempotencyError,
    combinations,
    experiment,
    milliseconds,
)
from faultlab.idempotency_account import WHEN, account, combination_id, saved_map
from faultlab.receiver import CONFLICT_POLICIES, IdempotencyRecord, Receiver

ALL: Final = list(combinations())
NAMES: Final = st.fixed_dictionaries(
    {
        "key_scope": st.sampled_from(KEY_SCOPES),
        "second_request": st.sampled_from(SECOND_REQUESTS),
        "conflict_policy": st.sampled_from(CONFLICT_POLICIES),
    }
)
MS_MAX: Final = SECONDS_MAX * 1000
EXPECTED: Final = {
    # key scope: the second disposition by second request, while the record is retained:
    # same-intent, changed-amount, other-operation, other-tenant; first enforce, then ignore
    "tenant-and-operation": ("reused conflict applied applied", "reused reused applied applied"),
    "operation": ("reused conflict applied conflict", "reused reused applied reused"),
    "tenant": ("reused conflict conflict applied", "reused reused reused applied"),
    "attempt": ("applied applied applied applied", "applied applied applied applied"),
}
SAME_KEY: Final = {
    "tenant-and-operation": {"same-intent", "changed-amount"},
    "operation": {"same-intent", "changed-amount", "other-tenant"},
    "tenant": {"same-intent", "changed-amount", "other-operation"},
    "attempt": set[str](),
}


def run(retention_ms: int, after_ms: int, **names: Any) -> ContractRun:
    """The experiment, with its numbers as text in milliseconds."""
    return experiment(retention_s=text(retention_ms), after_s=text(after_ms), **names)


def text(ms: int) -> str:
    return f"{ms // 1000}.{ms % 1000:03}"


# The 64 combinations


@pytest.mark.parametrize("made", ALL, ids=combination_id)
def test_a_combination_is_what_the_table_above_says(made: ContractRun) -> None:
    asked = made["inputs"]
    scope, second = str(asked["key_scope"]), str(asked["second_request"])
    retained = milliseconds("", asked["after_s"]) < milliseconds("", asked["retention_s"])
    same_key = second in SAME_KEY[scope]
    row = EXPECTED[scope][CONFLICT_POLICIES.index(str(asked["conflict_policy"]))].split()
    disposition = row[SECOND_REQUESTS.index(second)] if retained else "applied"
    record = ("retained" if retained else "expired") if same_key else "none under that key"
    right = {"same-intent": "reused", "changed-amount": "conflict"}.get(second, "applied")
    assert made["second_disposition"] == disposition
    assert made["record_at_second_request"] == record
    assert made["total_effects"] == (2 if disposition == "applied" else 1)
    assert made["one_intent"] == (second == "same-intent")
    assert made["right_for_intent"] == (disposition == right)


def test_each_disposition_is_right_and_wrong_as_often_as_was_counted() -> None:
    counted = Counter((made["second_disposition"], made["right_for_intent"]) for made in ALL)
    assert counted == {
        ("applied", True): 28,
        ("applied", False): 20,
        ("reused", True): 6,
        ("reused", False): 5,
        ("conflict", True): 3,
        ("conflict", False): 2,
    }
    assert len({combination_id(made) for made in ALL}) == len(ALL) == 64


def test_the_default_is_a_retry_that_is_answered_from_its_record() -> None:
    made = experiment()
    assert made["headline"] == "Same intent reused its retained result"
    assert made["inputs"] == {
        "key_scope": "tenant-and-operation",
        "second_request": "same-intent",
        "conflict_policy": "enforce",
        "retention_s": 86_400,
        "after_s": 3_600,
    }
    assert made["requests"] == [
        {
            "attempt": attempt,
            "business_identity": "tenant-a / order-42",
            "amount_minor": 1200,
            "receiver_key": '["tenant-a","order-42"]',
            "fingerprint": '["tenant-a","order-42",1200]',
        }
        for attempt in (1, 2)
    ]


def test_the_second_requests_differ_in_one_thing_each() -> None:
    second = {name: experiment(second_request=name)["requests"][1] for name in SECOND_REQUESTS}  # type: ignore[arg-type]
    assert second["changed-amount"]["fingerprint"] == '["tenant-a","order-42",2400]'
    assert second["other-operation"]["fingerprint"] == '["tenant-a","order-43",1200]'
    assert second["other-tenant"]["fingerprint"] == '["tenant-b","order-42",1200]'
    assert second["other-tenant"]["business_identity"] == "tenant-b / order-42"


def test_identity_is_tenant_and_operation_whatever_the_key_names() -> None:
    keys = {}
    for scope in KEY_SCOPES:
        first, second = experiment(key_scope=scope)["requests"]  # type: ignore[arg-type]
        assert first["business_identity"] == second["business_identity"]
        keys[scope] = (first["receiver_key"], second["receiver_key"])
    assert keys == {
        "tenant-and-operation": ('["tenant-a","order-42"]',) * 2,
        "operation": ('["order-42"]',) * 2,
        "tenant": ('["tenant-a"]',) * 2,
        "attempt": ('["attempt-1"]', '["attempt-2"]'),
    }


def test_the_keys_of_a_run_stand_in_the_order_of_the_design() -> None:
    assert list(experiment()) == [
        "inputs",
        "assumptions",
        "not_modelled",
        "requests",
        "record_at_second_request",
        "second_disposition",
        "total_effects",
        "one_intent",
        "right_for_intent",
        "headline",
    ]
    assert list(experiment()["inputs"]) == [
        *("key_scope", "second_request", "conflict_policy", "retention_s", "after_s"),
    ]
    assert list(experiment()["requests"][0]) == [
        *("attempt", "business_identity", "amount_minor", "receiver_key", "fingerprint"),
    ]


# The boundary


@pytest.mark.parametrize("retention_ms", [1, 999, 1_000, 1_001, 300_000, 86_400_000, MS_MAX - 1])
def test_at_the_exact_end_of_retention_the_record_is_gone(retention_ms: int) -> None:
    before, end, after = (run(retention_ms, retention_ms + offset) for offset in (-1, 0, 1))
    assert [made["record_at_second_request"] for made in (before, end, after)] == [
        *("retained", "expired", "expired"),
    ]
    assert [made["total_effects"] for made in (before, end, after)] == [1, 2, 2]


def test_a_retention_of_nothing_keeps_nothing() -> None:
    assert run(0, 0)["record_at_second_request"] == "expired"


@settings(deadline=None)
@given(NAMES, st.integers(0, MS_MAX), st.integers(0, MS_MAX), st.integers(-3, 3))
def test_the_numbers_decide_nothing_but_whether_the_record_is_retained(
    names: dict[str, Any], retention_ms: int, after_ms: int, near: int
) -> None:
    for ms in (after_ms, min(max(retention_ms + near, 0), MS_MAX)):
        made = run(retention_ms, ms, **names)
        like = run(2, 1 if ms < retention_ms else 2, **names)
        assert {**made, "inputs": None} == {**like, "inputs": None}
        assert made["total_effects"] in (1, 2)
        assert (made["total_effects"] == 2) == (made["second_disposition"] == "applied")


@settings(deadline=None)
@given(st.integers(0, MS_MAX))
def test_a_number_is_echoed_as_the_fewest_digits_that_say_it(ms: int) -> None:
    """So a page that divides by 1000 prints the same: no exponent, no digit of rounding."""
    echoed = json.dumps(run(ms, 0)["inputs"]["retention_s"])
    whole, decimals = divmod(ms, 1000)
    assert echoed == f"{whole}.{decimals:03}".rstrip("0").rstrip(".")
    assert milliseconds("", echoed) == milliseconds("", float(echoed)) == ms


# What is refused


NOT_FINITE: Final = "is not a finite number in digits"
BAD: Final = {
    "-1": "is negative",
    "-0.001": "is negative",
    "-1000000001": "is negative",
    "nan": NOT_FINITE,
    "NaN": NOT_FINITE,
    "inf": NOT_FINITE,
    "-inf": NOT_FINITE,
    "Infinity": NOT_FINITE,
    "": NOT_FINITE,
    ".": NOT_FINITE,
    "-": NOT_FINITE,
    "ten": NOT_FINITE,
    "1e3": NOT_FINITE,
    "1,5": NOT_FINITE,
    "1_000": NOT_FINITE,
    "1.2.3": NOT_FINITE,
    "0x10": NOT_FINITE,
    "٣": NOT_FINITE,
    "1\n": NOT_FINITE,
    "1000000000.001": "is more than 1000000000 seconds",
    "1000000001": "is more than 1000000000 seconds",
    "9" * 400: "is more than 1000000000 seconds",
    "0.0001": "is finer than a millisecond",
    f"0.001{'0' * 40}1": "is finer than a millisecond",
}


@pytest.mark.parametrize("name", ["retention_s", "after_s"])
@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad)[:24])
def test_a_bad_number_is_refused_with_its_cause_and_exits_2(
    name: str, bad: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(IdempotencyError) as caught:
        experiment(**{name: bad})  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{name}={bad!r} {BAD[bad]}. Give ")
    assert main(["idempotency", f"--{name.replace('_', '-')}={bad}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"faultlab: {caught.value}\n")


@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), -float("inf"), -1, -1e-9, 1e-9, 1e10, 1e300, 10**4000, True, None],
    ids=lambda bad: repr(bad)[:12],
)
def test_a_bad_number_that_is_no_text_is_refused_too(bad: Any) -> None:
    with pytest.raises(IdempotencyError, match=r"^after_s=.* Give "):
        experiment(after_s=bad)


@pytest.mark.parametrize(
    ("good", "ms"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        (" 5 ", 5_000),
        ("5.", 5_000),
        (".5", 500),
        ("007", 7_000),
        ("1.5000000", 1_500),
        ("1000000000.000", MS_MAX),
        (0.1, 100),
        (1e9, MS_MAX),
        (1.001, 1_001),
    ],
)
def test_a_number_that_can_be_used_is_read_exactly(good: Any, ms: int) -> None:
    assert milliseconds("after_s", good) == ms


@settings(deadline=None)
@given(st.decimals(0, SECONDS_MAX, places=3))
def test_every_number_of_at_most_three_decimals_is_taken(seconds: Decimal) -> None:
    assert milliseconds("after_s", f"{seconds:f}") == int(seconds.scaleb(3))


@pytest.mark.parametrize(
    ("name", "wrong", "suggestion"),
    [
        ("key_scope", "tenant-and-operatio", " Did you mean 'tenant-and-operation'?"),
        ("second_request", "other-tenants", " Did you mean 'other-tenant'?"),
        ("conflict_policy", "enforced", " Did you mean 'enforce'?"),
        ("conflict_policy", "xyzzy", ""),
    ],
)
def test_a_wrong_name_exits_2_and_names_the_right_ones(
    name: str, wrong: str, suggestion: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["idempotency", f"--{name.replace('_', '-')}", wrong]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"faultlab: there is no {name} {wrong!r}.{suggestion} Allowed: ")


def test_names_are_plain_strings() -> None:
    class Name(str):
        """Equal to a plain string, and still refused."""

    for wrong in (Name("tenant"), None, 1):
        with pytest.raises(IdempotencyError, match="there is no key_scope"):
            experiment(key_scope=wrong)  # type: ignore[arg-type]
    assert issubclass(IdempotencyError, FaultlabError)
    assert issubclass(IdempotencyError, ValueError)


# Broken twins: each is refused by what stands above


class KeptAtTheEnd(Receiver):
    """A twin that still finds the record at the exact end of its retention."""

    def _expired(self, record: IdempotencyRecord) -> bool:
        return self._now_ms() - record.stored_at_ms > (self._retention_ms or 0)


class ReusedTwice(Receiver):
    """A twin whose reuse acts again."""

    def apply(self, request: receiver.Request) -> receiver.Answer:
        answer = super().apply(request)
        if answer.disposition == "reused":
            self.effects.append(self.effects[0])
        return answer


class ConflictActs(Receiver):
    """A twin that refuses and acts all the same."""

    def apply(self, request: receiver.Request) -> receiver.Answer:
        answer = super().apply(request)
        if answer.disposition == "conflict":
            self.effects.append(self.effects[0])
        return answer


def boundary() -> None:
    test_at_the_exact_end_of_retention_the_record_is_gone(1_000)


def every_combination() -> None:
    for made in combinations():
        test_a_combination_is_what_the_table_above_says(made)


@pytest.mark.parametrize(
    ("twin", "check"),
    [
        (KeptAtTheEnd, boundary),
        (KeptAtTheEnd, every_combination),
        (ReusedTwice, every_combination),
        (ConflictActs, every_combination),
    ],
)
def test_a_broken_receiver_does_not_pass(
    twin: type[Receiver], check: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    monkeypatch.setattr(idempotency, "Receiver", twin)
    with pytest.raises(AssertionError):
        check()


def test_identity_by_attempt_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = idempotency._row

    def by_attempt(attempt: int, intent: idempotency.Intent, key: str) -> idempotency.RequestRow:
        return {**whole(attempt, intent, key), "business_identity": f"attempt-{attempt}"}

    test_identity_is_tenant_and_operation_whatever_the_key_names()
    monkeypatch.setattr(idempotency, "_row", by_attempt)
    with pytest.raises(AssertionError):
        test_identity_is_tenant_and_operation_whatever_the_key_names()


# The command


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["idempotency", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_json_is_the_saved_run(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--key-scope", "tenant", "--second-request", "other-operation"]
    options += ["--conflict-policy", "ignore", "--retention-s", "0.5", "--after-s", "0.499"]
    made = experiment(
        key_scope="tenant",
        second_request="other-operation",
        conflict_policy="ignore",
        retention_s=0.5,
        after_s=0.499,
    )
    printed = command(capsys, *options, "--json")
    assert printed == json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    assert list(json.loads(printed)) == list(made)


@pytest.mark.parametrize("made", ALL, ids=combination_id)
def test_the_account_says_all_that_the_run_says(made: ContractRun) -> None:
    told = account(made)
    asked = made["inputs"]
    assert told.splitlines()[0] == made["headline"]
    assert f"record at the second request: {made['record_at_second_request']}" in told
    assert f"second disposition: {made['second_disposition']}" in told
    assert f"total effects: {made['total_effects']}" in told
    assert ("✓ right for this intent" in told) == made["right_for_intent"]
    assert ("× wrong for this intent: " in told) != made["right_for_intent"]
    assert ("Both requests express one intent" in told) == made["one_intent"]
    for row in made["requests"]:
        for value in row.values():
            assert str(value) in told
    for value in asked.values():
        assert str(value) in told


def test_all_is_a_table_of_64(capsys: pytest.CaptureFixture[str]) -> None:
    lines = command(capsys, "--all").splitlines()
    rows = [line.split() for line in lines[1:17]]
    assert [tuple(row[:2]) for row in rows] == list(product(KEY_SCOPES, SECOND_REQUESTS))
    cells = Counter(tuple(row[i : i + 2]) for row in rows for i in (2, 4, 6, 8))
    assert cells.total() == 64
    assert cells["applied", "✓"] == 28
    assert cells["conflict", "×"] == 2


def test_presets_name_the_published_contracts_with_options_that_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = command(capsys, "--presets")
    options = [line.split() for line in told.splitlines() if line.startswith("  --")]
    assert len(options) == len(PRESETS) == 4
    for contract, given_options in zip(PRESETS, options, strict=True):
        assert f"{contract.system} (read 2026-11)" in told
        inputs = json.loads(command(capsys, *given_options, "--json"))["inputs"]
        assert inputs["retention_s"] == contract.retention_s
        assert inputs["conflict_policy"] == contract.conflict_policy or "enforce"


def test_what_is_published_is_what_was_read() -> None:
    found = {c.id: (c.retention_s, c.conflict_policy) for c in CONTRACTS}
    assert found == {
        "stripe": (86_400, "enforce"),
        "powertools": (3_600, "ignore"),
        "qonto": (1_800, "ignore"),
        "sqs-fifo": (300, None),
        "ietf-draft": (None, None),
    }
    assert {contract.read for contract in CONTRACTS} == {"2026-11"}


@pytest.mark.parametrize("form", ["--all", "--presets"])
def test_all_and_presets_take_no_inputs(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["idempotency", form, "--after-s", "1"])
    assert caught.value.code == 2
    assert "take no --after-s. Leave that out." in capsys.readouterr().err


# The saved map


def test_each_saved_run_carries_the_condition_under_which_it_was_run() -> None:
    saved = saved_map()
    assert saved["summary"]["combinations"] == 64
    assert saved["summary"]["applied"] == {"right": 28, "wrong": 20}
    for entry, made in zip(saved["runs"], ALL, strict=True):
        when, inputs = entry["when"], entry["run"]["inputs"]
        assert entry == {"id": combination_id(made), "when": when, "run": made}
        assert when in WHEN.values()
        less = inputs[when["left"]] < inputs[when["right"]]
        assert less == (when["operator"] == "<")
    names = {tuple(entry["id"].split(".")) for entry in saved["runs"]}
    assert names == set(product(KEY_SCOPES, SECOND_REQUESTS, CONFLICT_POLICIES, WHEN))
