"""Putting stand-ins in the place of originals, everywhere, and putting originals back.

A function that a module holds under any name (`from time import time as now`) is
swapped in every module that has been imported. A method of a class is swapped in the
class itself, which every alias of the class shares; so is one of the classes written in
C, whose attributes cannot be set, but whose dictionary can. `datetime.datetime` thereby
stays the one class it is: a class of our own in its place would break `type(x) is
datetime`, pickling, and every name that was bound before.
"""

import gc
import importlib
import sys
from collections.abc import Iterable, Mapping
from types import ClassMethodDescriptorType, ModuleType
from typing import Any

from faultlab.kernel.errors import KernelError
from faultlab.kernel.stand_ins import Function, Outside, dressed

_CLASS_ALIASES = (("logging", "Formatter", "converter"),)
"""Where the standard library keeps an original in a class: (module, class, attribute)."""

_OURS = "faultlab.kernel."  # holds originals on purpose


class Swap:
    """The stand-ins of one table; made once, so that those that stay around stay the same."""

    def __init__(self, table: Iterable[Outside]) -> None:
        """Takes the table. Rows that this platform or Python does not have are left out."""
        self._table = [row for row in table if row.maker is not None]
        self.originals: dict[str, Any] = {}
        """By call: what was found there when this was made."""
        self._functions: list[tuple[Any, Any]] = []
        self._methods: list[tuple[type, str, Any, Any]] = []
        self._find_originals()

    def enter(self) -> None:
        """Puts every stand-in in its place, except where somebody has put something else.

        A test that has replaced `time.time` itself wants its own.
        """
        self._find_originals()
        for owner, name, original, stand_in in self._methods:
            _put(owner, name, original, stand_in)
        _replace({id(original): stand_in for original, stand_in in self._functions})

    def leave(self) -> None:
        """Puts every original back, in modules imported meanwhile too."""
        for owner, name, original, stand_in in self._methods:
            _put(owner, name, stand_in, original)
        _replace({id(stand_in): original for original, stand_in in self._functions})

    def _find_originals(self) -> None:
        """Finds those that were not there before: some modules load late."""
        for row in self._table:
            if row.call not in self.originals:
                self._make(row)

    def _make(self, row: Outside) -> None:
        found = _find(row)
        if found is None or row.maker is None:
            return
        owner, name, original = found
        self.originals[row.call] = original
        if not isinstance(owner, type):
            self._functions.append((original, dressed(row.maker(original), row.call, original)))
        elif isinstance(original, ClassMethodDescriptorType | classmethod):
            of_class = _unbound(original)
            for_class = classmethod(dressed(row.maker(of_class), row.call, of_class))
            self._methods.append((owner, name, original, for_class))
        else:
            stand_in = dressed(row.maker(original), row.call, original)
            self._methods.append((owner, name, original, stand_in))


def _find(row: Outside) -> tuple[Any, str, Any] | None:
    """(owner, name, original) of a row's call; None where it does not exist."""
    if row.needs and row.needs not in sys.modules:
        return None
    home, _, name = row.call.rpartition(".")
    first, *parts = (home or "builtins").split(".")
    try:
        owner: Any = importlib.import_module(first)
        for part in parts:
            owner = getattr(owner, part)
        if isinstance(owner, type):  # the class that has it, which may be one below
            owner = next(cls for cls in owner.__mro__ if name in vars(cls))
        original = vars(owner)[name]
        if isinstance(original, type):  # what is refused is to make one
            owner, name = original, "__init__"
        return owner, name, vars(owner)[name]
    except (ImportError, AttributeError, KeyError, StopIteration):
        return None


def _unbound(original: Any) -> Function:
    """A class method as a function that takes the class first."""

    def function(cls: type, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(None, cls)(*args, **kwargs)

    function.__doc__ = original.__doc__
    return function


def _put(owner: type, name: str, old: Any, new: Any) -> None:
    """Puts one attribute of a class in the place of another."""
    if vars(owner)[name] is not old:
        return
    try:
        setattr(owner, name, new)
    except TypeError:  # a class written in C
        (attributes,) = gc.get_referents(owner.__dict__)
        attributes[name] = new
        # Attributes that were looked up before are remembered until the class is said to
        # have changed. This is the one way to say it that asks for no `ctypes`.
        abstract = type.__dict__["__abstractmethods__"]
        abstract.__set__(owner, frozenset())
        abstract.__delete__(owner)
    if vars(owner)[name] is not new:
        raise KernelError(
            f"{owner.__qualname__}.{name} cannot be replaced on this Python; run on CPython"
        )


def _replace(by_id: Mapping[int, Any]) -> None:
    """Puts new objects in the place of old ones in every module, whatever their names."""
    wanted = by_id.keys()
    for module_name, module in list(sys.modules.items()):
        # No getattr and no isinstance: a module that loads lazily must not load now.
        if not issubclass(type(module), ModuleType) or module_name.startswith(_OURS):
            continue
        names: dict[str, Any] = object.__getattribute__(module, "__dict__")
        if not wanted.isdisjoint(map(id, list(names.values()))):
            for name, value in list(names.items()):
                if id(value) in wanted:
                    names[name] = by_id[id(value)]
    for module_name, class_name, name in _CLASS_ALIASES:
        owner = getattr(sys.modules.get(module_name), class_name, None)
        if owner is not None and id(vars(owner)[name]) in wanted:
            setattr(owner, name, by_id[id(vars(owner)[name])])
