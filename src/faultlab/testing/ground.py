"""What the test that is running right now stands on: the plugin's options, a saved failure.

Outside of the plugin there is nothing to stand on, and `current()` is empty ground.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A failing run, as the failure database keeps it.

    Attributes:
        node: pytest's id of the test.
        program: `module:attribute` of what was run.
        message: What went wrong.
        token: The run.
    """

    node: str
    program: str
    message: str
    token: str


@dataclass(kw_only=True)
class Ground:
    """What one test stands on, and what came of it.

    Attributes:
        defaults: Settings for searches that are given none: `seeds`, `jobs`.
        node: pytest's id of the test; empty outside of a test.
        token: A run to make instead of searching its program, from the command line.
        saved: The failure that the database keeps of this test.
        failing: (program, message, token) of the last violation.
    """

    defaults: dict[str, Any] = field(default_factory=dict)
    node: str = ""
    token: str | None = None
    saved: Failure | None = None
    failing: tuple[str, str, str] | None = None


_stack: list[Ground] = []


def current() -> Ground:
    """The ground of the running test."""
    return _stack[-1] if _stack else Ground()


@contextmanager
def standing_on(ground: Ground) -> Iterator[Ground]:
    """Makes this the current ground for a while."""
    _stack.append(ground)
    try:
        yield ground
    finally:
        _stack.pop()
