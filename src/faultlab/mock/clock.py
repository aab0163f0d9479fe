"""A clock that may be wrong by another amount in each process."""

from collections.abc import Mapping
from math import isfinite

from faultlab.errors import FaultlabError
from faultlab.mock.common import caller, now_s


class ClockError(FaultlabError):
    """A clock was skewed by something that is no number of seconds."""


class Clock:
    """Seconds since the run began, as the process that asks believes.

    Args:
        skew_s: By process name: how many seconds its clock is ahead (behind, if negative).
            All others are right.

    Raises:
        ClockError: A skew is not a finite number.
    """

    def __init__(self, skew_s: Mapping[str, float] | None = None) -> None:
        self._skew_s: dict[str, float] = {}
        for process, seconds in (skew_s or {}).items():
            self.skew(process, seconds)

    def skew(self, process: str, seconds: float) -> None:
        """Set a process's clock ahead of the right time, or behind it, from now on."""
        if not isfinite(seconds):
            raise ClockError(f"a skew of {seconds} s was given. Give a finite number of seconds.")
        self._skew_s[process] = float(seconds)

    async def now_s(self) -> float:
        """The time as the calling process's clock shows it."""
        return now_s() + self._skew_s.get(caller(), 0.0)
