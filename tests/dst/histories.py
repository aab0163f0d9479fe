"""Histories written by hand, an event a row; time moves on by half a second an event."""

from typing import Any

from faultlab.kernel import History

Row = tuple[str, str, dict[str, Any]]


def history(*rows: Row) -> History:
    """A sealed history of (process, kind, fields)."""
    moment = [0.0]
    made = History(lambda: moment[0])
    for number, (process, kind, fields) in enumerate(rows):
        moment[0] = number * 0.5
        made.record(process, process, kind, fields)
    made.seal()
    return made


def call(process: str, op: str, *, route: str = "r", **asked: Any) -> Row:
    return (process, "call", {"surface": "object", "route": route, "op": op, "asked": asked})


def back(process: str, number: int, known: Any = None) -> Row:
    return (process, "return", {"call": number, "known": known})


def lost(process: str, number: int, error: str = "TimeoutError") -> Row:
    return (process, "raise", {"call": number, "error": error})


def crash(process: str) -> Row:
    return ("", "crash", {"process": process, "incarnation": 1})
