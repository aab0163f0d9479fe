"""The world of a simulated run: what becomes of the calls that would reach outside.

    with virtual_world():        # once around any number of runs
        run(program, seed=3)     # in here time.time() is virtual, random is seeded

Clocks show virtual time, chance is drawn from the run's choices, and what waits for
real, starts something, talks or changes files raises RealWorldCall. All this holds for
code that runs inside of a run that this very thread has started; every other thread, and
code between runs, gets the real thing. `OUTSIDE` is the whole table.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from faultlab.kernel.forbidden import entered
from faultlab.kernel.refused import REFUSED
from faultlab.kernel.stand_ins import Outside, rows
from faultlab.kernel.swapping import Swap
from faultlab.kernel.virtual_chance import CHANCE
from faultlab.kernel.virtual_time import TIME

_ATTRIBUTE = "call it as an attribute of its module (import time; time.time())"
_MACHINE = "the machine's own answer; give it to the program as an argument"

NAMED_ESCAPES = (
    *rows("escapes", _MACHINE, None, "os.getpid os.getppid os.times os.cpu_count"),
    *rows("escapes", _MACHINE, None, "socket.gethostname"),
    *rows("escapes", "the order is the file system's; sort it", None, "os.listdir os.scandir"),
    *rows("escapes", "real unless it is ':memory:'; put it behind a port", None, "sqlite3.connect"),
)
"""Calls that act for real and that `Escapes` names when a program makes them."""

_UNNAMED_ESCAPES = tuple(
    Outside(call=call, kind="escapes", what=what)
    for call, what in {
        "a closure, default argument, class or object that keeps an original": (
            f"{_ATTRIBUTE}; Escapes names it when it is called"
        ),
        "a random.Random made before the run": (
            "its state goes on from run to run; make it inside of the run; Escapes names it"
        ),
        "functools.partial of an original": f"{_ATTRIBUTE}; not seen by Escapes",
        "an original that C code calls (map, iter, defaultdict)": (
            "wrap it in a lambda that calls it as an attribute of its module; not seen by Escapes"
        ),
        "C code with a clock or generator of its own (numpy, _random.Random)": (
            "give it a seed or a time that the program got from random or time"
        ),
        "id() and object.__hash__": "addresses; number the objects instead",
        "hash() of str and bytes, and the order of sets of them": (
            "differs with PYTHONHASHSEED; sort first"
        ),
        "os.environ": "the machine's own; give it to the program as an argument",
        "reading files": "what they hold is not part of the run; read them before it",
        "a file that is open already": (
            "what is written stays; give the program io.StringIO in its place"
        ),
        "io.FileIO": "opens for writing all the same; use open()",
        "time.timezone, time.tzname": "the machine's zone; functions of the run use UTC",
    }.items()
)

OUTSIDE: tuple[Outside, ...] = (*TIME, *CHANCE, *REFUSED, *NAMED_ESCAPES, *_UNNAMED_ESCAPES)
"""Every way outside that is known: virtual, seeded, refused, and what still escapes."""

_lock = threading.Lock()
_worlds = 0
_swap = Swap(OUTSIDE)


@contextmanager
def virtual_world() -> Iterator[None]:
    """Makes clock, chance and files of the runs that this thread starts virtual.

    Enter it once around many runs: it looks through all imported modules. It may be
    nested and entered by several threads; the last one out puts everything back. Raises
    KernelError where this Python does not allow it.
    """
    global _worlds
    with _lock:
        if _worlds == 0:
            _enter()
        _worlds += 1
    entered.depth = getattr(entered, "depth", 0) + 1
    try:
        yield
    finally:
        entered.depth -= 1
        with _lock:
            _worlds -= 1
            if _worlds == 0:
                _swap.leave()


def _enter() -> None:
    try:
        _swap.enter()
    except BaseException:
        _swap.leave()
        raise


def originals() -> Mapping[str, Any]:
    """What stood where stand-ins stand now, by the call's name."""
    return _swap.originals
