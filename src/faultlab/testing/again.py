"""How a run is made again: the line that a reader copies, and the report that ends with it."""

import os
import shlex
import sys
from pathlib import Path

from faultlab.dst import Report
from faultlab.dst.attempt import name_of
from faultlab.dst.printable import printable
from faultlab.kernel import Program


def account(report: Report, program: Program, *, node: str = "") -> str:
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


def again(program: Program, token: str, *, node: str = "") -> str:
    """The line that makes a run again, from the working directory."""
    module, _, attribute = name_of(program).partition(":")
    if not is_found(program):
        if node:
            return f"pytest {shlex.quote(node)} --faultlab-token {token}"
        name = attribute.rpartition(".")[2]
        return f"faultlab.testing.assert_fixed({name}, {token!r})"
    path = _file_of(program.__module__)
    if path is None or _importable_from_here(module, path):
        return f"faultlab reproduce {token}"
    return f"faultlab reproduce --program {shlex.quote(f'{path}:{attribute}')} {token}"


def is_found(program: Program) -> bool:
    """Whether a program is what stands under its name: no inner function, no bound arguments."""
    found: object = sys.modules.get(program.__module__)
    for part in program.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is program


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
