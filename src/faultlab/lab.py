"""One send, the record of it, and one interruption: a deterministic model in memory.

A worker prepares, notes that it is about to send, sends once, reads the result back
and writes a final receipt. You choose where it is interrupted and what the read finds.
The lab then keeps apart four things that one status word would blur: what was asked
for, what was reached, what happened, and what is known.

There is no clock, no thread, no file, no network, no callback and no second attempt.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final, Literal, TypedDict, get_args

FaultName = Literal[
    "none", "prepare_write", "dispatch_write", "native_reply", "verification", "final_write"
]
CancellationName = Literal["none", "after_prepare", "before_send", "after_send"]
ObservationName = Literal["match", "mismatch", "unavailable"]

FAULTS: Final[tuple[str, ...]] = get_args(FaultName)
CANCELLATIONS: Final[tuple[str, ...]] = get_args(CancellationName)
OBSERVATIONS: Final[tuple[str, ...]] = get_args(ObservationName)


class Record(TypedDict):
    """Everything one run leaves behind, in the order in which it is printed."""

    status: str
    stage: str
    trace: list[str]
    memory_checkpoints: list[str]
    send_count: int
    simulated_effect_count: int
    read_count: int
    expected_result_observed: bool
    final_receipt_written: bool
    cancellation_observed: bool
    fault_requested: str
    fault_exercised: bool
    outcome: str
    error: str | None
    real_network_used: bool
    real_filesystem_used: bool
    durable_receipt_verified: bool
    automatic_replay: bool


class _Interrupted(Exception):
    """The worker stops here. Its text becomes the record's `error`."""


class Lab:
    """One scenario, which can be run once.

    ```python
    from faultlab import Lab

    lab = Lab(fault="final_write")
    print(lab.inspect()["status"], lab.inspect()["stage"])
    #> ready ready
    print(lab.run()["status"])
    #> needs_review
    ```

    Args:
        fault: The point that fails, one of `FAULTS`.
        cancel_at: The gap in which the worker is cancelled, one of `CANCELLATIONS`.
        observation: What the read finds if the run gets that far, one of `OBSERVATIONS`.

    Raises:
        ValueError: `INVALID_SCENARIO` for any other value, a subclass of `str` included.
            The exception's notes name the argument and the values that are allowed.
    """

    def __init__(
        self,
        *,
        fault: FaultName = "none",
        cancel_at: CancellationName = "none",
        observation: ObservationName = "match",
    ) -> None:
        self._fault = _declared("fault", fault, FAULTS)
        self._cancel_at = _declared("cancel_at", cancel_at, CANCELLATIONS)
        self._observation = _declared("observation", observation, OBSERVATIONS)
        self._started = False
        self._state = Record(
            status="ready",
            stage="ready",
            trace=[],
            memory_checkpoints=[],
            send_count=0,
            simulated_effect_count=0,
            read_count=0,
            expected_result_observed=False,
            final_receipt_written=False,
            cancellation_observed=False,
            fault_requested=self._fault,
            fault_exercised=False,
            outcome="not_dispatched",
            error=None,
            real_network_used=False,
            real_filesystem_used=False,
            durable_receipt_verified=False,
            automatic_replay=False,
        )

    def inspect(self) -> Record:
        """A deep copy of the record so far. Looking changes nothing and certifies nothing."""
        return deepcopy(self._state)

    def run(self) -> Record:
        """Run the scenario, check the invariants, and return the record as a deep copy.

        The record proves what this model did. It proves no save and no payment, and no
        status in it authorises another send.

        Raises:
            ValueError: `RUN_ALREADY_STARTED` on every call but the first.
            AssertionError: `INVARIANT_BROKEN` if the record contradicts itself.
        """
        if self._started:
            raise _refused(
                "RUN_ALREADY_STARTED",
                "A lab object runs once, whatever came of it. Make a new Lab for a new run.",
            )
        self._started = True
        self._state["status"] = "running"
        try:
            self._work()
        except _Interrupted as interruption:
            self._state["error"] = str(interruption)
            self._state["status"] = self._status_when_stopped()
        check_invariants(self._state)
        return self.inspect()

    def _work(self) -> None:
        state = self._state
        self._point("prepare_write")
        state["memory_checkpoints"].append("prepared")
        self._gap("after_prepare")

        # The label is written before the send, so that it is there when the send's fate is not.
        self._point("dispatch_write")
        state["memory_checkpoints"].append("dispatched")
        self._gap("before_send")

        self._send()
        self._gap("after_send")

        self._point("native_reply")
        state["read_count"] += 1
        self._point("verification")
        self._judge()

        self._point("final_write")
        state["memory_checkpoints"].append("succeeded")
        state["final_receipt_written"] = True
        state["status"] = "succeeded"
        state["stage"] = "finished"

    def _point(self, name: str) -> None:
        """The worker gets to a named step, which may be the one that fails."""
        self._state["stage"] = name
        self._state["trace"].append(name)
        if name == self._fault:
            self._state["fault_exercised"] = True
            raise _Interrupted(name)

    def _gap(self, name: str) -> None:
        """The worker is between two steps, where it may be cancelled."""
        if name == self._cancel_at:
            self._state["cancellation_observed"] = True
            self._state["trace"].append(f"cancel:{name}")
            raise _Interrupted("cancelled")

    def _send(self) -> None:
        """The synthetic receiver takes effect. From here until a read, the outcome is unknown."""
        self._state["send_count"] += 1
        self._state["simulated_effect_count"] += 1
        self._state["outcome"] = "unknown"
        self._state["trace"].append("synthetic_send")

    def _judge(self) -> None:
        """The read is compared with what was meant. Only a match lets the run go on."""
        if self._observation == "match":
            self._state["expected_result_observed"] = True
            self._state["outcome"] = "observed_match"
            return
        if self._observation == "mismatch":
            self._state["outcome"] = "observed_mismatch"
        raise _Interrupted("result_not_verified")

    def _status_when_stopped(self) -> str:
        """After a send nothing may be called cancelled or failed: someone has to look."""
        if self._state["send_count"]:
            return "needs_review"
        return "cancelled" if self._state["cancellation_observed"] else "failed"


INVARIANTS: Final[tuple[tuple[str, Callable[[Record], bool]], ...]] = (
    ("there is at most one send", lambda r: r["send_count"] in (0, 1)),
    ("each send has one effect", lambda r: r["simulated_effect_count"] == r["send_count"]),
    ("there is at most one read", lambda r: r["read_count"] in (0, 1)),
    (
        "success needs a send and a read",
        lambda r: r["status"] != "succeeded" or r["send_count"] == r["read_count"] == 1,
    ),
    (
        "success needs a match and a final receipt",
        lambda r: (
            r["status"] != "succeeded"
            or (r["expected_result_observed"] and r["final_receipt_written"])
        ),
    ),
    (
        "success excludes a cancellation and an error",
        lambda r: (
            r["status"] != "succeeded" or (not r["cancellation_observed"] and r["error"] is None)
        ),
    ),
    (
        "after a send, a run is neither cancelled nor failed",
        lambda r: r["send_count"] == 0 or r["status"] not in ("cancelled", "failed"),
    ),
    (
        "without a send, nothing is observed",
        lambda r: (
            r["send_count"] == 1
            or (r["outcome"] == "not_dispatched" and not r["expected_result_observed"])
        ),
    ),
    (
        "a failed final write keeps the match",
        lambda r: (
            "final_write" not in r["trace"]
            or (r["expected_result_observed"] and r["outcome"] == "observed_match")
        ),
    ),
    (
        "nothing is replayed and no durable receipt is claimed",
        lambda r: not r["automatic_replay"] and not r["durable_receipt_verified"],
    ),
)


def check_invariants(record: Record) -> None:
    """Refuse a record that contradicts itself. `python -O` does not switch this off.

    Raises:
        AssertionError: `INVARIANT_BROKEN`, with the name of the first invariant that fails.
    """
    for name, holds in INVARIANTS:
        if not holds(record):
            raise AssertionError(f"INVARIANT_BROKEN: {name}")


def _declared(argument: str, value: Any, allowed: tuple[str, ...]) -> str:
    # `type`, not `isinstance`: a subclass of str could compare equal and still behave otherwise.
    if type(value) is not str or value not in allowed:
        raise _refused(
            "INVALID_SCENARIO",
            f"{argument}={value!r} is not in the vocabulary. Allowed: {', '.join(allowed)}.",
        )
    return value


def _refused(code: str, remedy: str) -> ValueError:
    error = ValueError(code)
    error.add_note(remedy)
    return error
