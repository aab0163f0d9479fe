"""The table of DESIGN's Async Failure Lab comes out of running both runtimes."""

import ast
import inspect
from typing import Any

import pytest

from faultlab.async_lab import (
    FAULTS,
    MODES,
    AsyncLabError,
    account,
    combinations,
    durable,
    naive,
    saved_run,
    story,
    table,
)
from faultlab.async_lab.ports import JournalCalls, ReceiverCalls, Task

# fault: (naive deliveries, dispatches, effects, results), (durable …)
TABLE = {
    "none": ((1, 1, 1, 1), (1, 1, 1, 1)),
    "crash-before-effect": ((2, 2, 1, 1), (2, 2, 1, 1)),
    "crash-after-effect": ((2, 2, 2, 1), (2, 2, 1, 1)),
    "response-lost": ((2, 2, 2, 1), (2, 2, 1, 1)),
    "duplicate-delivery": ((2, 2, 2, 2), (2, 1, 1, 1)),
    "crash-after-record": ((2, 2, 2, 2), (2, 1, 1, 1)),
}
HEADLINES = {
    ("none", "naive"): "Completed",
    ("none", "durable"): "Completed",
    ("crash-before-effect", "naive"): "Retried; nothing had happened",
    ("crash-before-effect", "durable"): "Retried under the same key; nothing had happened",
    ("crash-after-effect", "naive"): "Duplicate effect",
    ("crash-after-effect", "durable"): "Recovered by operation key",
    ("response-lost", "naive"): "Duplicate effect",
    ("response-lost", "durable"): "Recovered by operation key",
    ("duplicate-delivery", "naive"): "Duplicate effect",
    ("duplicate-delivery", "durable"): "Replayed from the stored result",
    ("crash-after-record", "naive"): "Duplicate effect",
    ("crash-after-record", "durable"): "Replayed from the stored result",
}


def test_there_are_twelve_combinations() -> None:
    assert len(list(combinations())) == len(FAULTS) * len(MODES) == 12
    assert set(TABLE) == set(FAULTS)


@pytest.mark.parametrize(("fault", "mode"), list(combinations()))
def test_counts_and_headline_of_each_combination(fault: str, mode: str) -> None:
    run = saved_run(fault, mode)
    counts = (
        run["deliveries"],
        run["dispatch_attempts"],
        run["effects"],
        run["results_recorded"],
    )
    assert counts == TABLE[fault][MODES.index(mode)]
    assert run["headline"] == HEADLINES[fault, mode]


@pytest.mark.parametrize(("fault", "mode"), list(combinations()))
def test_every_requested_fault_really_strikes(fault: str, mode: str) -> None:
    run = saved_run(fault, mode)
    assert run["fault_exercised"] == (fault != "none")
    assert sum(event["kind"] == "asked" for event in run["events"]) == (fault != "none")


@pytest.mark.parametrize(("fault", "mode"), list(combinations()))
def test_the_trace_agrees_with_the_counts(fault: str, mode: str) -> None:
    run = saved_run(fault, mode)
    texts = [event["text"] for event in run["events"]]
    assert sum(text.startswith("delivery ") for text in texts) == run["deliveries"]
    assert sum(text.startswith("dispatch under ") for text in texts) == run["dispatch_attempts"]
    assert texts.count("result recorded") == run["results_recorded"]
    effects = [text for text in texts if text.startswith("effect ") and "found" not in text]
    assert len(effects) == run["effects"]


@pytest.mark.parametrize(("fault", "mode"), list(combinations()))
def test_the_same_combination_gives_the_same_history(fault: str, mode: str) -> None:
    assert story.tell(fault, mode).digest == story.tell(fault, mode).digest


def test_crash_between_effect_and_record_repeats_the_effect_without_a_key() -> None:
    run = saved_run("crash-after-effect", "naive")
    keys = [e["text"] for e in run["events"] if e["text"].startswith("dispatch under")]
    assert keys == ["dispatch under delivery-1", "dispatch under delivery-2"]


def test_the_keys_of_a_saved_run_are_those_of_the_format_in_order() -> None:
    assert list(saved_run("none", "naive")) == [
        "fault",
        "mode",
        "fault_exercised",
        "assumptions",
        "not_modelled",
        "events",
        "deliveries",
        "dispatch_attempts",
        "effects",
        "results_recorded",
        "headline",
    ]


@pytest.mark.parametrize("module", [naive, durable])
def test_a_runtime_is_at_most_forty_lines_of_ordinary_async_code(module: Any) -> None:
    source = inspect.getsource(module)
    assert len(source.splitlines()) <= 40
    imported = {
        node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)
    }
    assert imported == {"faultlab.async_lab.ports"}


def test_no_runtime_retries_inside_the_worker() -> None:
    for module in (naive, durable):
        nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
        assert not any(isinstance(node, ast.For | ast.While | ast.Try) for node in nodes)


@pytest.fixture
def twin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a broken runtime in the durable one's place."""

    def use(handler: Any) -> None:
        monkeypatch.setitem(story._HANDLERS, "durable", handler)

    return use


def test_broken_twin_with_a_key_per_delivery_repeats_the_effect(twin: Any) -> None:
    async def handle(
        task: Task, delivery: int, *, receiver: ReceiverCalls, journal: JournalCalls
    ) -> None:
        if await journal.holds(task.operation):
            return
        answer = await receiver.debit(key=f"delivery-{delivery}", fingerprint=task.fingerprint)
        await journal.append(task.operation, answer.effect_id)

    twin(handle)
    assert saved_run("crash-after-effect", "durable")["effects"] == 2
    assert saved_run("duplicate-delivery", "durable")["effects"] == 1


def test_broken_twin_that_records_before_it_acts_loses_the_effect(twin: Any) -> None:
    async def handle(
        task: Task, delivery: int, *, receiver: ReceiverCalls, journal: JournalCalls
    ) -> None:
        if await journal.holds(task.operation):
            return
        await journal.append(task.operation, None)
        await receiver.debit(key=task.operation, fingerprint=task.fingerprint)

    twin(handle)
    assert saved_run("crash-before-effect", "durable")["effects"] == 0


def test_broken_twin_that_never_returns_is_named(twin: Any) -> None:
    async def handle(task: Task, delivery: int, **ports: Any) -> None:
        raise TimeoutError

    twin(handle)
    with pytest.raises(AsyncLabError, match="delivered 10 times and is still not acknowledged"):
        saved_run("none", "durable")


@pytest.mark.parametrize(
    ("fault", "mode", "words"),
    [
        ("crash-after-efect", "naive", "Did you mean 'crash-after-effect'"),
        ("none", "durabel", "Did you mean 'durable'"),
        (None, "naive", "there is no fault None"),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_ones(fault: Any, mode: Any, words: str) -> None:
    with pytest.raises(AsyncLabError, match=words) as caught:
        saved_run(fault, mode)
    assert isinstance(caught.value, ValueError)
    assert "Allowed: " in str(caught.value)


def test_the_account_says_that_durable_holds_only_under_a_condition() -> None:
    condition = "Holds only while the receiver keeps the key and can look it up."
    for fault in FAULTS:
        assert condition in account(saved_run(fault, "durable"))
        assert condition not in account(saved_run(fault, "naive"))


def test_the_table_has_a_line_for_each_combination() -> None:
    lines = table().splitlines()
    for fault, mode in combinations():
        run = saved_run(fault, mode)
        counts = f"{run['deliveries']}/{run['dispatch_attempts']}/{run['effects']}"
        assert any(
            line.split()[:3] == [fault, mode, counts] and line.endswith(run["headline"])
            for line in lines
        )
