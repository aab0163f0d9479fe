"""The JSON Schema of a filled-in checklist, built from the items and from what a file may hold."""

from typing import Any, Final

from faultlab.readiness import ITEMS
from faultlab.readiness_file import KEYS, RESPONSES
from faultlab.readiness_words import FORMAT
from faultlab_docs.schemas import DRAFT

_MEANINGS: Final[dict[str, dict[str, Any]]] = {
    "answer": {"enum": list(RESPONSES), "description": "unknown says don't know, and is open."},
    "reason": {"description": "Why the item is not applicable, or why it is waived."},
    "owner": {"description": "Who looks after it."},
    "evidence": {"description": "A link to what shows that the answer is true."},
    "note": {"description": "Anything else."},
    "waived_until": {
        "description": "Up to and including this day the open item is accepted; null if it isn't.",
        "type": ["string", "null"],
        "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2})?$",
    },
}


def readiness() -> dict[str, Any]:
    """The schema of a checklist's file. Items and keys that are missing are unknown and empty."""
    text = {"type": ["string", "null"]}
    answer = {
        key: _MEANINGS[key] if key in ("answer", "waived_until") else {**text, **_MEANINGS[key]}
        for key in KEYS
    }
    return {
        "$schema": DRAFT,
        "title": "A replay-readiness checklist of one operation, with its answers",
        "description": "It gives no score. `faultlab checklist --check` says what stays open.",
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "operation": {"type": "string", "description": "What is reviewed, in a few words."},
            "items": {
                "type": "object",
                "properties": {
                    item.id: {"$ref": "#/$defs/answer", "description": item.question}
                    for item in ITEMS
                },
                "additionalProperties": False,
            },
        },
        "required": ["format", "operation", "items"],
        "$defs": {
            "answer": {"type": "object", "properties": answer, "additionalProperties": False}
        },
    }
