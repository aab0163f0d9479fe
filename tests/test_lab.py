"""The Failure Lab's promises, in exactly 28 tests. Each stands alone and takes no parameters."""

import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from enum import Enum, StrEnum
from itertools import product
from typing import Any, cast

import pytest

from faultlab import Lab

FAULTS = (
    "none", "prepare_write", "dispatch_write", "native_reply", "verification", "final_write",
)  # fmt: skip
CANCELLATIONS = ("none", "after_prepare", "before_send", "after_send")
OBSERVATIONS = ("match", "mismatch", "unavailable")
ALL = list(product(FAULTS, CANCELLATIONS, OBSERVATIONS))

KEYS = [
    "status", "stage", "trace", "memory_checkpoints", "send_count", "simulated_effect_count",
    "read_count", "expected_result_observed", "final_receipt_written", "cancellation_observed",
    "fault_requested", "fault_exercised", "outcome", "error", "real_network_used",
    "real_filesystem_used", "durable_receipt_verified", "automatic_replay",
]  # fmt: skip

TO_THE_SEND = ["prepare_write", "dispatch_write", "synthetic_send"]
TO_THE_READ = [*TO_THE_SEND, "native_reply", "verification"]

Scenario = tuple[str, str, str]


def lab(fault: Any = "none", cancel_at: Any = "none", observation: Any = "match") -> Lab:
    return Lab(fault=fault, cancel_at=cancel_at, observation=observation)


def record(scenario: Scenario) -> dict[str, Any]:
    return dict(lab(*scenario).run())


def expect(count: int, where: Callable[[str, str, str], bool], **end_state: Any) -> None:
    """Exactly the scenarios that satisfy `where` end in this state, and they are `count`."""
    ending = [s for s in ALL if end_state.items() <= _comparable(record(s)).items()]
    assert ending == [s for s in ALL if where(*s)]
    assert len(ending) == count


def _comparable(run: dict[str, Any]) -> dict[str, Any]:
    counts = (run["send_count"], run["simulated_effect_count"], run["read_count"])
    trace = " ".join(run["trace"])
    checkpoints = " ".join(run["memory_checkpoints"])
    return {**run, "counts": counts, "trace": trace, "memory_checkpoints": checkpoints}


def refused(code: str, make: Callable[..., Any], **arguments: Any) -> str:
    """The notes of the ValueError that `make` raises, whose text is exactly `code`."""
    with pytest.raises(ValueError) as caught:
        make(**arguments)
    assert type(caught.value) is ValueError
    assert str(caught.value) == code
    return "\n".join(caught.value.__notes__)


# Over all declared combinations


def test_no_combination_sends_more_than_once() -> None:
    records = [record(scenario) for scenario in ALL]
    assert len(records) == 72
    for run in records:
        assert run["send_count"] == run["trace"].count("synthetic_send")
        assert run["send_count"] == run["simulated_effect_count"]
        assert run["send_count"] in (0, 1)
        assert run["read_count"] in (0, 1)
        assert run["automatic_replay"] is False
    assert Counter(run["send_count"] for run in records) == {0: 48, 1: 24}


def test_one_scenario_succeeds_27_are_cancelled_23_need_review_and_21_fail() -> None:
    statuses = Counter(record(scenario)["status"] for scenario in ALL)
    assert statuses == {"succeeded": 1, "cancelled": 27, "needs_review": 23, "failed": 21}


def test_32_faults_15_cancellations_and_44_observations_are_asked_for_and_never_reached() -> None:
    asked: Counter[str] = Counter()
    unmet: Counter[str] = Counter()
    for scenario in ALL:
        fault, cancel_at, observation = scenario
        run = record(scenario)
        assert run["fault_requested"] == fault
        assert run["fault_exercised"] == (fault in run["trace"])
        assert run["cancellation_observed"] == (f"cancel:{cancel_at}" in run["trace"])
        asked.update(fault=fault != "none", cancel=cancel_at != "none", read=observation != "match")
        unmet.update(
            fault=fault != "none" and not run["fault_exercised"],
            cancel=cancel_at != "none" and not run["cancellation_observed"],
            read=observation != "match" and run["error"] != "result_not_verified",
        )
    assert asked == {"fault": 60, "cancel": 54, "read": 48}
    assert unmet == {"fault": 32, "cancel": 15, "read": 44}


def test_the_72_scenarios_share_11_end_states() -> None:
    echoes = ("fault_requested", "fault_exercised")
    states = Counter(
        str([(key, value) for key, value in record(scenario).items() if key not in echoes])
        for scenario in ALL
    )
    assert sorted(states.values(), reverse=True) == [15, 12, 12, 12, 9, 3, 3, 2, 2, 1, 1]


def test_every_record_has_the_same_18_keys_in_the_same_order() -> None:
    assert len(KEYS) == 18
    for scenario in ALL:
        before = lab(*scenario)
        assert list(before.inspect()) == KEYS
        assert list(before.run()) == KEYS
        assert list(before.inspect()) == KEYS


# Where a run stops: one test for each end state


def test_a_failed_prepare_write_stops_before_anything_is_noted() -> None:
    expect(
        12,
        lambda fault, _cancel, _sight: fault == "prepare_write",
        status="failed",
        stage="prepare_write",
        outcome="not_dispatched",
        error="prepare_write",
        counts=(0, 0, 0),
        memory_checkpoints="",
        trace="prepare_write",
    )


def test_a_cancellation_after_prepare_leaves_one_checkpoint_and_no_send() -> None:
    expect(
        15,
        lambda fault, cancel, _sight: cancel == "after_prepare" and fault != "prepare_write",
        status="cancelled",
        stage="prepare_write",
        outcome="not_dispatched",
        error="cancelled",
        counts=(0, 0, 0),
        memory_checkpoints="prepared",
        trace="prepare_write cancel:after_prepare",
    )


def test_a_failed_dispatch_write_leaves_no_checkpoint_of_the_send() -> None:
    expect(
        9,
        lambda fault, cancel, _sight: fault == "dispatch_write" and cancel != "after_prepare",
        status="failed",
        stage="dispatch_write",
        outcome="not_dispatched",
        error="dispatch_write",
        counts=(0, 0, 0),
        memory_checkpoints="prepared",
        trace="prepare_write dispatch_write",
    )


def test_a_cancellation_before_the_send_leaves_the_checkpoint_dispatched_without_a_send() -> None:
    expect(
        12,
        lambda fault, cancel, _sight: (
            cancel == "before_send" and fault not in ("prepare_write", "dispatch_write")
        ),
        status="cancelled",
        stage="dispatch_write",
        outcome="not_dispatched",
        error="cancelled",
        counts=(0, 0, 0),
        memory_checkpoints="prepared dispatched",
        trace="prepare_write dispatch_write cancel:before_send",
    )


def test_a_cancellation_after_the_send_needs_review_and_is_never_called_cancelled() -> None:
    expect(
        12,
        lambda fault, cancel, _sight: (
            cancel == "after_send" and fault not in ("prepare_write", "dispatch_write")
        ),
        status="needs_review",
        stage="dispatch_write",
        outcome="unknown",
        error="cancelled",
        counts=(1, 1, 0),
        memory_checkpoints="prepared dispatched",
        trace=" ".join([*TO_THE_SEND, "cancel:after_send"]),
    )


def test_a_lost_native_reply_leaves_the_effect_unknown() -> None:
    expect(
        3,
        lambda fault, cancel, _sight: fault == "native_reply" and cancel == "none",
        status="needs_review",
        stage="native_reply",
        outcome="unknown",
        error="native_reply",
        counts=(1, 1, 0),
        memory_checkpoints="prepared dispatched",
        trace=" ".join([*TO_THE_SEND, "native_reply"]),
    )


def test_a_failed_verification_has_read_and_still_knows_nothing() -> None:
    expect(
        3,
        lambda fault, cancel, _sight: fault == "verification" and cancel == "none",
        status="needs_review",
        stage="verification",
        outcome="unknown",
        error="verification",
        counts=(1, 1, 1),
        memory_checkpoints="prepared dispatched",
        trace=" ".join(TO_THE_READ),
    )


def test_a_mismatch_is_an_observation_and_no_success() -> None:
    expect(
        2,
        lambda fault, cancel, sight: (
            fault in ("none", "final_write") and cancel == "none" and sight == "mismatch"
        ),
        status="needs_review",
        stage="verification",
        outcome="observed_mismatch",
        error="result_not_verified",
        counts=(1, 1, 1),
        memory_checkpoints="prepared dispatched",
        expected_result_observed=False,
        trace=" ".join(TO_THE_READ),
    )


def test_an_unavailable_read_is_unknown_and_no_mismatch() -> None:
    expect(
        2,
        lambda fault, cancel, sight: (
            fault in ("none", "final_write") and cancel == "none" and sight == "unavailable"
        ),
        status="needs_review",
        stage="verification",
        outcome="unknown",
        error="result_not_verified",
        counts=(1, 1, 1),
        memory_checkpoints="prepared dispatched",
        expected_result_observed=False,
        trace=" ".join(TO_THE_READ),
    )


def test_a_failed_final_write_does_not_erase_a_matching_read() -> None:
    expect(
        1,
        lambda *scenario: scenario == ("final_write", "none", "match"),
        status="needs_review",
        stage="final_write",
        outcome="observed_match",
        error="final_write",
        counts=(1, 1, 1),
        memory_checkpoints="prepared dispatched",
        expected_result_observed=True,
        final_receipt_written=False,
        trace=" ".join([*TO_THE_READ, "final_write"]),
    )


def test_an_uninterrupted_run_leaves_exactly_this_record() -> None:
    assert record(("none", "none", "match")) == {
        "status": "succeeded",
        "stage": "finished",
        "trace": [*TO_THE_READ, "final_write"],
        "memory_checkpoints": ["prepared", "dispatched", "succeeded"],
        "send_count": 1,
        "simulated_effect_count": 1,
        "read_count": 1,
        "expected_result_observed": True,
        "final_receipt_written": True,
        "cancellation_observed": False,
        "fault_requested": "none",
        "fault_exercised": False,
        "outcome": "observed_match",
        "error": None,
        "real_network_used": False,
        "real_filesystem_used": False,
        "durable_receipt_verified": False,
        "automatic_replay": False,
    }


def test_success_requires_a_send_a_matching_read_and_a_final_receipt() -> None:
    for scenario in ALL:
        run = record(scenario)
        whole = (
            run["send_count"] == run["simulated_effect_count"] == run["read_count"] == 1
            and run["expected_result_observed"]
            and run["outcome"] == "observed_match"
            and run["final_receipt_written"]
            and run["memory_checkpoints"][-1:] == ["succeeded"]
            and not run["cancellation_observed"]
            and not run["fault_exercised"]
            and run["error"] is None
        )
        assert (run["status"] == "succeeded") == whole
        assert (run["stage"] == "finished") == whole
        assert run["durable_receipt_verified"] is False


# Looking


def test_inspect_before_the_run_shows_that_nothing_has_happened() -> None:
    record = lab(fault="final_write").inspect()
    assert record["status"] == record["stage"] == "ready"
    assert record["trace"] == record["memory_checkpoints"] == []
    assert record["send_count"] == record["simulated_effect_count"] == record["read_count"] == 0
    assert record["outcome"] == "not_dispatched"
    assert record["error"] is None
    assert record["fault_requested"] == "final_write"
    flags = [key for key, value in record.items() if value is True]
    assert flags == []


def test_changing_what_inspect_or_run_returned_changes_nothing_inside() -> None:
    one = lab()
    early = one.inspect()
    early["trace"].append("forged")
    early["memory_checkpoints"].append("forged")
    early["send_count"] = 7
    assert one.inspect() == lab().inspect()

    returned = one.run()
    kept = one.inspect()
    returned["trace"].clear()
    returned["memory_checkpoints"].append("forged")
    returned["status"] = "forged"
    one.inspect()["trace"].append("forged")
    assert one.inspect() == kept == lab().run()


def test_repeated_inspection_never_sends_and_never_starts_the_run() -> None:
    one = lab()
    first = one.inspect()
    for _ in range(50):
        assert one.inspect() == first
    assert first["send_count"] == 0
    done = one.run()
    for _ in range(50):
        assert one.inspect() == done
    assert done["send_count"] == 1


# One run for each object


def test_a_run_that_succeeded_cannot_be_started_again() -> None:
    one = lab()
    done = one.run()
    assert done["status"] == "succeeded"
    for _ in range(3):
        refused("RUN_ALREADY_STARTED", one.run)
    assert one.inspect() == done


def test_a_run_that_failed_cannot_be_started_again_whether_it_sent_or_not() -> None:
    for fault, status, sends in (
        ("prepare_write", "failed", 0),
        ("final_write", "needs_review", 1),
    ):
        one = lab(fault=fault)
        done = one.run()
        assert (done["status"], done["send_count"]) == (status, sends)
        refused("RUN_ALREADY_STARTED", one.run)
        assert one.inspect() == done


def test_a_run_that_was_cancelled_cannot_be_started_again_whether_it_sent_or_not() -> None:
    for cancel_at, sends in (("after_prepare", 0), ("before_send", 0), ("after_send", 1)):
        one = lab(cancel_at=cancel_at)
        done = one.run()
        assert (done["error"], done["send_count"]) == ("cancelled", sends)
        refused("RUN_ALREADY_STARTED", one.run)
        assert one.inspect() == done


# The vocabularies


def test_the_vocabularies_are_fixed_and_every_other_name_is_refused() -> None:
    for name in FAULTS:
        assert lab(fault=name).inspect()["fault_requested"] == name
    for wrong in ("", "None", "NONE", " none", "final-write", "finalwrite", "read", "observation"):
        refused("INVALID_SCENARIO", lab, fault=wrong)
    # A name of one vocabulary is none of another, except that "none" is in two of them.
    for name in {*FAULTS, *CANCELLATIONS, *OBSERVATIONS, "", "Match", "after-send"}:
        for argument, allowed in (
            ("fault", FAULTS), ("cancel_at", CANCELLATIONS), ("observation", OBSERVATIONS),
        ):  # fmt: skip
            if name in allowed:
                lab(**{argument: name})
            else:
                refused("INVALID_SCENARIO", lab, **{argument: name})
    with pytest.raises(TypeError):
        cast(Any, Lab)("none", "none", "match")


def test_a_subclass_of_str_is_refused_even_if_it_spells_a_known_name() -> None:
    class Name(str):
        __slots__ = ()

    class Named(StrEnum):
        FINAL_WRITE = "final_write"
        AFTER_SEND = "after_send"
        MISMATCH = "mismatch"

    for argument, value in (
        ("fault", Named.FINAL_WRITE), ("cancel_at", Named.AFTER_SEND),
        ("observation", Named.MISMATCH), ("fault", Name("none")), ("cancel_at", Name("none")),
        ("observation", Name("match")),
    ):  # fmt: skip
        assert isinstance(value, str)
        refused("INVALID_SCENARIO", lab, **{argument: value})


def test_values_that_are_no_strings_are_refused_in_each_argument() -> None:
    class Plain(Enum):
        NONE = "none"

    wrong: list[Any] = [None, b"none", b"match", 0, True, 1.5, [], ["none"], {}, Plain.NONE, object]
    for argument in ("fault", "cancel_at", "observation"):
        for value in wrong:
            notes = refused("INVALID_SCENARIO", lab, **{argument: value})
            assert notes.startswith(f"{argument}={value!r} ")


def test_a_refusal_names_its_cause_and_the_remedy_in_its_notes() -> None:
    assert refused("INVALID_SCENARIO", lab, fault="finalwrite") == (
        "fault='finalwrite' is not in the vocabulary. Allowed: none, prepare_write, "
        "dispatch_write, native_reply, verification, final_write."
    )
    assert refused("INVALID_SCENARIO", lab, cancel_at="never") == (
        "cancel_at='never' is not in the vocabulary. Allowed: none, after_prepare, "
        "before_send, after_send."
    )
    assert refused("INVALID_SCENARIO", lab, observation=None) == (
        "observation=None is not in the vocabulary. Allowed: match, mismatch, unavailable."
    )
    one = lab()
    one.run()
    assert refused("RUN_ALREADY_STARTED", one.run) == (
        "A lab object runs once, whatever came of it. Make a new Lab for a new run."
    )


# The invariants


def test_the_invariants_are_checked_after_every_run_under_python_o_too() -> None:
    program = """
        from itertools import product
        from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS, Lab, check_invariants

        assert False, "this line is not reached under -O"
        for fault, cancel, sight in product(FAULTS, CANCELLATIONS, OBSERVATIONS):
            check_invariants(Lab(fault=fault, cancel_at=cancel, observation=sight).run())
        broken = Lab().run()
        broken["send_count"] = 2
        try:
            check_invariants(broken)
        except AssertionError as error:
            print(error)

        class Twice(Lab):
            def _send(self):
                super()._send()
                super()._send()

        try:
            Twice().run()
        except AssertionError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-O", "-c", textwrap.dedent(program)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "INVARIANT_BROKEN: there is at most one send\n" * 2
