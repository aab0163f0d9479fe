"""The JSON Schemas of saved runs, built from what the package says of each key."""

from typing import Any, Final

from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS
from faultlab.lab_runs import PATH, RECORD_KEYS, SCENARIO_KEYS, Key

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
KIND: Final = "x-faultlab-kind"
SEEN_BY: Final = "x-faultlab-seen-by"

_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": 1}
_FLAG: Final = {"type": "boolean"}
_NEVER: Final = {"const": False}

_POINTS: Final = [
    *(place for place in PATH if place in FAULTS or place == "synthetic_send"),
    *(f"cancel:{place}" for place in CANCELLATIONS if place != "none"),
]

_RECORD_TYPES: Final[dict[str, dict[str, Any]]] = {
    "status": {"enum": ["succeeded", "cancelled", "needs_review", "failed"]},
    "stage": {"enum": [*(fault for fault in FAULTS if fault != "none"), "finished"]},
    "trace": {"type": "array", "items": {"enum": _POINTS}, "uniqueItems": True},
    "memory_checkpoints": {
        "type": "array",
        "items": {"enum": ["prepared", "dispatched", "succeeded"]},
        "uniqueItems": True,
    },
    "send_count": _COUNT,
    "simulated_effect_count": _COUNT,
    "read_count": _COUNT,
    "expected_result_observed": _FLAG,
    "final_receipt_written": _FLAG,
    "cancellation_observed": _FLAG,
    "fault_requested": {"enum": list(FAULTS)},
    "fault_exercised": _FLAG,
    "outcome": {"enum": ["not_dispatched", "unknown", "observed_match", "observed_mismatch"]},
    "error": {
        "enum": [
            None,
            *(fault for fault in FAULTS if fault != "none"),
            "cancelled",
            "result_not_verified",
        ]
    },
    "real_network_used": _NEVER,
    "real_filesystem_used": _NEVER,
    "durable_receipt_verified": _NEVER,
    "automatic_replay": _NEVER,
}

_SCENARIO_TYPES: Final[dict[str, dict[str, Any]]] = {
    "fault": {"enum": list(FAULTS)},
    "cancel_at": {"enum": list(CANCELLATIONS)},
    "observation": {"enum": list(OBSERVATIONS)},
}


def lab_run() -> dict[str, Any]:
    """The schema of one saved run of the Failure Lab."""
    return {
        "$schema": DRAFT,
        "title": "A saved run of the Failure Lab",
        "description": (
            f"Each key is marked by {KIND} (asked, reached, happened or known) and by "
            f"{SEEN_BY} (worker or model)."
        ),
        **closed(
            {
                "scenario": _described(_SCENARIO_TYPES, SCENARIO_KEYS),
                "record": _described(_RECORD_TYPES, RECORD_KEYS),
            }
        ),
    }


def lab_map() -> dict[str, Any]:
    """The schema of the map of all scenarios."""
    count = {"type": "integer", "minimum": 0}
    run = lab_run()["properties"]
    state = {
        key: value
        for key, value in run["record"]["properties"].items()
        if key not in ("fault_requested", "fault_exercised")
    }
    inputs = dict.fromkeys(_SCENARIO_TYPES, count)
    return {
        "$schema": DRAFT,
        "title": "The map of the Failure Lab: every scenario, and the end states they share",
        **closed(
            {
                "summary": closed(
                    {
                        "scenarios": count,
                        "end_states": count,
                        "status": closed(dict.fromkeys(_RECORD_TYPES["status"]["enum"], count)),
                        "asked": closed(inputs),
                        "never_reached": closed(inputs),
                        "most_sends": count,
                    }
                ),
                "end_states": _array(
                    {
                        "number": count,
                        "stop": {"type": "string"},
                        "scenarios": count,
                        "state": closed(state),
                    }
                ),
                "runs": _array(
                    {
                        "id": {"type": "string"},
                        "end_state": count,
                        "never_reached": {"type": "array", "items": {"enum": list(inputs)}},
                        **run,
                    }
                ),
            }
        ),
    }


def _described(types: dict[str, dict[str, Any]], keys: dict[str, Key]) -> dict[str, Any]:
    return closed(
        {
            name: {
                **types[name],
                "description": key.meaning,
                KIND: key.kind,
                SEEN_BY: key.seen_by,
            }
            for name, key in keys.items()
        }
    )


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": closed(properties)}
