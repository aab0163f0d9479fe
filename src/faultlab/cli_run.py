"""`faultlab run` and `faultlab reproduce`: search a program, and make one of its runs again."""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from faultlab.errors import FaultlabError

EXIT_CODES: Final = (
    "Exit codes: 0 clean, 1 violated, 3 unexercised, 2 the call is wrong or the program can't be "
    "simulated, 130 stopped by Ctrl-C."
)
PRESETS: Final = ("quick", "thorough", "nightly")
INTERRUPTED: Final = 130


def add(commands: Any) -> None:
    """Add both commands to the parser of `faultlab`."""
    _add_run(commands)
    _add_reproduce(commands)


def _add_run(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="Search a program for a schedule in which it fails.",
        description="Run an async function without arguments under many schedules, one a seed, "
        "and tell the smallest run that breaks something.",
        epilog=EXIT_CODES,
    )
    parser.add_argument(
        "program",
        metavar="PROGRAM",
        help="module:program, or path/to/file.py:program, an async function or a Simulation; the "
        "working directory is importable",
    )
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument(
        "--seeds",
        metavar="N",
        help="how many seeds, or a range such as 100:200 (default: 256)",
    )
    amount.add_argument(
        "--preset",
        metavar="NAME",
        help="quick: 64 seeds, thorough: 2,048, nightly: 50,000",
    )
    parser.add_argument(
        "--search",
        metavar="NAME",
        help="portfolio, pct, random, fifo, holds, exhaustive (default: portfolio)",
    )
    for flag, what in (
        ("--depth", "for --search pct: how many ordering constraints the bug may need, 1 to 10"),
        ("--decisions", "for --search exhaustive: at most so many decisions a run, 1 to 6"),
        ("--steps-max", "how many steps a run may take (default: 100000)"),
        ("--jobs", "how many processes run the seeds (default: 1)"),
        ("--minimize-runs", "how many runs may be spent on a smaller run (default: 1000)"),
    ):
        parser.add_argument(flag, type=_number, metavar="N", help=what)
    _add_forms(parser)
    parser.add_argument(
        "--save-token",
        metavar="FILE",
        type=Path,
        help="also write the token of a violation to a file, for `faultlab reproduce @FILE`",
    )
    parser.set_defaults(run=_run, parser=parser)


def _add_reproduce(commands: Any) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="Make the run of a token again.",
        description="Make the one run again that a token holds, and tell whether it still breaks "
        "something.",
        epilog="Exit codes: 0 it breaks nothing any more, 1 it breaks something, 2 the token is "
        "damaged or the program can't be found or simulated, 130 stopped by Ctrl-C.",
    )
    parser.add_argument(
        "token", metavar="TOKEN", help="as a report printed it; - reads it from stdin, @FILE a file"
    )
    parser.add_argument(
        "--program",
        metavar="PROGRAM",
        help="module:program, or path/to/file.py:program (default: the token's)",
    )
    _add_forms(parser)
    parser.set_defaults(run=_reproduce, parser=parser)


def _add_forms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--html", metavar="FILE", type=Path, help="also write the report as a page to a file"
    )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number; give one from 0")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    from faultlab.testing.loading import program_named

    config = config_of(options)
    _check_writable(options.html, options.save_token)
    return _answer(options, program_named(options.program), config)


def config_of(options: argparse.Namespace) -> Any:
    """The config that the options of `faultlab run` ask for.

    Raises:
        SimulationError: A name is unknown, or a number makes no sense.
    """
    from faultlab.dst import Exhaustive, SimulationConfig, SimulationError
    from faultlab.dst.from_text import search_from, seeds_from
    from faultlab.naming import nearest

    settings = {
        "steps_max": options.steps_max,
        "jobs": options.jobs,
        "minimize_runs_max": options.minimize_runs,
    }
    settings = {name: value for name, value in settings.items() if value is not None}
    search = search_from(
        options.search or "portfolio", depth=options.depth, decisions=options.decisions
    )
    if isinstance(search, Exhaustive) and (options.seeds or options.preset or options.jobs):
        raise SimulationError(
            "an exhaustive search needs no seeds, for it makes every run, and runs in one process; "
            "leave out --seeds, --preset and --jobs"
        )
    if options.seeds is not None:
        settings["seeds"] = seeds_from(options.seeds)
    if options.preset is None:
        return SimulationConfig(search=search, **settings)
    if options.preset not in PRESETS:
        raise SimulationError(
            f"there is no preset {options.preset!r}.{nearest(options.preset, PRESETS)} "
            f"Known: {', '.join(PRESETS)}."
        )
    return getattr(SimulationConfig, options.preset)(search=search, **settings)


def _reproduce(options: argparse.Namespace) -> int:
    from faultlab.dst import SimulationConfig, SimulationError, Token
    from faultlab.testing.loading import program_named

    text = _token_text(options.token)
    token = Token.parse(text)
    _check_writable(options.html)
    try:
        program = program_named(options.program or token.program)
    except SimulationError as error:
        if options.program is None:
            raise SimulationError(
                f"{error} (that is the token's program; --program names another)"
            ) from error
        raise
    return _answer(options, program, SimulationConfig.reproduce(text))


def _token_text(text: str) -> str:
    """The token, wherever it is."""
    from faultlab.dst import SimulationError

    if text == "-":
        return sys.stdin.read()
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "this is no text in UTF-8"
        raise SimulationError(f"{text[1:]}: {reason}. Name a file that holds a token.") from error


def _check_writable(*paths: Path | None) -> None:
    """Refuses a file that can't be written before a long search, not after it."""
    from faultlab.dst import SimulationError

    for path in paths:
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise SimulationError(f"{path} can't be written; name a file in a folder that exists")


def _answer(options: argparse.Namespace, program: Any, config: Any) -> int:
    """Run, print, write, and return the exit code."""
    from faultlab.dst.printable import printable
    from faultlab.testing.targets import search

    line = _ProgressLine()
    try:
        # What the program prints is no data of this command, and would come once a run.
        with contextlib.redirect_stdout(sys.stderr):
            report = search(program, replace(config, progress=line.show))
            text = _text(report, program, config.token)
    except KeyboardInterrupt:
        line.clear()
        print("faultlab: stopped before there was anything to report", file=sys.stderr)
        return INTERRUPTED
    except FaultlabError as error:
        line.clear()
        print(f"faultlab: {printable(str(error))}", file=sys.stderr)
        return 2
    line.clear()
    if options.json:
        print(json.dumps(report.to_json(), indent=2, ensure_ascii=True))
    else:
        print(text, end="")
    _write(options, report)
    return INTERRUPTED if report.interrupted else int(report.exit_code)


def _text(report: Any, program: Any, token: str | None) -> str:
    from faultlab.dst.printable import printable
    from faultlab.testing.again import account
    from faultlab.testing.assertions import unmet

    text = account(report, program)
    if token is None or report.finding is not None:
        return text
    lost = unmet(program, token)
    told = "\n".join(lost) if lost else "The run of this token no longer breaks anything."
    return f"{text}\n{printable(told)}\n"


def _write(options: argparse.Namespace, report: Any) -> None:
    """Write the files that were asked for."""
    from faultlab.dst import SimulationError

    texts: list[tuple[Path | None, Callable[[], str]]] = [(options.html, lambda: report.to_html())]
    if report.finding is not None:
        texts.append((getattr(options, "save_token", None), lambda: f"{report.finding.token}\n"))
    for path, text in texts:
        if path is not None:
            try:
                path.write_text(text(), encoding="utf-8")
            except OSError as error:
                raise SimulationError(f"{path} can't be written: {error.strerror}") from error


class _ProgressLine:
    """One line on stderr that is written over; none if that is no terminal."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()
        self._last = ""

    def show(self, progress: Any) -> None:
        """Shows how far a search is, in whole hundredths: that is often enough."""
        if not self._wanted:
            return
        hundredths = 100 * progress.seeds_run // max(1, progress.seeds)
        text = f"{hundredths:3} % of {progress.seeds:,} runs"
        if progress.violating is not None:
            text += f", seed {progress.violating} breaks something"
        if text != self._last:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._last = text

    def clear(self) -> None:
        """Takes the line away."""
        if self._last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
