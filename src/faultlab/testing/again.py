"""How a run is made again: the line that a reader copies, and the report that ends with it."""

import os
import shlex
import sys
from pathlib import Path

from faultlab.dst import Report
from faultlab.dst.printable import printable
from faultlab.testing.targets import Target, name_of_target, place_of


def account(report: Report, program: Target, *, node: str = "") -> str:
    """The report as text that a terminal can be given, with the line that makes the run again.

    Args:
        report: Of a search or of one run.
        program: What was run.
        node: pytest's id of the test that ran it; empty outside of a test.
    """
    text = report.explain()
    if report.finding is not None:
        text += f"\nThe same run again:\n  {again(program, report.finding.token, node=node)}\n"
    return printable(text)


def again(program: Target, token: str, *, node: str = "") -> str:
    """The line that makes a run again, from the working directory."""
    module, _, attribute = name_of_target(program).partition(":")
    place = place_of(program)
    if place is None:
        if node:
            return f"pytest {shlex.quote(node)} --faultlab-token {token}"
        name = attribute.rpartition(".")[2] or "simulation"
        return f"faultlab.testing.assert_fixed({name}, {token!r})"
    path = _file_of(place[0])
    if path is None or _importable_from_here(module, path):
        return f"faultlab reproduce {token}"
    return f"faultlab reproduce --program {shlex.quote(f'{path}:{attribute}')} {token}"


def is_found(program: Target) -> bool:
    """Whether a program is what stands under its name: no inner function, no bound arguments."""
    return place_of(program) is not None


def _file_of(module: str) -> str | None:
    """The file of an imported module, relative to the working directory if it lies below."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        return None
    here = Path.cwd()
    return os.path.relpath(path, here) if Path(path).is_relative_to(here) else str(path)


def _importable_from_here(module: str, path: str) -> bool:
    """Whether the working directory alone leads from a module's name to its file."""
    expected = Path(*module.split("."))
    return path in (str(expected.with_suffix(".py")), str(expected / "__init__.py"))
