"""Virtual time outside of asyncio: the modules `time` and `datetime` show the loop's clock.

Every clock stands still while a step runs and moves only when nothing can run, as
`loop.time()` does. A loop that waits for a clock without an await would never end: after
`READS_MAX` readings within one instant it is refused.
The wall clock of every run begins at `EPOCH_S`, and the local zone is UTC.
"""

import sys
import time
from asyncio import _get_running_loop
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any

from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.stand_ins import Function, Maker, Outside, instead, place, rows

EPOCH_S = 1_767_225_600
"""2026-01-01T00:00:00Z, in seconds since 1970: the wall clock at the beginning of a run."""

READS_MAX = 1_000_000
"""After so many readings of a clock, twice in a row within one instant, nobody just looks."""

_EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)  # noqa: UP017  (one name for all versions)
_UTC = timezone.utc  # noqa: UP017
_gmtime, _asctime = time.gmtime, time.asctime


def _clock(read: Callable[[VirtualLoop], float | int]) -> Maker:
    """As `instead`, without arguments: clocks are read often."""

    def maker(original: Function) -> Function:
        def stand_in(_: object, /) -> Any:
            loop = _get_running_loop()
            if type(loop) is VirtualLoop and loop.virtual:
                loop.clock_reads += 1
                if loop.clock_reads > READS_MAX:
                    _many_reads(loop, f"time.{original.__name__}")
                return read(loop)
            return original()

        return stand_in

    return maker


def _many_reads(loop: VirtualLoop, call: str) -> None:
    """Refuses to go on reading if time has not moved since it was last asked."""
    if loop.clock_read_at == loop.agenda.now:
        raise loop.refuse(
            f"waiting for {call}() at {place(sys._getframe(1))}",
            "the clock stands still within a step; await asyncio.sleep() in the loop",
        )
    loop.clock_read_at, loop.clock_reads = loop.agenda.now, 0


def _now_s(loop: VirtualLoop) -> float:
    return loop.agenda.now


def _now_ns(loop: VirtualLoop) -> int:
    return round(loop.agenda.now * 1e9)


def _wall_s(loop: VirtualLoop) -> float:
    return EPOCH_S + loop.agenda.now


def _wall_ns(loop: VirtualLoop) -> int:
    return EPOCH_S * 1_000_000_000 + round(loop.agenda.now * 1e9)


def _gettime(loop: VirtualLoop, _: Function, clock: int) -> float:
    return _wall_s(loop) if clock == time.CLOCK_REALTIME else _now_s(loop)


def _gettime_ns(loop: VirtualLoop, _: Function, clock: int) -> int:
    return _wall_ns(loop) if clock == time.CLOCK_REALTIME else _now_ns(loop)


def _broken_down(loop: VirtualLoop, _: Function, secs: float | None = None, /) -> Any:
    return _gmtime(_wall_s(loop) if secs is None else secs)


def _ctime(loop: VirtualLoop, _: Function, secs: float | None = None, /) -> str:
    return _asctime(_broken_down(loop, _, secs))


def _of_now(loop: VirtualLoop, original: Function, *args: Any) -> Any:
    """For asctime(when) and strftime(format, when), whose `when` may be missing."""
    given = 1 if original.__name__ == "strftime" else 0
    return original(*args) if len(args) > given else original(*args, _broken_down(loop, original))


def _mktime(_loop: VirtualLoop, _: Function, when: Any, /) -> float:
    year, month, day, hour, minute, second = when[:6]
    since = datetime(year, month, 1, tzinfo=_UTC) - datetime(1970, 1, 1, tzinfo=_UTC)
    since += timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
    return since.total_seconds()


# -- datetime: class methods get the class, and subclasses get their own kind ------------


def _now(loop: VirtualLoop, _: Function, cls: Any, tz: tzinfo | None = None) -> Any:
    loop.clock_reads += 1
    if loop.clock_reads > READS_MAX:
        _many_reads(loop, "datetime.datetime.now")
    since = timedelta(seconds=loop.agenda.now)
    if tz is None:
        return cls(2026, 1, 1) + since
    return (cls(2026, 1, 1, tzinfo=_UTC) + since).astimezone(tz)


def _utcnow(loop: VirtualLoop, _: Function, cls: Any) -> Any:
    return _now(loop, _, cls)


def _today(loop: VirtualLoop, _: Function, cls: Any) -> Any:
    if issubclass(cls, datetime):
        return _now(loop, _, cls)
    moment = _EPOCH + timedelta(seconds=loop.agenda.now)
    return cls(moment.year, moment.month, moment.day)


def _from_timestamp(
    _loop: VirtualLoop, original: Function, cls: Any, timestamp: float, tz: tzinfo | None = None
) -> Any:
    if tz is not None:
        return original(cls, timestamp, tz)
    return original(cls, timestamp, _UTC).replace(tzinfo=None)


def _date_from_timestamp(_loop: VirtualLoop, _: Function, cls: Any, timestamp: float, /) -> date:
    moment = datetime.fromtimestamp(timestamp, _UTC)
    made: date = cls(moment.year, moment.month, moment.day)
    return made


def _timestamp(_loop: VirtualLoop, original: Function, self: datetime) -> Any:
    return original(_aware(self))


def _as_timezone(
    _loop: VirtualLoop, original: Function, self: datetime, tz: tzinfo | None = None
) -> Any:
    return original(_aware(self), _UTC if tz is None else tz)


def _aware(moment: datetime) -> datetime:
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=_UTC)


_STILL = "stands still within a step"
_BY_CLOCK = "as time.time for CLOCK_REALTIME, as time.monotonic for every other clock"

TIME: tuple[Outside, ...] = (
    *rows(
        "virtual",
        f"2026-01-01T00:00:00Z and the virtual time since the run began; {_STILL}",
        _clock(_wall_s),
        "time.time",
    ),
    *rows("virtual", "as time.time, in nanoseconds", _clock(_wall_ns), "time.time_ns"),
    *rows(
        "virtual",
        f"the virtual time since the run began, as loop.time(); {_STILL}",
        _clock(_now_s),
        "time.monotonic time.perf_counter time.process_time time.thread_time",
    ),
    *rows(
        "virtual",
        f"the virtual time since the run began, in nanoseconds; {_STILL}",
        _clock(_now_ns),
        "time.monotonic_ns time.perf_counter_ns time.process_time_ns time.thread_time_ns",
    ),
    *rows("virtual", _BY_CLOCK, instead(_gettime), "time.clock_gettime"),
    *rows("virtual", f"{_BY_CLOCK}, in nanoseconds", instead(_gettime_ns), "time.clock_gettime_ns"),
    *rows(
        "virtual",
        "of the virtual time unless one is given; the local zone is UTC",
        instead(_broken_down),
        "time.localtime time.gmtime",
    ),
    *rows("virtual", "of the virtual time unless one is given", instead(_ctime), "time.ctime"),
    *rows(
        "virtual",
        "of the virtual time unless one is given",
        instead(_of_now),
        "time.asctime time.strftime",
    ),
    *rows("virtual", "the local zone is UTC", instead(_mktime), "time.mktime"),
    *rows("virtual", "virtual time, in UTC", instead(_now), "datetime.datetime.now"),
    *rows("virtual", "virtual time", instead(_utcnow), "datetime.datetime.utcnow"),
    *rows("virtual", "virtual time, in UTC", instead(_today), "datetime.date.today"),
    *rows("virtual", "virtual time, in UTC", None, "datetime.datetime.today"),
    *rows(
        "virtual",
        "the local zone is UTC",
        instead(_from_timestamp),
        "datetime.datetime.fromtimestamp",
    ),
    *rows(
        "virtual",
        "the local zone is UTC",
        instead(_date_from_timestamp),
        "datetime.date.fromtimestamp",
    ),
    *rows(
        "virtual",
        "a time without a zone is in UTC",
        instead(_timestamp),
        "datetime.datetime.timestamp",
    ),
    *rows(
        "virtual",
        "a time without a zone is in UTC, and so is the local zone",
        instead(_as_timezone),
        "datetime.datetime.astimezone",
    ),
)
"""What shows virtual time inside of a run."""
