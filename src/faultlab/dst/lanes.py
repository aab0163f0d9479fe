"""The interleaving of a run as lanes: a lane a task, time running down, a row a line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from faultlab.dst.places import Line, lane_name

if TYPE_CHECKING:
    from faultlab.dst.report import Finding

AROUND = 6
"""How many rows the text shows before and after a decision."""

AT_THE_END = 24
"""How many rows the text shows of the end."""

GLYPHS: dict[str, str] = {"reached": "●", "asked": "◇", "raised": "✕"}

Kind = Literal["reached", "asked", "raised"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: a line of source that a task ran, or a decision that it met.

    Attributes:
        step: Number of the step.
        time_s: Virtual time.
        lane: The task's lane.
        kind: `reached` a line; `asked`: the simulator decided something; `raised`: the
            line where the exception came from.
        line: The line of source; None where there is none.
        text: The line's text, or the decision's words.
    """

    step: int
    time_s: float
    lane: str
    kind: Kind
    line: Line | None
    text: str


def rows_of(finding: "Finding") -> list[Row]:
    """The rows of a finding, in order."""
    rows: list[Row] = []
    ahead = sorted(
        (decision for decision in finding.decisions if decision.step), key=lambda made: made.step
    )
    for step in finding.steps:
        while ahead and ahead[0].step <= step.number:
            made = ahead.pop(0)
            rows.append(
                Row(
                    step=made.step,
                    time_s=step.time_s,
                    lane=made.task,
                    kind="asked",
                    line=made.where,
                    text=made.words,
                )
            )
        rows += [
            Row(
                step=step.number,
                time_s=step.time_s,
                lane=lane_name(step.process, step.task),
                kind="reached",
                line=line,
                text=line.source,
            )
            for line in step.lines
        ]
    return _with_raise(rows, finding.traceback)


def _with_raise(rows: list[Row], traceback: Sequence[Line]) -> list[Row]:
    """Marks the last row of the line that raised."""
    if traceback:
        for index in range(len(rows) - 1, -1, -1):
            if rows[index].kind == "reached" and rows[index].line == traceback[-1]:
                rows[index] = replace(rows[index], kind="raised")
                break
    return rows


def timeline(finding: "Finding") -> str:
    """The rows as text: those around the decisions, and the end."""
    rows = rows_of(finding)
    kept = _kept(rows)
    if not kept:
        return ""
    lanes = list(dict.fromkeys(rows[number].lane for number in kept))
    width = max(8, *(len(lane) + 2 for lane in lanes))
    far = max(len(_place(rows[number])) for number in kept)
    begins = {lane: next(n for n in kept if rows[n].lane == lane) for lane in lanes}
    ends = {lane: max(n for n in kept if rows[n].lane == lane) for lane in lanes}
    lines = [f"{'time':>8}  " + "".join(f"{lane:<{width}}" for lane in lanes) + "where"]
    before = -1
    for number in kept:
        row = rows[number]
        if number > before + 1:
            lines.append(f"{'':>8}  … {_many(number - before - 1)}")
        before = number
        cells = "".join(
            f"{_cell(row, lane, begins[lane] < number < ends[lane]):<{width}}" for lane in lanes
        )
        lines.append(f"{row.time_s:>7.3f}s  {cells}{_place(row):<{far}}  {row.text}".rstrip())
    lines.append("● ran this line  ◇ decided by the simulator  ✕ raised here")
    return "\n".join(lines)


def _kept(rows: Sequence[Row]) -> list[int]:
    """Which rows the text shows."""
    asked = [number for number, row in enumerate(rows) if row.kind == "asked"]
    near = {n for place in asked for n in range(place - AROUND, place + AROUND + 1)}
    first = len(rows) - AT_THE_END
    return [number for number in range(len(rows)) if number in near or number >= first]


def _cell(row: Row, lane: str, alive: bool) -> str:
    if lane == row.lane:
        return GLYPHS[row.kind]
    return "│" if alive else ""


def _place(row: Row) -> str:
    return f"{row.line.file}:{row.line.number}" if row.line else ""


def _many(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
