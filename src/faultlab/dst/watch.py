"""Looking on while a run is run again: its steps, the lines they ran, its decisions in words."""

import sys
from asyncio import Task, current_task
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any

from faultlab.dst.attempt import Attempt, Trial
from faultlab.dst.places import PATHS, Line, is_users, lane_name, line_at, line_of
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
        return {**asdict(self), "lines": [line.to_json() for line in self.lines]}


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

    def lines(self, more: Iterable[Line] = ()) -> Iterator[Line]:
        """All lines that it tells of, and some more."""
        for step in self.steps:
            yield from step.lines
        places = [*(step.start for step in self.steps), *(made.where for made in self.decisions)]
        yield from (line for line in places if line is not None)
        yield from more


class Watcher:
    """Collects the steps of one run."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.count = 0
        self.clock: Agenda | None = None
        self.at_the_end: tuple[TaskAt, ...] = ()
        self._seen: dict[Task[Any], str] = {}
        self._ended = False
        self._task: Task[Any] | None = None

    def __call__(self, process: str, task: str, what: "Task[Any] | None") -> None:
        """Begins a step."""
        if self._ended or self._program_ended():
            return
        coro = None
        self._task = what
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
                "start": None if coro is None else suspended_at(coro),
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
        if self._over() or not is_users(frame.f_code.co_filename):
            return None
        return self.ran

    def ran(self, frame: FrameType, event: str, argument: object) -> Any:
        """The interpreter's trace function within a frame."""
        if self._over():
            return None
        if event == "line" and self.steps and self._runs():
            lines = self.steps[-1]["lines"]
            ran = (frame.f_code, frame.f_lineno)
            if len(lines) < LINES_MAX and lines[-1:] != [ran]:  # a loop on one line is one row
                lines.append(ran)
        return self.ran

    def _over(self) -> bool:
        """Whether what runs now is no part of the run: it winds down, or frames are closed."""
        return self._ended or (self.clock is not None and self.clock.closed)

    def _runs(self) -> bool:
        """Whether the step's task runs; what runs without it is a coroutine being closed."""
        if self._task is None:
            return True
        try:
            return self._task is current_task()
        except RuntimeError:  # the loop does not run any more, or not yet
            return False

    def told(self) -> tuple[Step, ...]:
        """The steps, the last STEPS_MAX of them."""
        return tuple(_step(step) for step in self.steps[-STEPS_MAX:])


def _step(noted: dict[str, Any]) -> Step:
    """What was noted of a step, told: only these lines are read from their files."""
    start = None if noted["start"] is None else line_of(noted["start"])
    lines = [line_at(code.co_filename, number, code.co_qualname) for code, number in noted["lines"]]
    ran = [line for line, before in zip(lines, [None, *lines], strict=False) if line != before]
    return Step(**{**noted, "start": start, "lines": _lines(start, ran)})


def _lines(start: Line | None, ran: list[Line]) -> tuple[Line, ...]:
    """The lines of a step, after that on which it goes on; this one alone if there are no more.

    Python versions differ in whether they report it again.
    """
    if start is None:
        return tuple(ran)
    after = ran[1:] if ran[:1] == [start] else ran
    alone = (start,) if is_users(PATHS[start.file]) else ()
    return tuple(after) or alone


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
        coro = None if task is None else task.get_coro()
        place = None if coro is None else suspended_at(coro)
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
                started=getattr(coro, "cr_suspended", True),
                step=self.watcher.count + 1,
                time_s=agenda.now,
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
        in_words(key, value, tape.alternatives(key), known=trial.words(key, value))
        for key, value in attempt.run.choices.items()
        if key not in scheduled and trial.words(key, value) != ""
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
