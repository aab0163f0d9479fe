"""The interleaving of a run as lanes: a lane a task, time running down, a row a line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from faultlab.dst.places import Line, lane_name
from faultlab.dst.watch import Step, TaskAt
from faultlab.dst.words import Decision
from faultlab.kernel import History
from faultlab.kernel.strategy import HOLD

GLYPHS: dict[str, str] = {
    "reached": "●",
    "asked": "◇",
    "raised": "✕",
    "happened": "■",
    "known": "◎",
    "unknown": "◌",
}

Kind = Literal["reached", "asked", "raised", "happened", "known", "unknown"]

State = Literal["", "begins", "begins held", "goes on", "is caught", "is held", "ends", "only"]
"""What a lane does at a row: nothing, or its line begins, goes on, goes on held
from here or from before, or ends."""


class Told(Protocol):
    """What the rows are made of: a finding, or anything like it."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order."""
        ...

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions."""
        ...

    @property
    def tasks(self) -> tuple[TaskAt, ...]:
        """The tasks that had not ended."""
        ...

    @property
    def traceback(self) -> tuple[Line, ...]:
        """The lines that raised, the innermost last."""
        ...

    @property
    def history(self) -> History:
        """What was recorded."""
        ...


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: a line of source that a task ran, or a decision that it met.

    Attributes:
        step: Number of the step.
        time_s: Virtual time.
        lane: The task's lane; empty for a decision that concerns no task.
        kind: `reached` a line or a port; `asked`: the simulator decided something; `raised`:
            the line where the exception came from, or a crash; of simulations also
            `happened`, `known` and `unknown`.
        line: The line of source; None where there is none.
        text: The line's text, or the decision's words without the place.
        decision: Number of the decision, from 1; 0 for a line.
        holds: Whether the task stands still from here until its next row.
    """

    step: int
    time_s: float
    lane: str
    kind: Kind
    line: Line | None
    text: str
    decision: int = 0
    holds: bool = False

    @property
    def place(self) -> str:
        """`bank.py:12`; empty without a line."""
        return f"{self.line.file}:{self.line.number}" if self.line else ""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One task's lane.

    Attributes:
        name: Of the task, with its process.
        rows: Which rows are its own, in order; at least one.
        waits: Whether the task had not ended when the run had, so that its lane stays open.
    """

    name: str
    rows: tuple[int, ...]
    waits: bool

    def state(self, row: int, *, held: bool, caught: bool) -> State:
        """What the lane does at a row.

        Args:
            row: Index of the row.
            held: Whether the simulator keeps the task back there.
            caught: Whether it does so from this row on.
        """
        first, last = self.rows[0], self.rows[-1]
        if row < first or (row > last and not self.waits):
            return ""
        if row == first:
            if first == last and not self.waits:
                return "only"
            return "begins held" if caught else "begins"
        if row == last and not self.waits:
            return "ends"
        if caught:
            return "is caught"
        return "is held" if held else "goes on"


def source_rows(told: Told) -> list[Row]:
    """The rows of a finding, a line of source each, in order."""
    rows: list[Row] = []
    kept = told.steps[0].number if told.steps else 0
    ahead = sorted(
        (
            (made.step, number, made)
            for number, made in enumerate(told.decisions, 1)
            if made.step >= max(1, kept)
        ),
        key=lambda entry: entry[:2],
    )
    for step in told.steps:
        while ahead and ahead[0][0] <= step.number:
            _, number, made = ahead.pop(0)
            rows.append(asked_row(made, number))
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
    rows += [asked_row(made, number) for _, number, made in ahead]
    return _with_raise(rows, told.traceback)


def asked_row(made: Decision, number: int) -> Row:
    """The row of a decision."""
    place = f" at {made.where.file}:{made.where.number}" if made.where else ""
    return Row(
        step=made.step,
        time_s=made.time_s,
        lane=made.task,
        kind="asked",
        line=made.where,
        text=made.words.replace(place, "", 1),  # the row itself names the place
        decision=number,
        holds=made.key[0] == HOLD,
    )


def _with_raise(rows: list[Row], traceback: Sequence[Line]) -> list[Row]:
    """Marks the last row of the line that raised."""
    if traceback:
        for index in range(len(rows) - 1, -1, -1):
            if rows[index].kind == "reached" and rows[index].line == traceback[-1]:
                rows[index] = replace(rows[index], kind="raised")
                break
    return rows


def lanes_of(rows: Sequence[Row], tasks: Iterable[TaskAt]) -> list[Lane]:
    """The lanes in the order in which they begin."""
    waiting = [task.name for task in tasks]
    own: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        own.setdefault(row.lane, []).append(number)
    return [
        Lane(name=name, rows=tuple(numbers), waits=any(_is(name, task) for task in waiting))
        for name, numbers in own.items()
        if name
    ]


def _is(lane: str, task: str) -> bool:
    """Whether a task's name, perhaps with its function behind it, is a lane's."""
    return task == lane or task.startswith(f"{lane} (")


def states(rows: Sequence[Row], lanes: Sequence[Lane]) -> Iterator[tuple[State, ...]]:
    """For each row what each lane does there."""
    held: set[str] = set()
    for number, row in enumerate(rows):
        held.discard(row.lane)
        yield tuple(
            lane.state(number, held=lane.name in held, caught=row.holds and lane.name == row.lane)
            for lane in lanes
        )
        if row.holds:
            held.add(row.lane)
