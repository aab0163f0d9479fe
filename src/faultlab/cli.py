"""The `faultlab` command. Data goes to stdout, everything else to stderr.

Exit codes: 0 as asked, 1 a difference or a violation was found, 2 the words of the call are
wrong, 3 what a simulation declared never struck, 130 stopped by Ctrl-C.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import faultlab
from faultlab import (
    async_lab,
    cli_checklist,
    cli_idempotency,
    cli_run,
    lab_account,
    lab_runs,
    snippets,
)
from faultlab.errors import FaultlabError
from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS
from faultlab.naming import nearest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that can't show a glyph gets a question mark, not a traceback.
        sys.stdout.reconfigure(errors="replace")
    parser = build_parser()
    options = parser.parse_args(arguments)
    try:
        result: int = options.run(options)
        sys.stdout.flush()
    except FaultlabError as error:
        print(f"faultlab: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (`head`, say) has seen enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command, from which the site's reference is made too."""
    parser = argparse.ArgumentParser(
        prog="faultlab",
        description="Failures in which the effect happened and the record of it did not.",
        epilog="Exit codes: 0 as asked, 1 a difference or a violation was found, 2 the call is "
        "wrong, 3 what a simulation declared never struck, 130 stopped by Ctrl-C.",
    )
    parser.add_argument("--version", action="version", version=f"faultlab {faultlab.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_lab(commands)
    _add_async(commands)
    _add_idempotency(commands)
    cli_checklist.add(commands)
    cli_run.add(commands)
    _add_snippets(commands)
    return parser


def _add_lab(commands: Any) -> None:
    text = "Run one scenario of the Failure Lab, or all of them."
    lab = commands.add_parser("lab", help=text, description=text)
    for flag, allowed, default, what in (
        ("--fault", FAULTS, "none", "the point that fails"),
        ("--cancel-at", CANCELLATIONS, "none", "the gap in which the worker is cancelled"),
        ("--observation", OBSERVATIONS, "match", "what the read finds"),
    ):
        lab.add_argument(
            flag,
            type=_one_of(allowed),
            default=None,
            metavar="NAME",
            help=f"{what}: {', '.join(allowed)} (default: {default})",
        )
    form = lab.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the record as JSON")
    form.add_argument(
        "--saved-run", action="store_true", help="print the scenario with its record as JSON"
    )
    lab.add_argument("--all", action="store_true", help="print the map of all 72 scenarios")
    lab.set_defaults(run=_lab, parser=lab)


def _one_of(allowed: tuple[str, ...]) -> Callable[[str], str]:
    def name(text: str) -> str:
        if text not in allowed:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not one of the names.{nearest(text, allowed)} "
                f"Allowed: {', '.join(allowed)}."
            )
        return text

    return name


def _lab(options: argparse.Namespace) -> int:
    given = (options.fault, options.cancel_at, options.observation)
    if options.all:
        if any(given) or options.saved_run:
            options.parser.error(
                "--all runs every scenario. Leave out --fault, --cancel-at, --observation "
                "and --saved-run."
            )
        everything = lab_runs.lab_map()
        print(to_json(everything) if options.json else lab_account.map_account(everything))
        return 0
    run = lab_runs.saved_run(
        lab_runs.Scenario(
            fault=options.fault or "none",
            cancel_at=options.cancel_at or "none",
            observation=options.observation or "match",
        )
    )
    if options.saved_run:
        print(to_json(run))
    elif options.json:
        print(to_json(run["record"]))
    else:
        print(lab_account.account(run))
    return 0


def to_json(value: Any) -> str:
    """The one way in which faultlab writes JSON: two spaces, the keys in their own order."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _add_async(commands: Any) -> None:
    text = "Run one debit with one fault in the naive or the durable runtime."
    parser = commands.add_parser("async", help=text, description=text)
    for flag, allowed, what in (
        ("--fault", async_lab.FAULTS, "what strikes, once"),
        ("--mode", async_lab.MODES, "which runtime"),
    ):
        parser.add_argument(
            flag,
            type=_one_of(allowed),
            default=None,
            metavar="NAME",
            help=f"{what}: {', '.join(allowed)} (default: {allowed[0]})",
        )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the saved run")
    form.add_argument("--list", action="store_true", help="list the faults and the modes")
    form.add_argument("--all", action="store_true", help="print the table of all 12 combinations")
    parser.set_defaults(run=_async, parser=parser)


def _async(options: argparse.Namespace) -> int:
    if options.list or options.all:
        if options.fault or options.mode:
            options.parser.error("--list and --all take no --fault and no --mode. Leave them out.")
        names = [f"fault  {name}" for name in async_lab.FAULTS]
        names += [f"mode   {name}" for name in async_lab.MODES]
        print("\n".join(names) if options.list else async_lab.table())
        return 0
    run = async_lab.saved_run(options.fault or "none", options.mode or "naive")
    print(to_json(run) if options.json else async_lab.account(run))
    return 0


def _add_idempotency(commands: Any) -> None:
    parser = cli_idempotency.add(commands)
    parser.set_defaults(run=_idempotency, parser=parser)


def _idempotency(options: argparse.Namespace) -> int:
    print(cli_idempotency.answer(options, to_json))
    return 0


def _add_snippets(commands: Any) -> None:
    text = "List, copy and check the documentation's example programs."
    group = commands.add_parser("snippets", help=text, description=text)
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="name every snippet and its page")
    listing.set_defaults(run=_snippets_list)
    copying = actions.add_parser("copy", help="write a snippet and its expected output")
    copying.add_argument("id", metavar="ID", help="the snippet's name")
    copying.add_argument("folder", metavar="DIR", type=Path, help="where to write the two files")
    copying.set_defaults(run=_snippets_copy)
    checking = actions.add_parser(
        "check", help="run the copies in a folder; exit 1 if one prints something else"
    )
    checking.add_argument("folder", metavar="DIR", type=Path, help="where the copies are")
    checking.set_defaults(run=_snippets_check)


def _snippets_list(_: argparse.Namespace) -> int:
    for snippet in snippets.snippets().values():
        print(f"{snippet.id:<33}{snippet.page}")
    return 0


def _snippets_copy(options: argparse.Namespace) -> int:
    for path in snippets.copy(options.id, options.folder):
        print(path)
    return 0


def _snippets_check(options: argparse.Namespace) -> int:
    checks = snippets.check(options.folder)
    for result in checks:
        if result.difference:
            print(result.difference, end="")
        else:
            print(f"{result.path}: prints what is expected", file=sys.stderr)
    differing = sum(bool(result.difference) for result in checks)
    print(f"{len(checks)} checked, {differing} differ", file=sys.stderr)
    return 1 if differing else 0
