"""The pytest plugin: marked async tests are simulations, and failures are remembered.

pytest loads it by itself wherever faultlab is installed, so what the simulator needs is
imported when the first simulation runs.
"""

import argparse
import contextlib
import functools
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

from faultlab.errors import FaultlabError
from faultlab.testing.database import Database
from faultlab.testing.ground import Failure, Ground, current, standing_on
from faultlab.testing.summary import Summary

MARKER: Final = (
    "faultlab(seeds=..., search=..., steps_max=...): this async test is a simulation; it is run "
    "with every seed, and fails with the report of the smallest run that breaks it"
)

DATABASE: Final = pytest.StashKey[Database]()
GROUND: Final = pytest.StashKey[Ground]()
SIMULATED: Final = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("faultlab", "faultlab: simulations")
    group.addoption(
        "--faultlab-seeds",
        type=_seeds,
        metavar="N",
        help="seeds of every simulation whose marker or config names none: a number, or a range "
        "such as 100:200 (default: 256)",
    )
    group.addoption(
        "--faultlab-jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="processes to run the seeds of one simulation on, if its program is a function of a "
        "module without arguments (default: 1; with xdist each worker starts so many)",
    )
    group.addoption(
        "--faultlab-database",
        metavar="DIR",
        help="where failures are kept, to be tried first next time; 'none' keeps none (default: "
        ".faultlab in the root folder)",
    )
    group.addoption(
        "--faultlab-token",
        type=_token,
        metavar="TOKEN",
        help="make the run of this token instead of every search; select its test besides",
    )


def _seeds(text: str) -> range:
    from faultlab.dst.from_text import seeds_from

    try:
        return seeds_from(text)
    except FaultlabError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; give at least 1")
    return int(text)


def _token(text: str) -> str:
    from faultlab.dst import Token

    try:
        Token.parse(text)
    except FaultlabError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker and finds the database."""
    config.addinivalue_line("markers", MARKER)
    folder = _folder(config)
    config.stash[DATABASE] = Database(folder)
    if folder is not None and not hasattr(config, "workerinput"):  # with xdist one reports
        config.pluginmanager.register(Summary(_shown(folder, config)), "faultlab-summary")


def _folder(config: pytest.Config) -> Path | None:
    given: str | None = config.getoption("--faultlab-database")
    if given == "none":
        return None
    if given is None:
        return config.rootpath / ".faultlab"
    return config.invocation_params.dir / given


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says what is kept; nothing where nothing is."""
    database = config.stash[DATABASE]
    kept = database.count()
    if not kept or database.folder is None:
        return None
    failures = "1 failure is" if kept == 1 else f"{kept} failures are"
    return f"faultlab: {failures} in {_shown(database.folder, config)}, to be tried first"


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pycollect_makeitem() -> Generator[None, object, object]:
    """Makes marked async functions plain ones, before a plugin for asyncio sees them."""
    made = yield
    for item in made if isinstance(made, list) else [made]:
        if isinstance(item, pytest.Function) and item.get_closest_marker("faultlab"):
            _take(item)
    return made


def _take(item: pytest.Function) -> None:
    from faultlab.testing.marked import is_simulation

    test = item.obj
    if is_simulation(test):
        item.stash[SIMULATED] = True
        item.obj = _simulation(item, test)


def _simulation(item: pytest.Function, test: Callable[..., Any]) -> Callable[..., None]:
    """The plain function that pytest calls instead of an async test."""

    @functools.wraps(test)
    def simulate(**arguments: object) -> None:
        from faultlab.testing.assertions import assert_clean, make_again
        from faultlab.testing.marked import config_of, program_of

        marker = item.get_closest_marker("faultlab")
        if marker is None:
            return
        config = config_of(marker.args, marker.kwargs, current().defaults)
        program = program_of(test, arguments)
        if item.config.getoption("capture") == "no":
            assert_clean(program, config)
            return
        try:
            with _nothing_printed():
                assert_clean(program, config)
        finally:
            failing = current().failing
            if failing is not None:
                make_again(program, failing[2])  # for what the failing run prints

    return simulate


@contextlib.contextmanager
def _nothing_printed() -> Generator[None, None, None]:
    """Drops what hundreds of runs print. A debugger is seen, for pytest suspends this too."""
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuses a marker where it would do nothing."""
    marked = any(marker.name == "faultlab" for marker in item.own_markers)
    if marked and SIMULATED not in item.stash:
        pytest.fail(
            f"{item.name} is marked faultlab and is no `async def` function of a module or plain "
            "class, so it can't be run as a simulation. Make it one, or take the marker away; a "
            "plain test simulates with faultlab.testing.assert_clean(program)",
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Puts a test on its ground."""
    option = item.config.getoption
    defaults = {"seeds": option("--faultlab-seeds"), "jobs": option("--faultlab-jobs")}
    ground = Ground(
        defaults={name: value for name, value in defaults.items() if value is not None},
        token=option("--faultlab-token"),
        node=item.nodeid,
        saved=item.config.stash[DATABASE].find(item.nodeid),
    )
    item.stash[GROUND] = ground
    with standing_on(ground):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows a failing simulation as its report, and keeps its token."""
    report = yield
    if call.when != "call" or GROUND not in item.stash:
        return report
    ground = item.stash[GROUND]
    became = _remember(item, report, ground)
    if became:
        report.faultlab = became  # type: ignore[attr-defined]  # xdist sends it along
    if report.failed and call.excinfo is not None:
        _show(item, report, call.excinfo, ground)
    return report


def _remember(item: pytest.Item, report: pytest.TestReport, ground: Ground) -> str:
    """Brings the database up to date; says what became of the test's place in it."""
    database = item.config.stash[DATABASE]
    if ground.token is not None:
        return ""  # one run, from the command line: it says nothing about the others
    if report.passed:
        return "gone" if database.remove(item.nodeid) else ""
    if not report.failed or ground.failing is None:
        return ""
    program, message, token = ground.failing
    failure = Failure(node=item.nodeid, program=program, message=message, token=token)
    if ground.saved is not None and ground.saved.token == token:
        return "again"
    return "saved" if database.save(failure) else ""


def _show(
    item: pytest.Item,
    report: pytest.TestReport,
    excinfo: pytest.ExceptionInfo[BaseException],
    ground: Ground,
) -> None:
    """Replaces the traceback, which leads through the simulator, by the error's text.

    An ordinary test keeps it, for it leads to the line that called. So does an exception
    that is none of faultlab's own: it comes from a defect in faultlab.
    """
    error = excinfo.value
    if not isinstance(error, FaultlabError):
        return
    first = str(error).partition("\n")[0]
    if ground.failing is not None:
        first = f"violated: {ground.failing[1]}"
    elif not isinstance(error, AssertionError):  # what went wrong is not the program
        first = f"{excinfo.typename}: {first}"
    if SIMULATED in item.stash:
        report.longrepr = _without_traceback(item, excinfo, first, ground)
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:  # one line, for the list at the end and for --tb=line
        crash.message = first


def _without_traceback(
    item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], first: str, ground: Ground
) -> Any:
    """An error's text in the form that pytest, xdist and junit files understand."""
    shown = excinfo.getrepr(style="value", chain=False)
    lines = str(excinfo.value).rstrip().split("\n")
    if item.config.getoption("tbstyle") == "line":
        lines = lines[-1:] if ground.failing else []  # how to make the run again
    elif ground.failing is None:
        lines[0] = first
    for entry in shown.reprtraceback.reprentries:
        entry.lines = lines
    if shown.reprcrash is not None:
        shown.reprcrash.path = str(item.location[0])
        shown.reprcrash.lineno = (item.location[1] or 0) + 1
    return shown


def _shown(folder: Path, config: pytest.Config) -> str:
    here = config.invocation_params.dir
    return str(folder.relative_to(here) if folder.is_relative_to(here) else folder)
