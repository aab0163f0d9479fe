"""Which operations an object has behind a port, as far as its type says."""

import inspect
from typing import Any


def operations_of(target: object) -> frozenset[str] | None:
    """The names of an object's calls through a port; None if its type doesn't say them all.

    It says them if it has no public methods but coroutine functions and async generator
    functions. Anything else may hand out an object with operations of its own.
    """
    kind: Any = type(target)
    if any(hasattr(kind, name) for name in ("__getattr__", "__aenter__", "__aiter__")):
        return None
    ops: set[str] = set()
    for name in dir(target):
        if name.startswith("_") or isinstance(inspect.getattr_static(target, name), property):
            continue
        found = getattr(target, name, None)
        if inspect.iscoroutinefunction(found) or inspect.isasyncgenfunction(found):
            ops.add(name)
        elif callable(found):
            return None
    return frozenset(ops)
