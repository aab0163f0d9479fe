"""The JSON Schema of a saved run of the Async Failure Lab, built from what is said of each key."""

from typing import Any, Final

from faultlab.async_lab import FAULTS, MODES
from faultlab.mock import LANES
from faultlab_docs.async_keys import EVENT_KEYS, RUN_KEYS
from faultlab_docs.schemas import DRAFT, KIND, SEEN_BY, closed

_COUNT: Final = {"type": "integer", "minimum": 0}
_POSITIVE: Final = {"type": "integer", "minimum": 1}
_TEXT: Final = {"type": "string", "minLength": 1}
_TEXTS: Final = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_FOUR: Final = ("asked", "reached", "happened", "known")

_EVENT_TYPES: Final[dict[str, dict[str, Any]]] = {
    "number": _POSITIVE,
    "at_ms": _COUNT,
    "lane": {"enum": list(LANES)},
    "kind": {"enum": list(_FOUR)},
    "seen_by": {"enum": ["worker", "model"]},
    "delivery": _POSITIVE,
    "call": {"type": ["string", "null"], "pattern": "^(broker|journal|receiver)\\.[a-z_]+$"},
    "text": _TEXT,
}

_EVENT_RULES: Final[list[tuple[dict[str, Any], dict[str, Any]]]] = [
    # What is asked for is a fault, and only the model knows of it.
    ({"kind": {"const": "asked"}}, {"seen_by": {"const": "model"}, "call": {"const": None}}),
    # What is known, the worker knows.
    ({"kind": {"const": "known"}}, {"seen_by": {"const": "worker"}, "lane": {"const": "worker"}}),
    # What happens at the receiver or in the journal, no worker sees.
    ({"lane": {"enum": ["journal", "receiver"]}}, {"seen_by": {"const": "model"}}),
]

_RUN_TYPES: Final[dict[str, dict[str, Any]]] = {
    "fault": {"enum": list(FAULTS)},
    "mode": {"enum": list(MODES)},
    "fault_exercised": {"type": "boolean"},
    "assumptions": _TEXTS,
    "not_modelled": _TEXTS,
    "deliveries": _POSITIVE,
    "dispatch_attempts": _COUNT,
    "effects": _COUNT,
    "results_recorded": _COUNT,
    "headline": _TEXT,
}


def async_run() -> dict[str, Any]:
    """The schema of one saved run of the Async Failure Lab."""
    types = {**_RUN_TYPES, "events": {"type": "array", "minItems": 1, "items": _event()}}
    return {
        "$schema": DRAFT,
        "title": "A saved run of the Async Failure Lab",
        "description": (
            f"Each key is marked by {KIND} (asked, reached, happened or known) and by {SEEN_BY} "
            "(worker or model). An event says so itself, in its keys kind and seen_by."
        ),
        **closed(
            {
                name: {
                    **types[name],
                    "description": key.meaning,
                    KIND: key.kind,
                    SEEN_BY: key.seen_by,
                }
                for name, key in RUN_KEYS.items()
            }
        ),
        # A run in which no fault is asked for meets none.
        **_rules([({"fault": {"const": "none"}}, {"fault_exercised": {"const": False}})]),
    }


def _event() -> dict[str, Any]:
    properties = {}
    for name, (meaning, kind) in EVENT_KEYS.items():
        mark = {KIND: kind} if kind else {}
        properties[name] = {**_EVENT_TYPES[name], "description": meaning, **mark}
    return {**closed(properties), **_rules(_EVENT_RULES)}


def _rules(rules: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    return {
        "allOf": [
            {"if": {"properties": given}, "then": {"properties": needed}} for given, needed in rules
        ]
    }
