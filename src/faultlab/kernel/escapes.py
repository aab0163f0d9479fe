"""Naming what still escapes from a virtual world: a profiler for the first run of a sweep.

It sees every call of a function that Python code makes. A call that C code makes (`map`,
`functools.partial`) it cannot see.
"""

import datetime
import random
import sys
from asyncio import _get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FrameType
from typing import Any

from faultlab.kernel.errors import KernelError
from faultlab.kernel.forbidden import entered
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.outside import NAMED_ESCAPES, originals
from faultlab.kernel.stand_ins import is_foreign, is_ours, place

_KEPT = (
    "it was kept in a closure, a default argument, a class or an object before the world "
    "was entered, so it is the real one; call it as an attribute of its module"
)

_OLD_GENERATOR = (
    "this generator was made before the run, so its state goes on from run to run; make it "
    "inside of the run"
)

_GENERATOR = "random.Random"
_MAKES_GENERATOR = random.Random.__init__.__code__
_HIDDEN = random.seed.__self__  # type: ignore[attr-defined]  # the module's one generator


@dataclass(frozen=True, kw_only=True)
class Escape:
    """One call with which a program reached outside of its simulation, unnoticed."""

    call: str
    """The name of what was called: `time.time`."""
    where: str
    """The program's line: `app.py:12 in fetch`."""
    why: str
    """The cause, and the remedy."""

    def __str__(self) -> str:
        """All of it in one line."""
        return f"{self.call}() at {self.where} escapes from the simulation: {self.why}"


class Escapes:
    """What escaped while somebody watched."""

    def __init__(self) -> None:
        """Starts with nothing found."""
        self._found: dict[Escape, None] = {}
        self._why = {row.call: row.what for row in NAMED_ESCAPES}
        self._by_function: dict[Any, str] = {}
        self._by_code: dict[CodeType, str] = {}
        self._made: dict[int, random.Random] = {}  # kept alive, for the numbers to be theirs

    @property
    def found(self) -> tuple[Escape, ...]:
        """Each call and place once, in the order of their first occurrence."""
        return tuple(self._found)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches the runs of this thread; a profiler that is at work goes on.

        Raises KernelError outside of a virtual world, where everything escapes.
        """
        if not getattr(entered, "depth", 0):
            raise KernelError(
                "Escapes was to watch outside of a virtual world, where everything escapes; "
                "enter virtual_world() first"
            )
        self._learn()
        outer: Any = sys.getprofile()
        if outer is not None and not callable(outer):
            outer.disable()  # cProfile, before Python 3.12
        sys.setprofile(self._chained(outer) if callable(outer) else self._see)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._made.clear()
            if callable(outer):
                sys.setprofile(outer)
            elif outer is not None:
                outer.enable()

    def _chained(self, outer: Callable[..., Any]) -> Callable[[FrameType, str, Any], None]:
        def both(frame: FrameType, event: str, arg: Any) -> None:
            self._see(frame, event, arg)
            outer(frame, event, arg)

        return both

    def _learn(self) -> None:
        """Notes by what each original, and each call that escapes anyway, is recognised."""
        for call, original in originals().items():
            code = getattr(original, "__code__", None)
            if isinstance(code, CodeType):
                self._by_code[code] = call
            elif isinstance(original, BuiltinFunctionType):
                self._by_function[original] = call
        for row in NAMED_ESCAPES:
            module, _, name = row.call.rpartition(".")
            function = getattr(sys.modules.get(module), name, None)
            if isinstance(function, BuiltinFunctionType):
                self._by_function[function] = row.call

    def _of_a_generator(self, function: Any) -> str | None:
        """A draw from a generator that was not made while somebody watched."""
        owner = getattr(function, "__self__", None)
        old = isinstance(owner, random.Random) and id(owner) not in self._made
        return _GENERATOR if old and function.__name__ in ("random", "getrandbits") else None

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        """What the interpreter calls at every call and return."""
        if event == "c_call":
            call = self._by_function.get(arg) or _of_a_class(arg) or self._of_a_generator(arg)
            by: FrameType | None = frame
        elif event == "call" and frame.f_code is _MAKES_GENERATOR:
            made = frame.f_locals["self"]
            self._made[id(made)] = made
            return
        elif event == "call" and frame.f_code in self._by_code:
            call = self._by_code[frame.f_code]
            by = frame.f_back
            if call.startswith("random.") and not _on_the_hidden_one(frame):
                return
        else:
            return
        if call is None or by is None or is_ours(by):
            return
        if call in self._why and not is_foreign(by):
            return  # the standard library asks for purposes of its own
        if by.f_globals.get("__name__") == call.partition(".")[0]:
            return  # a module's function calls another one: it has been named itself
        loop = _get_running_loop()
        if type(loop) is VirtualLoop and loop.virtual:
            why = _OLD_GENERATOR if call == _GENERATOR else self._why.get(call, _KEPT)
            self._found[Escape(call=call, where=place(by), why=why)] = None


def _of_a_class(function: Any) -> str | None:
    """`datetime.now`, kept: a method of a C class, bound to the class or one below it."""
    cls = getattr(function, "__self__", None)
    if not isinstance(cls, type) or not issubclass(cls, datetime.date):
        return None
    name: str = function.__name__
    owner = "datetime" if name in ("now", "utcnow") else "date"
    return next(
        (
            call
            for kind in (owner, "datetime")
            if (call := f"datetime.{kind}.{name}") in originals()
        ),
        None,
    )


def _on_the_hidden_one(frame: FrameType) -> bool:
    """Whether a method of Random runs on the generator behind the module's functions."""
    return frame.f_locals.get("self") is _HIDDEN
