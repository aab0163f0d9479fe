"""What each key of a saved run of the idempotency contract stands for, and the schemas."""

from typing import Any, Final

from faultlab.idempotency import KEY_SCOPES, SECOND_REQUESTS, SECONDS_MAX
from faultlab.idempotency_account import WHEN
from faultlab.lab_runs import Key, Kind, Witness
from faultlab.receiver import CONFLICT_POLICIES
from faultlab_docs.schemas import DRAFT, KIND, SEEN_BY, closed


def _key(kind: Kind, seen_by: Witness, meaning: str) -> Key:
    return Key(kind=kind, seen_by=seen_by, meaning=meaning)


RUN_KEYS: Final[dict[str, Key]] = {
    "inputs": _key("asked", "worker", "What was chosen: three names and two numbers of seconds."),
    "assumptions": _key("asked", "worker", "What the experiment takes for granted."),
    "not_modelled": _key("asked", "worker", "What the experiment leaves out."),
    "requests": _key("reached", "worker", "Both requests as they reached the receiver."),
    "record_at_second_request": _key(
        "happened", "model", "What had become of the first request's idempotency record."
    ),
    "second_disposition": _key("known", "worker", "What the receiver answered the second request."),
    "total_effects": _key("happened", "model", "How often the receiver debited."),
    "one_intent": _key("asked", "worker", "Whether both requests express one intent."),
    "right_for_intent": _key("known", "model", "Whether the disposition serves the intent."),
    "headline": _key("known", "model", "What became of the second request, and why."),
}

_TEXT: Final = {"type": "string", "minLength": 1}
_TEXTS: Final = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_SECONDS: Final = {"type": "number", "minimum": 0, "maximum": SECONDS_MAX}
_COUNT: Final = {"type": "integer", "minimum": 0}


_REQUEST: Final = closed(
    {
        "attempt": {"enum": [1, 2]},
        "business_identity": {"type": "string", "pattern": "^tenant-[ab] / order-4[23]$"},
        "amount_minor": {"type": "integer", "minimum": 1},
        "receiver_key": {"type": "string", "pattern": '^\\[".+"\\]$'},
        "fingerprint": {"type": "string", "pattern": '^\\[".+",[0-9]+\\]$'},
    }
)
_RUN_TYPES: Final[dict[str, dict[str, Any]]] = {
    "inputs": closed(
        {
            "key_scope": {"enum": list(KEY_SCOPES)},
            "second_request": {"enum": list(SECOND_REQUESTS)},
            "conflict_policy": {"enum": list(CONFLICT_POLICIES)},
            "retention_s": _SECONDS,
            "after_s": _SECONDS,
        }
    ),
    "assumptions": _TEXTS,
    "not_modelled": _TEXTS,
    "requests": {"type": "array", "items": _REQUEST, "minItems": 2, "maxItems": 2},
    "record_at_second_request": {"enum": ["retained", "expired", "none under that key"]},
    "second_disposition": {"enum": ["applied", "reused", "conflict"]},
    "total_effects": {"enum": [1, 2]},
    "one_intent": {"type": "boolean"},
    "right_for_intent": {"type": "boolean"},
    "headline": _TEXT,
}
_RULES: Final = [
    # Only `applied` adds an effect, and only a retained record is reused or conflicts.
    ({"second_disposition": {"const": "applied"}}, {"total_effects": {"const": 2}}),
    (
        {"second_disposition": {"enum": ["reused", "conflict"]}},
        {"total_effects": {"const": 1}, "record_at_second_request": {"const": "retained"}},
    ),
]


def contract_run() -> dict[str, Any]:
    """The schema of one saved run of the experiment."""
    return {
        "$schema": DRAFT,
        "title": "A saved run of the idempotency contract experiment",
        "description": f"Each key is marked by {KIND} (asked, reached, happened or known) and by "
        f"{SEEN_BY} (worker: the sender; or model).",
        **_run(),
    }


def _run() -> dict[str, Any]:
    properties = {
        name: {
            **_RUN_TYPES[name],
            "description": key.meaning,
            KIND: key.kind,
            SEEN_BY: key.seen_by,
        }
        for name, key in RUN_KEYS.items()
    }
    rules = [{"if": {"properties": given}, "then": {"properties": then}} for given, then in _RULES]
    return {**closed(properties), "allOf": rules}


def contract_map() -> dict[str, Any]:
    """The schema of the map of all 64 combinations."""
    tally = closed({"right": _COUNT, "wrong": _COUNT})
    dispositions = dict.fromkeys(("applied", "reused", "conflict"), tally)
    entry = {"id": _TEXT, "when": {"enum": list(WHEN.values())}, "run": _run()}
    return {
        "$schema": DRAFT,
        "title": "The map of the idempotency contract experiment: all 64 combinations",
        "description": "An entry's run stands for every pair of numbers for which its condition "
        "holds, compared as whole milliseconds; only the two inputs differ.",
        **closed(
            {
                "summary": closed({"combinations": _COUNT, **dispositions}),
                "runs": {"type": "array", "items": closed(entry)},
            }
        ),
    }
