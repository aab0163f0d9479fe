"""Stand-ins: functions that act virtually inside of a run, and are the original elsewhere.

Inside means: the running event loop of this very thread is a `VirtualLoop` that was made
in a virtual world. A stand-in that somebody keeps after the world has ended is
therefore harmless: it is the original again.
"""

import os
import sys
from asyncio import _get_running_loop
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from types import FrameType, FunctionType, MethodDescriptorType, MethodType
from typing import Any, Literal, TypeAlias

from faultlab.kernel.loop import VirtualLoop

Kind: TypeAlias = Literal["virtual", "seeded", "refused", "escapes"]

Function: TypeAlias = Callable[..., Any]

Maker: TypeAlias = Callable[[Function], Function]
"""Makes the stand-in out of the original; its first argument is not the caller's."""

_STANDARD = os.path.dirname(os.__file__) + os.sep
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_GENERATED = ("<frozen ", "<attrs generated ")
_NOT_STANDARD = ("site-packages", "dist-packages")  # may lie below the standard library
_NOT_OURS = _OURS + "_snippets" + os.sep  # programs of readers


@dataclass(frozen=True, kw_only=True)
class Outside:
    """One way for a program to reach outside, and what becomes of it inside of a run."""

    call: str
    """The name, in full: `time.time`. For what escapes without a name, a description."""
    kind: Kind
    what: str
    """What happens instead (virtual, seeded), or what to do instead (refused, escapes)."""
    maker: Maker | None = field(default=None, repr=False, compare=False)
    """Makes the stand-in. None: the call ends in another row's call, or escapes."""
    needs: str = field(default="", repr=False)
    """A module that is only looked at where the program has loaded it."""


def rows(kind: Kind, what: str, maker: Maker | None, calls: str) -> tuple[Outside, ...]:
    """One row for each of the names in `calls`, which share what becomes of them."""
    return tuple(Outside(call=call, kind=kind, what=what, maker=maker) for call in calls.split())


def instead(inside: Function) -> Maker:
    """Inside of a run `inside(loop, original, *arguments)` is called instead."""

    def maker(original: Function) -> Function:
        def stand_in(_: object, /, *args: Any, **kwargs: Any) -> Any:
            loop = _get_running_loop()
            if type(loop) is VirtualLoop and loop.virtual:
                return inside(loop, original, *args, **kwargs)
            return original(*args, **kwargs)

        return stand_in

    return maker


class Home:
    """The module that a stand-in is pickled as a function of."""

    __slots__ = ("module",)

    def __init__(self, module: str) -> None:
        """Takes the module's name."""
        self.module = module

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.module,)

    def __deepcopy__(self, _: object) -> "Home":
        return self


def dressed(stand_in: Function, call: str, original: Any) -> Function:
    """The stand-in as something that behaves in classes and pickles as the original does.

    Functions of C do not become methods where a class keeps them, and neither do bound
    methods, so that is what stands in for them.
    """
    home, _, name = call.rpartition(".")
    stand_in.__name__ = name
    stand_in.__doc__ = original.__doc__
    if not isinstance(original, FunctionType | MethodDescriptorType):
        return MethodType(stand_in, Home(home or "builtins"))

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        return stand_in(None, *args, **kwargs)

    return function


def is_foreign(frame: FrameType) -> bool:
    """Whether the code is the program's: neither the standard library's nor faultlab's."""
    file = frame.f_code.co_filename
    if file.startswith(_GENERATED) or is_ours(frame):
        return False
    if file == "<string>" and frame.f_code.co_qualname.startswith("__create_fn__"):
        return False  # the __init__ of a dataclass
    return not file.startswith(_STANDARD) or any(part in file for part in _NOT_STANDARD)


def is_ours(frame: FrameType) -> bool:
    """Whether the code is faultlab's: a stand-in may call the original."""
    file = frame.f_code.co_filename
    return file.startswith(_OURS) and not file.startswith(_NOT_OURS)


def place(frame: FrameType | None) -> str:
    """`app.py:12 in fetch`: the innermost line of the program's own, from this frame on."""
    while frame is not None:
        if is_foreign(frame):
            code = frame.f_code
            return f"{os.path.basename(code.co_filename)}:{frame.f_lineno} in {code.co_qualname}"
        frame = frame.f_back
    return "an unknown place"


def caller() -> FrameType:
    """The frame that called the stand-in, asked from the function that acts inside."""
    return sys._getframe(3)
