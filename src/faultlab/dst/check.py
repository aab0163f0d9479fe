"""The first door: `check(program)`, for any zero-argument async function."""

import inspect
from collections.abc import Sequence

from faultlab.dst.attempt import ProgramTrial, Trial, decided
from faultlab.dst.config import Progress, SimulationConfig
from faultlab.dst.errors import SimulationError
from faultlab.dst.exhaust import exhaust, statement
from faultlab.dst.look import FirstLook, confirm, first_look, vanished
from faultlab.dst.minimize import Minimizer, Minimum
from faultlab.dst.parallel import Task, check_importable, sweep_on_executor, sweep_on_processes
from faultlab.dst.places import PATHS, lane_name, lines_of
from faultlab.dst.report import Finding, Report, Verdict
from faultlab.dst.sources import sources_of
from faultlab.dst.strategies import PCT, Exhaustive, SeededSearch
from faultlab.dst.sweep import Swept, Violating, sweep_here
from faultlab.dst.token import Token, this_python
from faultlab.dst.watch import TaskAt, watch
from faultlab.kernel import Program, virtual_world


def check(program: Program, config: SimulationConfig | None = None) -> Report:
    """Searches a program for a schedule in which it fails, and explains the one it finds.

    The program sets up what it needs, does its work with as many tasks as it likes, and
    raises if something is wrong: an exception is the violation, and so is a deadlock, a
    lost exception, a task that can't be cancelled, or a run without end.

    Args:
        program: A zero-argument async function. Each run calls it anew, so whatever it
            changes has to be made inside of it.
        config: How to search; by default 256 seeds with the portfolio.

    Raises:
        SimulationError: `program` is no such function, or the config makes no sense for it.
        NondeterminismError: The same decisions gave two different runs.
        RealWorldCall: The program slept, opened a socket, started a thread and so on.
    """
    config = config or SimulationConfig()
    _check_program(program)
    return investigate(ProgramTrial(program=program, steps_max=config.steps_max), config)


def _check_program(program: Program) -> None:
    if not inspect.iscoroutinefunction(program):
        raise SimulationError(
            f"{program!r} is no async function; define the program with `async def`"
            + (
                " and give the function, not what it returns"
                if inspect.iscoroutine(program)
                else ""
            )
        )
    required = [
        parameter.name
        for parameter in inspect.signature(program).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise SimulationError(
            f"{program.__qualname__} takes {', '.join(required)}; give a function without "
            "arguments, which makes everything it needs itself"
        )


def investigate(trial: Trial, config: SimulationConfig) -> Report:
    """Looks, searches, confirms, minimizes and tells: what all doors have in common."""
    with virtual_world():
        if config.token is not None:
            return _reproduced(trial, Token.parse(config.token))
        trial = trial.prepared(next(iter(_seeds(config))))
        look = first_look(trial)
        trial = trial.looked_at(look.attempt)
        search = config.search
        if isinstance(search, Exhaustive):
            return _exhausted(trial, config, search, look)
        swept = _sweep(trial, config, search, look)
        finding = _finding(trial, config, look, swept.violating)
        missing = () if finding or swept.interrupted else _missing(trial, swept)
        return Report(
            program=trial.name,
            verdict=_verdict(finding, (*swept.lost, *missing)),
            search=search.label,
            seeds=len(_seeds(config)),
            seeds_run=swept.seeds,
            runs=swept.seeds,
            steps=swept.steps,
            finding=finding,
            statement=_guarantee(search, look, swept),
            exercised=swept.exercised,
            unexercised=missing,
            lost=swept.lost,
            escapes=look.escapes,
            interrupted=swept.interrupted,
        )


def _seeds(config: SimulationConfig) -> Sequence[int]:
    seeds = config.seeds
    return seeds if isinstance(seeds, range) else tuple(seeds)


def _sweep(trial: Trial, config: SimulationConfig, search: SeededSearch, look: FirstLook) -> Swept:
    """Runs the seeds where the config says."""
    seeds = _seeds(config)

    def progress(done: int, violating: int | None = None) -> None:
        if config.progress is not None:
            config.progress(Progress(seeds_run=done, seeds=len(seeds), violating=violating))

    if config.executor is not None or config.jobs > 1:
        if isinstance(trial, ProgramTrial):
            check_importable(trial.program)
        task = Task(trial=trial, search=search, contested=look.contested)
        if config.executor is not None:
            return sweep_on_executor(config.executor, task, seeds, progress=progress)
        return sweep_on_processes(config.jobs, task, seeds, progress=progress)
    return sweep_here(trial, search, look.contested, seeds, progress=progress)


def _exhausted(
    trial: Trial, config: SimulationConfig, search: Exhaustive, look: FirstLook
) -> Report:
    if config.executor is not None or config.jobs > 1:
        raise SimulationError(
            "an exhaustive search runs in one process, for each run says which come next; "
            "leave out jobs and executor"
        )

    def progress(done: int, known: int) -> None:
        if config.progress is not None:
            config.progress(Progress(seeds_run=done, seeds=known, violating=None))

    done = exhaust(trial, search, progress)
    finding = _finding(trial, config, look, done.swept.violating)
    never = () if finding else _missing(trial, done.swept)
    spent = () if done.complete or finding else (statement(done, search),)
    missing = (*spent, *never)
    return Report(
        program=trial.name,
        verdict=_verdict(finding, missing),
        search=search.label,
        seeds=0,
        seeds_run=0,
        runs=done.swept.seeds,
        steps=done.swept.steps,
        finding=finding,
        statement="" if spent else statement(done, search),
        exercised=done.swept.exercised,
        unexercised=missing,
        escapes=look.escapes,
        interrupted=done.swept.interrupted,
    )


def _reproduced(trial: Trial, token: Token) -> Report:
    """One run, from a token; it is not made smaller, for it may be as small as it gets."""
    trial = trial.restored(token).prepared(0)
    attempt = trial.attempt(choices=token.tape)
    finding = None
    if attempt.broken is not None:
        confirm(trial, attempt, ())
        tape = attempt.run.choices
        minimum = Minimum(
            tape=tape, minimality="as the token has them", runs=0, before=decided(trial, tape)
        )
        finding = _told(trial, None, minimum, token.steps_max)
    return Report(
        program=trial.name,
        verdict=_verdict(finding, ()),
        search="one run, from a token",
        seeds=0,
        seeds_run=0,
        runs=1,
        steps=attempt.run.steps,
        finding=finding,
        exercised=dict.fromkeys(attempt.exercised, 1),
        warning=token.warning,
    )


def _missing(trial: Trial, swept: Swept) -> tuple[str, ...]:
    """What was declared and never struck, and what no check could decide."""
    return (*trial.never_struck(swept.exercised.keys()), *swept.undecided)


def _verdict(finding: Finding | None, missing: Sequence[str]) -> Verdict:
    """Violated, else unexercised, else clean."""
    if finding is not None:
        return "violated"
    return "unexercised" if missing else "clean"


def _finding(
    trial: Trial, config: SimulationConfig, look: FirstLook, violating: Violating | None
) -> Finding | None:
    """Confirms, minimizes and tells what a search found."""
    if violating is None:
        return None
    attempt = trial.attempt(choices=violating.tape)
    confirm(trial, attempt, look.escapes)
    if attempt.broken is None:
        raise vanished(violating.seed, look.escapes)
    minimizer = Minimizer(trial, attempt.broken.rule, config.minimize_runs_max)
    minimum = minimizer.minimize(attempt.run.choices)
    return _told(trial, violating.seed, minimum, config.steps_max)


def _told(trial: Trial, seed: int | None, minimum: Minimum, steps_max: int) -> Finding:
    """Runs the smallest run once more, looking on, and tells it."""
    account = watch(trial, minimum.tape)
    broken = account.attempt.broken
    if broken is None:
        raise vanished(seed, ())
    run = account.attempt.run
    stuck = () if broken.violation is None else broken.violation.tasks
    error = broken.error
    traceback = () if error is None else tuple(lines_of(error.__traceback__))
    token = Token(
        program=trial.name,
        tape=run.choices,
        steps_max=steps_max,
        python=this_python(),
        befalls=trial.befalls,
    )
    return Finding(
        rule=broken.rule,
        message=broken.message,
        seed=seed,
        decisions=account.decisions,
        minimality=minimum.minimality,
        decisions_before=minimum.before,
        reruns=minimum.runs,
        steps=account.steps,
        tasks=tuple(
            TaskAt(name=lane_name(task.process, task.name), doing=task.position) for task in stuck
        )
        or account.tasks,
        traceback=traceback,
        calls=account.attempt.calls,
        tape=run.choices,
        token=str(token),
        history=run.history,
        sources=sources_of(account.lines(traceback), PATHS),
    )


def _guarantee(search: SeededSearch, look: FirstLook, swept: Swept) -> str:
    """PCT's bound, where PCT alone searched and everything was clean."""
    if not isinstance(search, PCT) or swept.violating is not None:
        return ""
    missed = search.missed_at_most(tasks=look.tasks, contested=look.contested, seeds=swept.seeds)
    return (
        f"under PCT's own distribution, a bug of depth {search.depth} in runs of at most "
        f"{look.tasks} tasks and {look.contested} contested steps would have been missed by "
        f"all {swept.seeds} seeds with probability at most {missed:.2g}"
    )
