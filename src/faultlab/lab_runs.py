"""Saved runs of the Failure Lab: the scenario space, its map, and what each key means."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Literal, TypedDict, cast

from faultlab.lab import (
    CANCELLATIONS,
    FAULTS,
    OBSERVATIONS,
    CancellationName,
    FaultName,
    Lab,
    ObservationName,
    Record,
)

Kind = Literal["asked", "reached", "happened", "known"]
Witness = Literal["worker", "model"]


class Scenario(TypedDict):
    """The three inputs of one run."""

    fault: str
    cancel_at: str
    observation: str


class SavedRun(TypedDict):
    """One run as it is stored: what was asked for, and the record that came of it."""

    scenario: Scenario
    record: Record


@dataclass(frozen=True, kw_only=True)
class Key:
    """What one key of a saved run stands for.

    Attributes:
        kind: Which of the four things it tells: asked for, reached, happened, known.
        seen_by: `worker` if the running worker can know it, `model` if only the model can.
        meaning: One sentence.
    """

    kind: Kind
    seen_by: Witness
    meaning: str


PATH: Final[tuple[str, ...]] = (
    "prepare_write",
    "after_prepare",
    "dispatch_write",
    "before_send",
    "synthetic_send",
    "after_send",
    "native_reply",
    "read",
    "verification",
    "observation",
    "final_write",
)
"""The places of a run in order: points, gaps, the send, the read, its judgement."""


def _key(kind: Kind, seen_by: Witness, meaning: str) -> Key:
    return Key(kind=kind, seen_by=seen_by, meaning=meaning)


SCENARIO_KEYS: Final[dict[str, Key]] = {
    "fault": _key("asked", "model", "The point that is to fail."),
    "cancel_at": _key("asked", "model", "The gap in which the worker is to be cancelled."),
    "observation": _key("asked", "model", "What the read is to find, if there is a read."),
}

RECORD_KEYS: Final[dict[str, Key]] = {
    "status": _key("known", "worker", "The worker's conclusion; it authorises nothing."),
    "stage": _key("reached", "worker", "The last named point that the worker got to."),
    "trace": _key("reached", "worker", "The points in order; `synthetic_send` is the call."),
    "memory_checkpoints": _key(
        "known", "worker", "Labels written on the way, in memory. They are no journal."
    ),
    "send_count": _key("happened", "worker", "How often the worker sent. It counts its own calls."),
    "simulated_effect_count": _key(
        "happened", "model", "How often the receiver took effect. The worker cannot see it."
    ),
    "read_count": _key("happened", "worker", "How often the worker read the result back."),
    "expected_result_observed": _key("known", "worker", "The read matched what was meant."),
    "final_receipt_written": _key("known", "worker", "The closing receipt was written, in memory."),
    "cancellation_observed": _key("reached", "worker", "The requested cancellation took place."),
    "fault_requested": _key("asked", "model", "The scenario's fault, echoed."),
    "fault_exercised": _key("reached", "model", "The requested fault was really met."),
    "outcome": _key("known", "worker", "What may be said of the effect."),
    "error": _key("known", "worker", "What stopped the run, or null."),
    "real_network_used": _key("happened", "worker", "Always false: there is no network here."),
    "real_filesystem_used": _key("happened", "worker", "Always false: no file is written."),
    "durable_receipt_verified": _key("known", "worker", "Always false: memory proves nothing."),
    "automatic_replay": _key("happened", "worker", "Always false: the lab never sends again."),
}


def scenario_id(scenario: Scenario) -> str:
    """The permanent name of a scenario: `fault.cancel_at.observation`."""
    return f"{scenario['fault']}.{scenario['cancel_at']}.{scenario['observation']}"


def scenarios() -> Iterator[Scenario]:
    """All 72 scenarios, in the order of the vocabularies."""
    for fault, cancel_at, observation in product(FAULTS, CANCELLATIONS, OBSERVATIONS):
        yield Scenario(fault=fault, cancel_at=cancel_at, observation=observation)


def saved_run(scenario: Scenario) -> SavedRun:
    """Run a scenario and keep it with its record.

    Raises:
        ValueError: `INVALID_SCENARIO`, as `Lab` says it.
    """
    lab = Lab(
        fault=cast(FaultName, scenario["fault"]),
        cancel_at=cast(CancellationName, scenario["cancel_at"]),
        observation=cast(ObservationName, scenario["observation"]),
    )
    return SavedRun(scenario=scenario, record=lab.run())


def never_reached(run: SavedRun) -> list[str]:
    """The inputs that were asked for and never met: no evidence about them."""
    scenario, record = run["scenario"], run["record"]
    unmet = []
    if scenario["fault"] != "none" and not record["fault_exercised"]:
        unmet.append("fault")
    if scenario["cancel_at"] != "none" and not record["cancellation_observed"]:
        unmet.append("cancel_at")
    if scenario["observation"] != "match" and record["error"] != "result_not_verified":
        unmet.append("observation")
    return unmet


def stop(run: SavedRun) -> str:
    """Where a run ended, as one phrase: the name of its end state."""
    record = run["record"]
    if record["error"] is None:
        return "none"
    if record["error"] == "cancelled":
        return f"{run['scenario']['cancel_at']} cancel"
    if record["error"] == "result_not_verified":
        return f"observation {run['scenario']['observation']}"
    return f"{record['error']} fault"


def end_state(record: Record) -> dict[str, Any]:
    """The record without what was merely asked: the echoed fault and whether it was met."""
    return {k: v for k, v in record.items() if k not in ("fault_requested", "fault_exercised")}


def lab_map() -> dict[str, Any]:
    """Every scenario run, and the end states they fall into.

    Returns:
        `summary` (counts), `end_states` (a list, numbered from 1 in the order of the
        worker's path, with success last) and `runs` (72 saved runs, each with its id,
        the number of its end state and the inputs it never reached).
    """
    runs = [saved_run(scenario) for scenario in scenarios()]
    states: list[dict[str, Any]] = []
    stops: list[str] = []
    for run in sorted(runs, key=stopped_at):
        state = end_state(run["record"])
        if state not in states:
            states.append(state)
            stops.append(stop(run))
    number = [states.index(end_state(run["record"])) + 1 for run in runs]
    unmet = [never_reached(run) for run in runs]
    return {
        "summary": _summary(runs, unmet, len(states)),
        "end_states": [
            {"number": n, "stop": name, "scenarios": number.count(n), "state": state}
            for n, (name, state) in enumerate(zip(stops, states, strict=True), start=1)
        ],
        "runs": [
            {"id": scenario_id(run["scenario"]), "end_state": n, "never_reached": missed, **run}
            for run, n, missed in zip(runs, number, unmet, strict=True)
        ],
    }


def stopped_at(run: SavedRun) -> int:
    """The index in `PATH` of the place where the run stopped; `len(PATH)` if it finished."""
    record = run["record"]
    if record["error"] is None:
        return len(PATH)
    if record["error"] == "cancelled":
        return PATH.index(run["scenario"]["cancel_at"])
    return PATH.index(
        "observation" if record["error"] == "result_not_verified" else record["error"]
    )


def _summary(runs: list[SavedRun], unmet: list[list[str]], end_states: int) -> dict[str, Any]:
    statuses = Counter(run["record"]["status"] for run in runs)
    missed = Counter(name for names in unmet for name in names)
    asked = {
        "fault": sum(run["scenario"]["fault"] != "none" for run in runs),
        "cancel_at": sum(run["scenario"]["cancel_at"] != "none" for run in runs),
        "observation": sum(run["scenario"]["observation"] != "match" for run in runs),
    }
    return {
        "scenarios": len(runs),
        "end_states": end_states,
        "status": {
            name: statuses[name] for name in ("succeeded", "cancelled", "needs_review", "failed")
        },
        "asked": asked,
        "never_reached": {name: missed[name] for name in asked},
        "most_sends": max(run["record"]["send_count"] for run in runs),
    }
