"""The command `faultlab idempotency`: its options, and what it answers."""

import argparse
from collections.abc import Callable
from typing import Any, Final

from faultlab import idempotency, idempotency_account
from faultlab.receiver import CONFLICT_POLICIES

_DEFAULTS: Final = idempotency.experiment()["inputs"]
_INPUTS: Final = tuple(_DEFAULTS)


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command and return its parser."""
    text = "Send two requests to one receiver: is the second the same one?"
    parser: argparse.ArgumentParser = commands.add_parser(
        "idempotency", help=text, description=text
    )
    for name, allowed, what in (
        ("key_scope", idempotency.KEY_SCOPES, "what the key names"),
        ("second_request", idempotency.SECOND_REQUESTS, "what the second request means"),
        ("conflict_policy", CONFLICT_POLICIES, "whether payloads under a kept key are compared"),
    ):
        parser.add_argument(
            _option(name),
            metavar="NAME",
            help=f"{what}: {', '.join(allowed)} (default: {_DEFAULTS[name]})",
        )
    for name, what in (
        ("retention_s", "how long the receiver keeps its idempotency record"),
        ("after_s", "when the second request comes, after the first"),
    ):
        parser.add_argument(
            _option(name),
            metavar="SECONDS",
            help=f"{what}, to the millisecond (default: {_DEFAULTS[name]})",
        )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the saved run")
    form.add_argument("--all", action="store_true", help="print the table of all 64 combinations")
    form.add_argument("--presets", action="store_true", help="list the published contracts")
    return parser


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def answer(options: argparse.Namespace, to_json: Callable[[Any], str]) -> str:
    """What the command prints.

    Raises:
        IdempotencyError: A name is unknown, or a number can't be used.
    """
    given = {name: value for name in _INPUTS if (value := getattr(options, name)) is not None}
    if options.all or options.presets:
        if given:
            options.parser.error(
                f"--all and --presets take no {', '.join(map(_option, given))}. Leave that out."
            )
        return idempotency_account.table() if options.all else idempotency_account.presets()
    run = idempotency.experiment(**given)
    return to_json(run) if options.json else idempotency_account.account(run)
