"""Reading a report back from its JSON, such as one that another machine has written."""

from collections.abc import Mapping, Sequence
from typing import Any

from faultlab.dst.attempt import Rule
from faultlab.dst.errors import SimulationError
from faultlab.dst.places import Line
from faultlab.dst.report import Finding, Report
from faultlab.dst.sources import Source
from faultlab.dst.watch import Step, TaskAt
from faultlab.dst.words import Decision
from faultlab.kernel import Escape, History, Tape, TapeError


def report_from_json(data: Mapping[str, Any]) -> Report:
    """The report that `Report.to_json` made this of.

    Raises:
        SimulationError: It is no report's JSON, or is not whole.
    """
    try:
        found = data["finding"]
        return Report(
            **{
                **data,
                "finding": None if found is None else _finding(found),
                "unexercised": tuple(data["unexercised"]),
                "lost": tuple(data["lost"]),
                "escapes": tuple(Escape(**escape) for escape in data["escapes"]),
            }
        )
    except (KeyError, TypeError, ValueError, AttributeError, TapeError) as error:
        raise SimulationError(
            f"this is not the JSON of a report ({type(error).__name__}: {error}); give what "
            "Report.to_json returned, whole and unchanged"
        ) from error


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        **{
            **data,
            "rule": Rule(**data["rule"]),
            "decisions": tuple(_decision(made) for made in data["decisions"]),
            "tasks": tuple(TaskAt(**task) for task in data["tasks"]),
            "traceback": tuple(Line(**line) for line in data["traceback"]),
            "steps": tuple(_step(step) for step in data["steps"]),
            "sources": tuple(
                Source(**{**source, "lines": tuple(source["lines"])}) for source in data["sources"]
            ),
            "history": _history(data["history"]),
            "calls": tuple(data["calls"]),
            "tape": Tape.from_json(data["tape"]),
        }
    )


def _decision(data: Mapping[str, Any]) -> Decision:
    stream, process, call, nth = data["key"]
    return Decision(
        **{**data, "key": (stream, process, call, nth), "where": _line(data["where"])},
    )


def _step(data: Mapping[str, Any]) -> Step:
    return Step(
        **{
            **data,
            "start": _line(data["start"]),
            "lines": tuple(Line(**line) for line in data["lines"]),
        }
    )


def _line(data: Mapping[str, Any] | None) -> Line | None:
    return None if data is None else Line(**data)


def _history(events: Sequence[Mapping[str, Any]]) -> History:
    times = iter([event["time_s"] for event in events])
    history = History(lambda: next(times))
    for event in events:
        history.record(event["process"], event["task"], event["kind"], dict(event["fields"]))
    history.seal()
    return history
