"""Both runs of a fault step by step: what the page shows when it stands at an event.

All of it is worked out here, at build time, from the saved runs. The page's script only looks up.
"""

from typing import Any, Final, TypedDict

from faultlab.async_lab import AsyncRun
from faultlab.mock import ends_worker
from faultlab_docs import async_code
from faultlab_docs.async_axis import COUNTS, axis, counts
from faultlab_docs.async_pictures import clock

GUESSES: Final = ("0", "1", "2")
TIMES: Final = ("not at all", "once", "twice")


class Step(TypedDict):
    """One event of either run, and how both stand after it.

    `line` is the line of code that the event belongs to; `waits` the line at which each runtime's
    worker stands, if one is alive and inside its handler. `curtain` is the height, in each
    picture, below which nothing has taken place yet.
    """

    mode: str
    n: int
    seen_by: str
    said: str
    line: int | None
    waits: dict[str, int | None]
    counts: dict[str, list[int]]
    curtain: dict[str, int]


def steps(runs: dict[str, AsyncRun]) -> list[Step]:
    """Every event of both runs in the order of time.

    Args:
        runs: The saved run of each mode under one fault.

    Raises:
        ValueError: The events don't add up to what a run says that it counted.
    """
    for mode, run in runs.items():
        counted = dict(zip(COUNTS, counts(run["events"]), strict=True))
        told = {name: run[name] for name in COUNTS}
        if counted != told:
            raise ValueError(f"{run['fault']}.{mode} says {told}, its events say {counted}.")
    shared = axis(*runs.values())
    tops = {mode: shared.tops(run["events"]) for mode, run in runs.items()}
    order = [
        (event["at_ms"], list(runs).index(mode), event["number"], mode)
        for mode, run in runs.items()
        for event in run["events"]
    ]
    passed = dict.fromkeys(runs, 0)
    found: list[Step] = []
    for at_ms, _, number, mode in sorted(order):
        passed[mode] = number
        event = runs[mode]["events"][number - 1]
        now = shared.moment(at_ms).bottom
        found.append(
            Step(
                mode=mode,
                n=number,
                seen_by=event["seen_by"],
                said=f"{clock(event)} s, {mode}, {event['lane']}: {event['text']}",
                line=async_code.line(mode, event),
                waits={name: waits(run, passed[name]) for name, run in runs.items()},
                counts={
                    name: list(counts(run["events"][: passed[name]])) for name, run in runs.items()
                },
                curtain={name: min([now, *tops[name][passed[name] :]]) for name in runs},
            )
        )
    return found


def waits(run: AsyncRun, passed: int) -> int | None:
    """The line at which the worker stands after a run's first events, or None."""
    line = None
    for event in run["events"][:passed]:
        if ends_worker(event) or event["call"] == "broker.acknowledge":
            line = None
        elif event["call"] is not None:
            line = async_code.line(run["mode"], event)
    return line


def verdicts(run: AsyncRun) -> dict[str, str]:
    """What the page answers to each prediction of a run's effects, and to none."""
    truth = f"the account is debited {TIMES[run['effects']]}."
    said = {
        guess: f"Right: {truth}"
        if int(guess) == run["effects"]
        else f"Wrong: you said {TIMES[int(guess)]}, and {truth}"
        for guess in GUESSES
    }
    return {**said, "": truth[0].upper() + truth[1:]}


def data(runs: dict[str, AsyncRun]) -> dict[str, Any]:
    """Steps and answers of one fault, for the page's script."""
    return {
        "steps": steps(runs),
        "verdicts": {mode: verdicts(run) for mode, run in runs.items()},
        "headlines": {mode: run["headline"] for mode, run in runs.items()},
        "total": {mode: list(counts(run["events"])) for mode, run in runs.items()},
    }
