"""The JSON Schema of a simulation's report, built from what is said of each key."""

from typing import Any, Final, get_args

from faultlab.dst.minimize import Minimality
from faultlab.dst.report import EXIT_CODES
from faultlab_docs import simulation_keys as keys
from faultlab_docs.schemas import DRAFT, KIND, closed

_COUNT: Final = {"type": "integer", "minimum": 0}
_POSITIVE: Final = {"type": "integer", "minimum": 1}
_TIME: Final = {"type": "number", "minimum": 0}
_TEXT: Final = {"type": "string"}
_WORDS: Final = {"type": "string", "minLength": 1}
_FILE: Final = {"type": "string", "minLength": 1, "pattern": "^[^/]"}


def simulation_report() -> dict[str, Any]:
    """The schema of what `Report.to_json` returns."""
    texts = {"type": "array", "items": _WORDS}
    report = _described(
        {
            "program": {"type": "string", "pattern": "^[^:]+:[^:]+$"},
            "verdict": {"enum": sorted(EXIT_CODES)},
            "search": _WORDS,
            "seeds": _COUNT,
            "seeds_run": _COUNT,
            "runs": _COUNT,
            "steps": _COUNT,
            "statement": _TEXT,
            "exercised": {"type": "object", "additionalProperties": _POSITIVE},
            "unexercised": texts,
            "lost": texts,
            "escapes": _array(
                _described({"call": _WORDS, "where": _TEXT, "why": _TEXT}, keys.ESCAPE_KEYS)
            ),
            "interrupted": {"type": "boolean"},
            "warning": _TEXT,
            "finding": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/finding"}]},
        },
        keys.REPORT_KEYS,
    )
    found = {"verdict": {"const": "violated"}}
    return {
        "$schema": DRAFT,
        "title": "The report of a simulation",
        "description": (
            f"Each key is marked by {KIND}: what was asked for, what was reached, what happened, "
            "what is known. The same program gives the same bytes on every supported Python, but "
            "for the token, which says the version that made it."
        ),
        **report,
        # A violation has a finding, and nothing else has one; what is clean lacks nothing.
        "allOf": [
            {
                "if": {"properties": found},
                "then": {"properties": {"finding": {"type": "object"}}},
                "else": {"properties": {"finding": {"type": "null"}}},
            },
            {
                "if": {"properties": {"verdict": {"const": "clean"}}},
                "then": {"properties": {"unexercised": {"maxItems": 0}, "lost": {"maxItems": 0}}},
            },
            {
                "if": {"properties": {"verdict": {"const": "unexercised"}}},
                "then": {
                    "anyOf": [
                        {"properties": {name: {"minItems": 1}}} for name in ("unexercised", "lost")
                    ]
                },
            },
        ],
        "$defs": {
            "finding": _finding(),
            "line": _described(
                {"file": _FILE, "number": _POSITIVE, "function": _TEXT, "source": _TEXT},
                keys.LINE_KEYS,
            ),
        },
    }


_LINE: Final = {"$ref": "#/$defs/line"}
_LINE_OR_NULL: Final = {"anyOf": [{"type": "null"}, _LINE]}


def _finding() -> dict[str, Any]:
    return _described(
        {
            "rule": _described({"kind": _WORDS, "name": _WORDS}, keys.RULE_KEYS),
            "message": _WORDS,
            "seed": {"type": ["integer", "null"], "minimum": 0},
            "decisions": _array(_decision()),
            "minimality": {"enum": list(get_args(Minimality))},
            "calls": _array(_WORDS),
            "decisions_before": _COUNT,
            "reruns": _COUNT,
            "tasks": _array(_described({"name": _WORDS, "doing": _WORDS}, keys.TASK_KEYS)),
            "traceback": _array(_LINE),
            "steps": _array(_step()),
            "sources": _array(_source()),
            "history": _array(_event()),
            "tape": _array(_tuple(_WORDS, _TEXT, _TEXT, _COUNT, _POSITIVE, _POSITIVE)),
            "token": {"type": "string", "pattern": r"^faultlab1\.[A-Za-z0-9_-]+$"},
        },
        keys.FINDING_KEYS,
    )


def _decision() -> dict[str, Any]:
    return _described(
        {
            "key": _tuple(_WORDS, _TEXT, _TEXT, _COUNT),
            "value": _POSITIVE,
            "n": _POSITIVE,
            "words": _WORDS,
            "task": _TEXT,
            "where": _LINE_OR_NULL,
            "step": _COUNT,
            "time_s": _TIME,
        },
        keys.DECISION_KEYS,
    )


def _step() -> dict[str, Any]:
    return _described(
        {
            "number": _POSITIVE,
            "time_s": _TIME,
            "process": _TEXT,
            "task": _WORDS,
            "function": _TEXT,
            "start": _LINE_OR_NULL,
            "lines": _array(_LINE),
        },
        keys.STEP_KEYS,
    )


def _source() -> dict[str, Any]:
    lines = {"type": "array", "items": _TEXT, "minItems": 1}
    return _described(
        {"file": _FILE, "function": _TEXT, "first": _POSITIVE, "lines": lines}, keys.SOURCE_KEYS
    )


def _event() -> dict[str, Any]:
    return _described(
        {
            "seq": _COUNT,
            "time_s": _TIME,
            "process": _TEXT,
            "task": _TEXT,
            "kind": _WORDS,
            "fields": {"type": "object"},
        },
        keys.EVENT_KEYS,
    )


def _described(types: dict[str, dict[str, Any]], meanings: keys.Keys) -> dict[str, Any]:
    return closed(
        {
            name: {**types[name], "description": meaning, KIND: kind}
            for name, (kind, meaning) in meanings.items()
        }
    )


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _tuple(*items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "prefixItems": list(items), "items": False, "minItems": len(items)}
