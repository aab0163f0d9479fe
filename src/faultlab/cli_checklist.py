"""`faultlab checklist`: print the replay-readiness checklist, and check a filled-in one."""

import argparse
import datetime
import json
import re
from pathlib import Path
from typing import Any

from faultlab.readiness import ITEMS
from faultlab.readiness_file import Checklist as _Checklist
from faultlab.readiness_file import ReadinessError, check, empty, markdown, read, summary, to_json


def add(commands: Any) -> None:
    """Add the command to the parser of `faultlab`."""
    parser = commands.add_parser(
        "checklist",
        help="Print the replay-readiness checklist, or check a filled-in one.",
        description="The replay-readiness checklist: questions about one operation that acts on "
        "the world. It gives no score; it says which failures stay open.",
        epilog="Exit codes of --check: 0 nothing is open, 1 an item is open, a waiver expired or "
        "has no reason, or an id is unknown, 2 the file is no checklist.",
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--list", action="store_true", help="print every item's id and question")
    action.add_argument(
        "--new", metavar="OPERATION", help="print an empty checklist for an operation, as JSON"
    )
    action.add_argument(
        "--check",
        metavar="FILE",
        type=Path,
        help="print which failures stay open, as Markdown; exit 1 if one does",
    )
    action.add_argument(
        "--markdown", metavar="FILE", type=Path, help="print a whole checklist as Markdown"
    )
    parser.add_argument(
        "--today",
        metavar="YYYY-MM-DD",
        type=_day,
        help="the day on which waivers are checked (default: today)",
    )
    parser.set_defaults(run=_checklist, parser=parser)


def _day(text: str) -> datetime.date:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError(text)
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no day. Write it as YYYY-MM-DD, for example 2026-12-01."
        ) from None


def _checklist(options: argparse.Namespace) -> int:
    if options.today and options.check is None:
        options.parser.error("--today belongs to --check. Leave it out, or add --check FILE.")
    if options.list:
        print("\n".join(f"{item.id:<38}{item.question}" for item in ITEMS))
        return 0
    if options.new is not None:
        if not options.new.strip():
            options.parser.error('--new needs a name, for example "charge the card for an order".')
        print(json.dumps(to_json(empty(options.new)), indent=2, ensure_ascii=False))
        return 0
    if options.markdown is not None:
        print(markdown(_read(options.markdown)), end="")
        return 0
    checklist = _read(options.check)
    today = options.today or datetime.date.today()
    print(summary(checklist, today=today), end="")
    return 1 if check(checklist, today=today) else 0


def _read(path: Path) -> _Checklist:
    try:
        # Some editors put a byte order mark before UTF-8.
        return read(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ReadinessError(f"{path}: {error.strerror}. Name a file that can be read.") from error
    except UnicodeDecodeError as error:
        raise ReadinessError(f"{path}: this is no text in UTF-8. Save it as UTF-8.") from error
    except ReadinessError as error:
        raise ReadinessError(f"{path}: {error}{_where(error.__cause__)}") from error


def _where(cause: BaseException | None) -> str:
    if isinstance(cause, json.JSONDecodeError):
        return f" It stops being JSON in line {cause.lineno}, column {cause.colno}."
    return ""
