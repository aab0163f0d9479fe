"""A saved run of the Async Failure Lab as text: what it counted, and the trace in lanes."""

from typing import Final

from faultlab.async_lab.runs import AsyncRun, combinations, saved_run
from faultlab.mock import LEGEND, lanes

ALWAYS: Final = "Holds only while the receiver keeps the key and can look it up."
"""Stands under every trace of the durable runtime."""


def account(run: AsyncRun) -> str:
    """One run as text for a terminal, time running down, a lane for each actor."""
    exercised = "it struck" if run["fault_exercised"] else "nothing was to strike"
    lines = [
        run["headline"],
        "",
        f"Asked for  fault {run['fault']} in the {run['mode']} runtime",
        f"Reached    deliveries {run['deliveries']}, dispatch attempts {run['dispatch_attempts']}; "
        f"{exercised}",
        f"Happened   effects {run['effects']}, results recorded {run['results_recorded']}",
        "",
        *(f"  {row}" for row in lanes(run["events"])),
        "",
        f"  {LEGEND}",
    ]
    if run["mode"] == "durable":
        lines += ["", f"  {ALWAYS}"]
    return "\n".join(lines)


def table() -> str:
    """All 12 combinations: deliveries/dispatch attempts/effects, results recorded, headline."""
    lines = [f"{'fault':<22}{'mode':<9}{'d/a/e':<8}{'results':<9}headline"]
    for fault, mode in combinations():
        run = saved_run(fault, mode)
        counts = f"{run['deliveries']}/{run['dispatch_attempts']}/{run['effects']}"
        lines.append(
            f"{fault:<22}{mode:<9}{counts:<8}{run['results_recorded']:<9}{run['headline']}"
        )
    return "\n".join(
        [
            *lines,
            "",
            "d/a/e: deliveries, dispatch attempts, effects. A delivery attempt is no effect.",
        ]
    )
