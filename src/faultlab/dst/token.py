"""Tokens: one run in one line of text, to be put into an issue, a test or a command."""

import json
import sys
import zlib
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from faultlab.dst.errors import SimulationError
from faultlab.kernel import Tape, TapeError

T = TypeVar("T")

PREFIX = "faultlab1."
SIZE_MAX = 10_000_000
"""Bytes that a token may unpack to."""


@dataclass(frozen=True, kw_only=True)
class Token:
    """What it takes to make a run again.

    Attributes:
        program: `module:attribute` of what was run.
        tape: Its decisions.
        steps_max: Its step budget.
        python: Version that made it, such as `3.13`.
        befalls: What of the config the run is made of, as plain JSON: faults, latency, crash.
    """

    program: str
    tape: Tape
    steps_max: int
    python: str
    befalls: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The token as text: letters, digits, `.`, `-` and `_`."""
        data: dict[str, Any] = {
            "program": self.program,
            "tape": self.tape.to_json(),
            "steps_max": self.steps_max,
            "python": self.python,
        }
        if self.befalls:
            data["befalls"] = self.befalls
        plain = json.dumps(data, separators=(",", ":"), sort_keys=True).encode()
        return PREFIX + urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> "Token":
        """Reads a token; raises SimulationError if it is none, or is not whole."""
        text = "".join(text.split())
        if not text.startswith(PREFIX):
            raise SimulationError(
                f"{text[:20]!r} is no token: one starts with {PREFIX!r}; copy the whole line"
            )
        body = text.removeprefix(PREFIX)
        unpacking = zlib.decompressobj()
        try:
            packed = b64decode(body + "=" * (-len(body) % 4), b"-_", validate=True)
            data: Any = json.loads(unpacking.decompress(packed, SIZE_MAX))
            if not unpacking.eof:
                raise ValueError("it ends too early")
            return cls(
                program=str(data["program"]),
                tape=Tape.from_json(data["tape"]),
                steps_max=int(data["steps_max"]),
                python=str(data["python"]),
                befalls=dict(data.get("befalls", {})),
            )
        except (ValueError, TypeError, KeyError, zlib.error, TapeError) as error:
            raise _damaged(text[:20], error) from error

    def read_befalls(self, read: Callable[[Mapping[str, Any], int], T]) -> T:
        """What befell its run, read by one who knows how; raises SimulationError if it can't be."""
        try:
            return read(self.befalls, self.steps_max)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise _damaged(str(self)[:20], error) from error

    @property
    def warning(self) -> str:
        """What to know if this interpreter is another version; empty if it is the same."""
        here = this_python()
        if here == self.python:
            return ""
        return (
            f"the token was made on Python {self.python} and this is {here}: what is listed as "
            "portable gives the same run, the rest may not"
        )


def _damaged(start: str, error: Exception) -> SimulationError:
    return SimulationError(
        f"the token {start}… is damaged ({type(error).__name__}); copy it again, whole"
    )


def this_python() -> str:
    """This interpreter's version, such as `3.13`."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"
