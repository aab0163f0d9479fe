"""The assertions: `assert_clean` and `assert_fixed`. They need no test runner."""

import warnings
from dataclasses import replace

from faultlab.dst import (
    Exhaustive,
    Report,
    SimulationConfig,
    SimulationError,
    SimulationFailed,
    Token,
)
from faultlab.dst.printable import printable
from faultlab.kernel import Key, Tape, virtual_world
from faultlab.testing.again import account, is_found
from faultlab.testing.ground import Ground, current
from faultlab.testing.targets import Target, name_of_target, trial_of
from faultlab.testing.targets import search as run_search


class TokenWarning(UserWarning):
    """A saved token no longer says much, and another Python version may be the reason."""


def assert_clean(program: Target, config: SimulationConfig | None = None) -> Report:
    """Searches a program, and fails with the report unless the verdict is clean.

    In a pytest session with faultlab's plugin, a search without a config takes the seeds of
    `--faultlab-seeds`, and the failure that the database keeps of this test is tried first.

    Args:
        program: A zero-argument async function, as for `faultlab.dst.check`, or a Simulation.
        config: How to search; by default 256 seeds with the portfolio. A config pins all of it.

    Returns:
        The clean report. It says that these seeds broke nothing, not that nothing can.

    Raises:
        SimulationFailed: The verdict is violated or unexercised. The text is the report.
        SimulationError: `program` is no such function, or the config makes no sense for it.
        NondeterminismError: The same decisions gave two different runs.
        KeyboardInterrupt: Somebody stopped the search; then nothing is known.
    """
    __tracebackhide__ = True
    report = search(program, config)
    if report.verdict != "clean":
        raise SimulationFailed(account(report, program, node=current().node))
    if report.interrupted:
        raise KeyboardInterrupt
    return report


def search(program: Target, config: SimulationConfig | None) -> Report:
    """The report of a search: of the saved failure if it is still there, else of the seeds."""
    ground = current()
    config = config or SimulationConfig(**ground.defaults)
    if ground.token is not None and Token.parse(ground.token).program == name_of_target(program):
        config = replace(config, token=ground.token)
    if config.jobs > 1 and config.jobs == ground.defaults.get("jobs"):
        config = _in_reach(program, config)
    report = None if config.token else _saved_failure(program, ground)
    if report is None:
        report = run_search(program, config)
    if report.finding is not None:
        ground.failing = (report.program, report.finding.message, report.finding.token)
    return report


def _in_reach(program: Target, config: SimulationConfig) -> SimulationConfig:
    """The config without other processes, where the program or the search can't go there.

    The session asked for them, and not this test: so it isn't a mistake of the test's.
    """
    if is_found(program) and not isinstance(config.search, Exhaustive):
        return config
    return replace(config, jobs=1)


def _saved_failure(program: Target, ground: Ground) -> Report | None:
    """The report of the failure that the database keeps, if it still fails."""
    saved = ground.saved
    if saved is None or saved.program != name_of_target(program):
        return None
    try:
        config = SimulationConfig.reproduce(saved.token)
    except SimulationError:  # a damaged file is as good as none
        return None
    report = run_search(program, config)
    if report.finding is None:
        return None
    return replace(report, search="the saved failure alone, tried before any seed")


def assert_fixed(program: Target, token: str) -> Report:
    """Makes the run of a saved token again, and fails if anything breaks: a regression test.

    The run takes milliseconds and stands for one schedule; keep `assert_clean` beside it.

    **When the program changes**, its decisions may lose their object: the task is gone, or never
    waits where it was held. Such a run is not the one that failed. It is asyncio's own order, it
    would pass with the bug still there, and a test that can't fail is worse than none. So that is a
    failure, 'unexercised', like a fault that was declared and never struck; often the fix itself
    is the reason, and then the token has done its work: delete the test, and keep `assert_clean`.
    Only if the token was made on another Python version it is a TokenWarning, because
    then the interpreter may be the reason and the code may not have changed at all.

    Args:
        program: A zero-argument async function or a Simulation; its name need not be the token's.
        token: As a report printed it.

    Returns:
        The clean report; its `warning` says whether the Python version differs.

    Raises:
        SimulationFailed: The run still breaks something, or is no longer the token's run.
        SimulationError: The token is damaged, or `program` is no such function.
        NondeterminismError: The same decisions gave two different runs.
    """
    __tracebackhide__ = True
    report = run_search(program, SimulationConfig.reproduce(token))
    if report.verdict != "clean":
        raise SimulationFailed(account(report, program, node=current().node))
    lost = unmet(program, token)
    if not lost:
        return report
    text = printable("\n".join([f"unexercised: {report.program}", *lost, *_remedy(report, token)]))
    if report.warning:
        warnings.warn(TokenWarning(text), stacklevel=2)
        return report
    raise SimulationFailed(text)


def make_again(program: Target, token: str) -> Tape:
    """Makes the run of a token once and judges nothing: the decisions that it really made.

    Raises:
        SimulationError: The token is damaged.
    """
    parsed = Token.parse(token)
    with virtual_world():
        trial = trial_of(program, SimulationConfig()).restored(parsed).prepared(0)
        return trial.attempt(choices=parsed.tape).run.choices


def unmet(program: Target, token: str) -> list[str]:
    """What a run from a token misses, in lines: the decisions for which nothing asks any more.

    Empty if all of the token's decisions are made.

    Raises:
        SimulationError: The token is damaged.
    """
    parsed = Token.parse(token)
    met = make_again(program, token)
    lost = [key for key in parsed.tape if key not in met]
    if not lost:
        return []
    return [
        f"{len(lost)} of {len(parsed.tape)} decisions of the token no longer meet the program:",
        *(f"  - {_named(key)}" for key in lost),
        "So this is not the run that once failed, and the token proves nothing.",
    ]


def _remedy(report: Report, token: str) -> list[str]:
    if report.warning:
        version = Token.parse(token).python
        return [
            f"{report.warning[0].upper()}{report.warning[1:]}.",
            f"Run it on Python {version}, or save a token of a failure found here.",
        ]
    return [
        "The program has changed, and what was decided about is no longer asked.",
        "If the change is the fix, delete this test and keep assert_clean(program); otherwise save "
        "a token of a failure of today's program.",
    ]


def _named(key: Key) -> str:
    stream, process, call, nth = key
    whose = "/".join(part for part in (process, call) if part)
    return f"{stream} {whose}".rstrip() + f", number {nth + 1}"
