"""Looking on while a run is run again: its steps, the lines they ran, its decisions in words."""

import sys
from asyncio import Task
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any

from faultlab.dst.attempt import Attempt, Trial
from faultlab.dst.places import Line, is_users, lane_name, line_at, line_of
from faultlab.dst.words import Decision, in_words, named
from faultlab.kernel import Choices, Key, Tape
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.handles import task_of
from faultlab.kernel.strategy import HOLD, HOLDS, RELEASE, STEP, Chooser, speak
from faultlab.kernel.violations import suspended_at

STEPS_MAX = 2_000
"""How many steps of a run are kept, the last ones."""

LINES_MAX = 50
"""How many lines of one step are kept."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a run: a task ran from one await to the next.

    Attributes:
        number: Of the step, from 1.
        time_s: Virtual time.
        process: Name of the process; empty for the program itself.
        task: Name of the task, or `callback`.
        function: Qualified name of the task's coroutine; empty for a callback.
        start: Where the task stood before.
        lines: The program's own lines that ran, in order.
    """

    number: int
    time_s: float
    process: str
    task: str
    function: str
    start: Line | None
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class TaskAt:
    """What a task was doing when the run ended."""

    name: str
    doing: str

    def to_json(self) -> dict[str, str]:
        """Plain JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Account:
    """A run told in steps and decisions."""

    attempt: Attempt
    steps: tuple[Step, ...]
    decisions: tuple[Decision, ...]
    tasks: tuple[TaskAt, ...]


class Watcher:
    """Collects the steps of one run."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.count = 0
        self.clock: Agenda | None = None
        self.at_the_end: tuple[TaskAt, ...] = ()
        self._seen: dict[Task[Any], str] = {}
        self._ended = False

    def __call__(self, process: str, task: str, what: "Task[Any] | None") -> None:
        """Begins a step."""
        if self._ended or self._program_ended():
            return
        coro = None
        if what is not None:
            coro = what.get_coro()
            self._seen.setdefault(what, named(process, task, what))
        self.count += 1
        self.steps.append(
            {
                "number": self.count,
                "time_s": self.clock.now if self.clock else 0.0,
                "process": process,
                "task": task,
                "function": getattr(coro, "__qualname__", ""),
                "start": None if coro is None else line_of(suspended_at(coro)),
                "lines": [],
            }
        )
        if len(self.steps) > 2 * STEPS_MAX:
            del self.steps[:STEPS_MAX]

    def _program_ended(self) -> bool:
        """Whether this is the first step after the program's end: what follows winds down."""
        program = next(iter(self._seen), None)
        if program is None or not program.done():
            return False
        self._ended = True
        self.at_the_end = tuple(
            TaskAt(name=name, doing=str(suspended_at(task.get_coro())))
            for task, name in self._seen.items()
            if not task.done()
        )
        return True

    def called(self, frame: FrameType, event: str, argument: object) -> Any:
        """The interpreter's trace function for new frames: follows the program's own."""
        return self.ran if is_users(frame.f_code.co_filename) else None

    def ran(self, frame: FrameType, event: str, argument: object) -> Any:
        """The interpreter's trace function within a frame."""
        if event == "line" and self.steps and not self._ended:
            lines = self.steps[-1]["lines"]
            if len(lines) < LINES_MAX:
                code = frame.f_code
                lines.append(line_at(code.co_filename, frame.f_lineno, code.co_qualname))
        return self.ran

    def told(self) -> tuple[Step, ...]:
        """The steps, the last STEPS_MAX of them."""
        return tuple(
            Step(**{**step, "lines": tuple(step["lines"])}) for step in self.steps[-STEPS_MAX:]
        )


@dataclass(frozen=True)
class Told:
    """Feeds a tape back as `Spoken` does, and notes where each decision met the program."""

    tape: Tape
    watcher: Watcher
    decisions: list[Decision]

    @property
    def holds(self) -> bool:
        """As `Spoken`."""
        return not {HOLD, RELEASE}.isdisjoint(self.tape.streams())

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser | None:
        """Asks in the same order as `Spoken`."""
        self.watcher.clock = agenda
        streams = self.tape.streams()
        counts: dict[tuple[str, str, str], int] = {}

        def note(key: tuple[str, str, str], value: int, n: int, entry: Any, rivals: Any) -> None:
            nth = counts[key] = counts.get(key, -1) + 1
            if value:
                self._note((*key, nth), value, n, agenda, entry, rivals)

        def hold(process: str, task: str) -> int:
            oldest, rivals = agenda.ready[0], agenda.ready[1:]
            value = choices.pick(HOLD, HOLDS, process=process, call=task)
            note((HOLD, process, task), value, HOLDS, oldest, rivals)
            return value

        def step(waiting: int) -> int:
            value = choices.pick(STEP, waiting)
            ready = agenda.ready
            note((STEP, "", ""), value, waiting, ready[value], ready[:value])
            return value

        def release(n: int) -> int:
            value = choices.pick(RELEASE, n)
            entry = agenda.held[value - 1] if value else None
            note((RELEASE, "", ""), value, n, entry, agenda.ready[:])
            return value

        chosen_step = step if STEP in streams else None
        if not self.holds:
            return chosen_step
        return speak(agenda, hold=hold, release=release, step=chosen_step)

    def _note(
        self, key: Key, value: int, n: int, agenda: Agenda, entry: Any, rivals: list[Any]
    ) -> None:
        task = task_of(entry)
        process, name = agenda.whose(entry)
        place = None if task is None else suspended_at(task.get_coro())
        self.decisions.append(
            in_words(
                key,
                value,
                n,
                who=named(process, name, task),
                task=lane_name(process, name),
                rivals=[named(*agenda.whose(rival), task_of(rival)) for rival in rivals],
                where=None if place is None else line_of(place),
                inside="" if place is None else place.inside,
                step=self.watcher.count + 1,
            )
        )


def watch(trial: Trial, tape: Tape) -> Account:
    """Runs a tape again, looking on. The run is the same; it is only slower."""
    watcher = Watcher()
    decisions: list[Decision] = []
    told = Told(tape, watcher, decisions)
    with _tracing(watcher):
        attempt = trial.attempt(choices=tape, strategy=told, watch=watcher)
    scheduled = {decision.key for decision in decisions}
    others = [
        in_words(key, value, tape.alternatives(key))
        for key, value in attempt.run.choices.items()
        if key not in scheduled
    ]
    return Account(
        attempt=attempt,
        steps=watcher.told(),
        decisions=(*others, *decisions),
        tasks=watcher.at_the_end,
    )


@contextmanager
def _tracing(watcher: Watcher) -> Iterator[None]:
    """Traces this thread, and gives it back to whoever traced it before."""
    before = sys.gettrace()
    sys.settrace(watcher.called)
    try:
        yield
    finally:
        sys.settrace(before)
