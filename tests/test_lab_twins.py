"""Broken twins of the lab that a reader might write: each guard passes the lab, not its twin."""

from collections.abc import Callable
from itertools import product
from typing import Any, cast

import pytest

from faultlab.lab import (
    CANCELLATIONS,
    FAULTS,
    INVARIANTS,
    OBSERVATIONS,
    CancellationName,
    Lab,
    ObservationName,
    Record,
    check_invariants,
)

Guard = Callable[[Callable[..., Lab]], None]


class CallsItCancelled(Lab):
    """After a cancellation the status is `cancelled`, whatever has been sent."""

    def _status_when_stopped(self) -> str:
        return "cancelled" if self._state["cancellation_observed"] else "failed"


class ErasesTheRead(Lab):
    """A failed final write resets what the read had found."""

    def _point(self, name: str) -> None:
        if name == self._fault == "final_write":
            self._state["expected_result_observed"] = False
            self._state["outcome"] = "unknown"
        super()._point(name)


class HandsOutTheInside(Lab):
    """`inspect` copies the record and not the lists in it."""

    def inspect(self) -> Record:
        return self._state.copy()


class SendsAgain(Lab):
    """A second run starts, and sends a second time."""

    def run(self) -> Record:
        self._started = False
        return super().run()


class StartsAfresh(Lab):
    """A second run clears the record first, so that each run shows one send."""

    def run(self) -> Record:
        fresh = Lab(
            fault=cast(Any, self._fault),
            cancel_at=cast(Any, self._cancel_at),
            observation=cast(Any, self._observation),
        )
        self._state = fresh.run()
        return self.inspect()


class AcceptsLookalikes(Lab):
    """Anything that equals a name is taken for it."""

    def __init__(
        self,
        *,
        fault: str = "none",
        cancel_at: CancellationName = "none",
        observation: ObservationName = "match",
    ) -> None:
        plain = next((name for name in FAULTS if name == fault), fault)
        super().__init__(fault=cast(Any, plain), cancel_at=cancel_at, observation=observation)


class TicksTheRequest(Lab):
    """A fault that was asked for counts as exercised."""

    def run(self) -> Record:
        self._state["fault_exercised"] = self._fault != "none"
        return super().run()


class FailsWhatIsUnknown(Lab):
    """A lost reply counts as a failure."""

    def _status_when_stopped(self) -> str:
        known = super()._status_when_stopped()
        return "failed" if self._state["outcome"] == "unknown" else known


def records(make: Callable[..., Lab]) -> list[Record]:
    return [
        make(fault=fault, cancel_at=cancel_at, observation=observation).run()
        for fault, cancel_at, observation in product(FAULTS, CANCELLATIONS, OBSERVATIONS)
    ]


def all_runs_are_consistent(make: Callable[..., Lab]) -> None:
    assert len(records(make)) == 72


def copies_reach_nothing(make: Callable[..., Lab]) -> None:
    lab = make()
    lab.run()
    before = list(lab.inspect()["trace"])
    lab.inspect()["trace"].append("forged")
    assert lab.inspect()["trace"] == before


def a_second_run_is_refused(make: Callable[..., Lab]) -> None:
    lab = make()
    lab.run()
    with pytest.raises(ValueError) as caught:
        lab.run()
    assert str(caught.value) == "RUN_ALREADY_STARTED"


def lookalikes_are_refused(make: Callable[..., Lab]) -> None:
    class Name(str):
        __slots__ = ()

    with pytest.raises(ValueError) as caught:
        make(fault=Name("final_write"))
    assert str(caught.value) == "INVALID_SCENARIO"


def exercised_means_reached(make: Callable[..., Lab]) -> None:
    for record in records(make):
        assert record["fault_exercised"] == (record["fault_requested"] in record["trace"])


TWINS: list[tuple[Guard, type[Lab], str]] = [
    (
        all_runs_are_consistent,
        CallsItCancelled,
        "INVARIANT_BROKEN: after a send, a run is neither cancelled nor failed",
    ),
    (
        all_runs_are_consistent,
        FailsWhatIsUnknown,
        "INVARIANT_BROKEN: after a send, a run is neither cancelled nor failed",
    ),
    (
        all_runs_are_consistent,
        ErasesTheRead,
        "INVARIANT_BROKEN: a failed final write keeps the match",
    ),
    (copies_reach_nothing, HandsOutTheInside, "forged"),
    (a_second_run_is_refused, SendsAgain, "INVARIANT_BROKEN: there is at most one send"),
    (a_second_run_is_refused, StartsAfresh, "DID NOT RAISE"),
    (lookalikes_are_refused, AcceptsLookalikes, "DID NOT RAISE"),
    (exercised_means_reached, TicksTheRequest, "assert True == "),
]


@pytest.mark.parametrize(
    ("guard", "twin", "complaint"), TWINS, ids=[twin.__name__ for _, twin, _ in TWINS]
)
def test_the_guard_passes_the_lab_and_refuses_its_broken_twin(
    guard: Guard, twin: type[Lab], complaint: str
) -> None:
    guard(Lab)
    with pytest.raises((AssertionError, pytest.fail.Exception)) as caught:
        guard(twin)
    assert complaint in str(caught.value)


def test_a_twin_that_sends_again_is_stopped_by_the_invariants_only_after_its_second_send() -> None:
    lab = SendsAgain()
    assert lab.run()["send_count"] == 1
    with pytest.raises(AssertionError):
        lab.run()
    assert lab.inspect()["send_count"] == 2


SUCCESS, MATCH_UNSAVED, NOTHING_SENT = (
    {"fault": "none"},
    {"fault": "final_write"},
    {"cancel_at": "before_send"},
)

BROKEN: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("there is at most one send", SUCCESS, {"send_count": 2, "simulated_effect_count": 2}),
    ("there is at most one send", NOTHING_SENT, {"send_count": -1}),
    ("each send has one effect", SUCCESS, {"simulated_effect_count": 0}),
    ("each send has one effect", NOTHING_SENT, {"simulated_effect_count": 1}),
    ("there is at most one read", SUCCESS, {"read_count": 2}),
    ("there is at most one read", NOTHING_SENT, {"read_count": -1}),
    ("success needs a send and a read", SUCCESS, {"read_count": 0}),
    ("success needs a send and a read", NOTHING_SENT, {"status": "succeeded"}),
    ("success needs a match and a final receipt", SUCCESS, {"final_receipt_written": False}),
    ("success needs a match and a final receipt", SUCCESS, {"expected_result_observed": False}),
    ("success excludes a cancellation and an error", SUCCESS, {"cancellation_observed": True}),
    ("success excludes a cancellation and an error", SUCCESS, {"error": "final_write"}),
    (
        "after a send, a run is neither cancelled nor failed",
        MATCH_UNSAVED,
        {"status": "cancelled"},
    ),
    ("after a send, a run is neither cancelled nor failed", MATCH_UNSAVED, {"status": "failed"}),
    ("without a send, nothing is observed", NOTHING_SENT, {"outcome": "unknown"}),
    ("without a send, nothing is observed", NOTHING_SENT, {"expected_result_observed": True}),
    ("a failed final write keeps the match", MATCH_UNSAVED, {"outcome": "unknown"}),
    ("a failed final write keeps the match", MATCH_UNSAVED, {"expected_result_observed": False}),
    (
        "nothing is replayed and no durable receipt is claimed",
        SUCCESS,
        {"automatic_replay": True},
    ),
    (
        "nothing is replayed and no durable receipt is claimed",
        SUCCESS,
        {"durable_receipt_verified": True},
    ),
]


@pytest.mark.parametrize(
    ("invariant", "scenario", "change"),
    BROKEN,
    ids=[f"{name}: {', '.join(change)}" for name, _, change in BROKEN],
)
def test_a_record_that_contradicts_itself_is_refused_by_the_invariant_that_names_it(
    invariant: str, scenario: dict[str, Any], change: dict[str, Any]
) -> None:
    record = Lab(**scenario).run()
    check_invariants(record)
    record.update(change)  # type: ignore[typeddict-item]
    with pytest.raises(AssertionError) as caught:
        check_invariants(record)
    assert str(caught.value) == f"INVARIANT_BROKEN: {invariant}"


def test_every_invariant_has_a_record_that_it_refuses_first() -> None:
    assert [name for name, _ in INVARIANTS] == list(dict.fromkeys(name for name, _, _ in BROKEN))
