"""A saved run of the Failure Lab told step by step: for the terminal, pictures and tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Final

from faultlab.lab_runs import PATH, SavedRun, never_reached, stopped_at

GLYPHS: Final[dict[str, str]] = {
    "asked": "◇",
    "reached": "●",
    "stopped": "✕",
    "happened": "■",
    "known": "◎",
    "unknown": "░",
}
"""One glyph for each of the four things, one for the end of a lane, one for what is unknown."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One place on the worker's path, and what it adds to each of the four things.

    Attributes:
        place: A name from `lab_runs.PATH`.
        asked: What the scenario asks for here, or an empty string.
        reached: Whether the worker got here.
        stopped: Whether it stopped here.
        happened: What took place here, or an empty string.
        known: What the worker's record gains here, or an empty string.
        effect_unknown: Whether, after this step, the worker can't tell if the effect is there.
    """

    place: str
    asked: str
    reached: bool
    stopped: bool
    happened: str
    known: str
    effect_unknown: bool


def steps(run: SavedRun) -> list[Step]:
    """Every place of the path in order, those that the run never reached included."""
    end = stopped_at(run)
    return [
        Step(
            place=place,
            asked=_asked(run, place),
            reached=index <= end,
            stopped=index == end,
            happened=_happened(run, place),
            known=_known(run, place) if index <= end else "",
            effect_unknown=index <= end and _effect_unknown(run, index),
        )
        for index, place in enumerate(PATH)
    ]


def _asked(run: SavedRun, place: str) -> str:
    scenario = run["scenario"]
    if place == scenario["fault"]:
        return "fault"
    if place == scenario["cancel_at"]:
        return "cancellation"
    if place == "observation" and scenario["observation"] != "match":
        return scenario["observation"]
    return ""


def _happened(run: SavedRun, place: str) -> str:
    record = run["record"]
    if place == "synthetic_send" and record["send_count"]:
        return f"{record['send_count']} send, {record['simulated_effect_count']} effect"
    if place == "read" and record["read_count"]:
        return f"{record['read_count']} read"
    return ""


def _known(run: SavedRun, place: str) -> str:
    record = run["record"]
    labels = record["memory_checkpoints"]
    if place == "prepare_write" and "prepared" in labels:
        return "checkpoint prepared"
    if place == "dispatch_write" and "dispatched" in labels:
        return "checkpoint dispatched"
    if place == "synthetic_send":
        return "outcome unknown"
    if place == "observation":
        return f"outcome {record['outcome'].replace('_', ' ')}"
    if place == "final_write" and record["final_receipt_written"]:
        return "final receipt, checkpoint succeeded"
    return ""


def _effect_unknown(run: SavedRun, index: int) -> bool:
    if index < PATH.index("synthetic_send"):
        return False
    return run["record"]["outcome"] == "unknown" or index < PATH.index("observation")


def conclusion(run: SavedRun) -> dict[str, str]:
    """The run in four sentences, keyed `asked`, `reached`, `happened`, `known`."""
    scenario, record = run["scenario"], run["record"]
    unmet = never_reached(run)
    asked = (
        f"fault {scenario['fault']}, cancellation {scenario['cancel_at']}, "
        f"observation {scenario['observation']}"
    )
    end = stopped_at(run)
    reached = "all of it" if end == len(PATH) else f"stopped at {PATH[end]}"
    if unmet:
        names = {"fault": "fault", "cancel_at": "cancellation", "observation": "observation"}
        reached += f"; asked for and never reached: {', '.join(names[name] for name in unmet)}"
    happened = (
        f"{_count(record['send_count'], 'send')}, "
        f"{_count(record['simulated_effect_count'], 'effect')}, "
        f"{_count(record['read_count'], 'read')}"
    )
    labels = ", ".join(record["memory_checkpoints"]) or "none"
    known = (
        f"status {record['status']}, outcome {record['outcome']}, "
        f"error {record['error'] or 'none'}, checkpoints {labels}, "
        f"final receipt {'written' if record['final_receipt_written'] else 'not written'}"
    )
    return {"asked": asked, "reached": reached, "happened": happened, "known": known}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def account(run: SavedRun) -> str:
    """The run as text for a terminal: four sentences, then the lanes, time running down."""
    sentences = conclusion(run)
    lines = [
        fill(f"{title:<11}{sentences[kind]}", width=80, subsequent_indent=" " * 11)
        for title, kind in (
            ("Asked for", "asked"),
            ("Reached", "reached"),
            ("Happened", "happened"),
            ("Known", "known"),
        )
    ]
    return "\n".join([*lines, "", *_lanes(run), "", _legend()])


def _lanes(run: SavedRun) -> Iterator[str]:
    yield f"  {'':<15}asked  worker  receiver  known"
    for step in steps(run):
        asked = GLYPHS["asked"] if step.asked else " "
        worker = " "
        if step.reached:
            worker = GLYPHS["stopped"] if step.stopped else GLYPHS["reached"]
        receiver = GLYPHS["happened"] if step.happened and "effect" in step.happened else " "
        known = GLYPHS["unknown"] if step.effect_unknown else " "
        if step.known and not step.effect_unknown:
            known = GLYPHS["known"]
        words = "; ".join(word for word in (step.asked, step.happened, step.known) if word)
        line = (
            f"  {step.place:<15}  {asked}      {worker}        {receiver}       {known}    {words}"
        )
        yield line.rstrip()


def _legend() -> str:
    return (
        f"  {GLYPHS['asked']} asked for  {GLYPHS['reached']} reached  {GLYPHS['stopped']} stopped"
        f"  {GLYPHS['happened']} happened  {GLYPHS['known']} known"
        f"  {GLYPHS['unknown']} effect unknown to the worker"
    )


def map_account(lab_map: dict[str, Any]) -> str:
    """The map of all scenarios as text: a grid of end-state numbers, then the end states."""
    number = {run["id"]: run["end_state"] for run in lab_map["runs"]}
    summary = lab_map["summary"]
    faults = list(dict.fromkeys(run["scenario"]["fault"] for run in lab_map["runs"]))
    cancels = list(dict.fromkeys(run["scenario"]["cancel_at"] for run in lab_map["runs"]))
    sights = list(dict.fromkeys(run["scenario"]["observation"] for run in lab_map["runs"]))
    lines = [
        f"{summary['scenarios']} scenarios, {summary['end_states']} end states; "
        + ", ".join(f"{count} {status}" for status, count in summary["status"].items()),
        f"Each cell: the end states for the observations {', '.join(sights)}.",
        "",
        f"{'fault':<16}" + "".join(f"{'cancel ' + name:<22}" for name in cancels).rstrip(),
    ]
    for fault in faults:
        cells = [
            " ".join(f"{number[f'{fault}.{cancel}.{sight}']:>2}" for sight in sights)
            for cancel in cancels
        ]
        lines.append(f"{fault:<16}" + "".join(f"{cell:<22}" for cell in cells).rstrip())
    lines += ["", *_end_state_lines(lab_map), "", *_never_reached_lines(summary)]
    return "\n".join(lines)


def _end_state_lines(lab_map: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{'no':>2}  {'stop':<24}{'scenarios':>9}  {'status':<13}{'outcome':<19}"
        f"{'sends/reads':<13}checkpoints"
    )
    for entry in lab_map["end_states"]:
        state = entry["state"]
        line = (
            f"{entry['number']:>2}  {entry['stop']:<24}{entry['scenarios']:>9}  "
            f"{state['status']:<13}{state['outcome']:<19}"
            f"{state['send_count']}/{state['read_count']:<11}"
            f"{', '.join(state['memory_checkpoints'])}"
        )
        yield line.rstrip()


def _never_reached_lines(summary: dict[str, Any]) -> Iterator[str]:
    nouns = {"fault": "fault", "cancel_at": "cancellation", "observation": "other observation"}
    for name, noun in nouns.items():
        yield (
            f"{summary['asked'][name]} scenarios ask for a {noun}".replace("a other", "another")
            + f"; {summary['never_reached'][name]} never reach it."
        )
