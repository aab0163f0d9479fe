"""One run of a program: `run(program, seed=…)` or `run(program, choices=…)`."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from faultlab.kernel import violations as find
from faultlab.kernel.burial import bury_generators, bury_tasks
from faultlab.kernel.choices import Choices, Key, Tape
from faultlab.kernel.errors import KernelError
from faultlab.kernel.gate import Policy
from faultlab.kernel.handles import Task
from faultlab.kernel.history import History
from faultlab.kernel.process import OWNER, Program
from faultlab.kernel.stage import Stage
from faultlab.kernel.strategy import Fifo, RandomStep, Spoken, Strategy, Watch
from faultlab.kernel.violations import StuckTask, Violation
from faultlab.kernel.world import World

STEPS_MAX = 100_000
"""The default step budget of a run."""

DRAIN_STEPS_MAX = 10_000
"""How many fairly scheduled steps cancelled tasks get to end in."""

WIND_DOWN_ROUNDS_MAX = 4
"""How often tasks that cancelled tasks have started are cancelled in their turn."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One finished run: what the program returned or raised, and what happened meanwhile.

    The same program with the same `choices` gives the same history, byte for byte, on
    every supported Python (see `PORTABLE`).
    """

    result: Any
    """What the program returned; None if it did not."""
    error: BaseException | None
    """What the program raised."""
    violations: tuple[Violation, ...]
    history: History
    choices: Tape
    """The decisions made: `run(program, choices=…)` with them is the same run again."""
    steps: int
    time_s: float
    """The virtual time at the end."""

    @cached_property
    def digest(self) -> str:
        """The history's digest; encoded when it is first asked for."""
        return self.history.digest()


def run(
    program: Program,
    *,
    seed: int | None = None,
    choices: Tape | None = None,
    strategy: Strategy | None = None,
    policy: Policy | None = None,
    steps_max: int = STEPS_MAX,
    judge: Callable[[Run], None] | None = None,
    watch: Watch | None = None,
    asked: list[tuple[Key, int]] | None = None,
) -> Run:
    """Runs a zero-argument async function once, deterministically, in virtual time.

    With `seed` every pick is drawn, and steps are chosen by `strategy` (by default any
    ready step is equally likely). With `choices` the picks of an earlier run are fed
    back, in the words that stand on the tape, or as `strategy` asks for them. With
    neither every pick is 0: steps run in asyncio's own order.

    What goes wrong in the program is data in the Run. Misuse raises: KernelError for
    arguments that make no sense, RealWorldCall if the program reached outside, even if
    it swallowed the error.

    `judge` is called with the Run while the frames of crashed and stuck tasks are still
    untouched. When `run` returns they have been closed: their `finally` could then no
    longer reach the gate or the history, but objects that they share with the caller
    are theirs to change. So judge plain shared objects in `judge`.

    `watch` is told of every step before it runs. To `asked` every pick that was asked
    for while `choices` were fed back is appended, with its number of alternatives:
    these are the decisions that this run could also have had.
    """
    if steps_max < 2:
        raise KernelError(f"steps_max is {steps_max}; give at least 2, half of them are fair")
    if choices is not None and seed is not None:
        raise KernelError("choices were given with a seed; a tape already decides everything")
    if strategy is None:
        strategy = Spoken.of(choices) if choices else Fifo() if seed is None else RandomStep()
    world = World(Choices(seed=seed, tape=choices, asked=asked), policy)
    world.loop.watch = watch
    return _staged(world, program, strategy, steps_max, judge)


def _staged(
    world: World,
    program: Program,
    strategy: Strategy,
    steps_max: int,
    judge: Callable[[Run], None] | None,
) -> Run:
    """Runs, judges, and closes what is left, with the interpreter put back at the end."""
    stage = Stage(world.loop)
    try:
        with stage:
            made = world.context.run(_simulate, world, stage, program, strategy, steps_max)
        if world.loop.refused is not None:
            raise world.loop.refused
        if judge is not None:
            judge(made)
        return made
    finally:
        world.end()
        if _leftovers(world, stage):
            with stage:
                world.context.run(_bury, world, stage)


def _simulate(
    world: World, stage: Stage, program: Program, strategy: Strategy, steps_max: int
) -> Run:
    """Runs the program to its end, then winds down what it left behind."""
    loop = world.loop
    main = world.boot(program)
    fair = steps_max // 2
    stop = loop.drive(
        main.done,
        strategy.chooser(loop.agenda, world.choices),
        steps_max - fair,
        always=strategy.holds,
    )
    if stop == "spent":
        loop.agenda.release_all()
        stop = loop.drive(main.done, None, fair)
    found: list[Violation] = []
    if stop == "done":
        found += _wind_down(world, stage)
    else:
        stuck = _pending(world)
        found.append(find.deadlock(stuck) if stop == "idle" else find.step_limit(steps_max, stuck))
    found += _background(world, main)
    for violation in found:
        names = [[task.process, task.name] for task in violation.tasks]
        world.history.record("", "", "violation", {"kind": violation.kind, "tasks": names})
    steps, time_s = loop.steps, loop.time()
    world.end()
    done = main.done() and not main.cancelled()
    error = main.exception() if done else _cancelled(main)
    return Run(
        result=main.result() if done and error is None else None,
        error=error,
        violations=tuple(found),
        history=world.history,
        choices=world.choices.tape(),
        steps=steps,
        time_s=time_s,
    )


def _wind_down(world: World, stage: Stage) -> list[Violation]:
    """Cancels what outlived the program and drains it fairly, as asyncio.run does.

    Cancelled tasks may start others, so it takes a few rounds; open async generators
    are closed when the tasks are gone. What is still there then has leaked.
    """
    loop = world.loop
    loop.agenda.release_all()
    for _ in range(WIND_DOWN_ROUNDS_MAX):
        alive = _alive(world)
        if not alive and not stage.generators.any_open:
            return []
        for _, task in alive:
            task.cancel()
        _drain(world, [task for _, task in alive])
        for generator, context in stage.generators.take_open():
            if context[OWNER].crashed:
                stage.generators.buried.append(generator)
            else:
                closing = loop.create_task(generator.aclose(), context=context)
                _drain(world, [closing])
    stuck = _pending(world)
    return [find.leaked(stuck)] if stuck else []


def _drain(world: World, tasks: list[Task]) -> None:
    """Runs in asyncio's own order until these tasks are done, the budget or the work is."""
    waiting = list(tasks)

    def done() -> bool:
        while waiting and waiting[-1].done():
            waiting.pop()
        return not waiting

    if not done():
        world.loop.drive(done, None, DRAIN_STEPS_MAX)


def _alive(world: World) -> list[tuple[str, Task]]:
    """The (process, task) pairs that have not ended and whose process has not crashed."""
    return [
        (process.name, task)
        for process, task in world.loop.tasks
        if not process.crashed and not task.done()
    ]


def _pending(world: World) -> list[StuckTask]:
    return find.stuck_tasks(_alive(world))


def _background(world: World, main: "asyncio.Task[Any]") -> list[Violation]:
    """The exceptions that nobody retrieved: of tasks, and of callbacks."""
    found = []
    for process, task in world.loop.tasks:
        if task is main or process.crashed or not task.done():
            continue
        if task._log_traceback:
            error = task.exception()
            where = f"task {process.name}/{task.get_name()}".replace(" /", " ")
            found.append(find.background(where, error, repr(error)))
    for complaint in world.loop.complaints:
        error = complaint.get("exception")
        found.append(find.background(complaint["message"], error, repr(error)))
    return found


def _cancelled(main: "asyncio.Task[Any]") -> BaseException | None:
    return asyncio.CancelledError() if main.cancelled() else None


def _leftovers(world: World, stage: Stage) -> bool:
    """Whether anything is left to close; in most runs nothing is."""
    return (
        stage.generators.any_open
        or bool(stage.generators.buried or world.loop.agenda.discarded)
        or any(not task.done() or task._log_traceback for _, task in world.loop.tasks)
    )


def _bury(world: World, stage: Stage) -> None:
    """Closes every frame that is left, now that nothing can be reached from there."""
    generators = stage.generators
    bury_tasks(task for _, task in world.loop.tasks)
    world.loop.agenda.discarded.clear()
    world.loop.tasks.clear()
    generators.buried += [generator for generator, _ in generators.take_open()]
    bury_generators(generators.buried)
