"""What a port knows of itself and of methods: surface, route, mark; parameters by name."""

import inspect
from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any

from faultlab.kernel.process import owner
from faultlab.mock.plain import asked_of, known_of


class Door:
    """One surface and route, and which of its operations belong to another surface."""

    __slots__ = ("_surface", "_surface_by_op", "mark", "route")

    def __init__(
        self,
        surface: str,
        route: str,
        surface_by_op: Mapping[str, str],
        mark: dict[str, Any] | None = None,
    ) -> None:
        self._surface = surface
        self._surface_by_op = surface_by_op
        self.route = route
        self.mark = mark
        """What every call through here is marked with in the history."""

    def marked(self, mark: dict[str, Any] | None) -> "Door":
        """The same, with the mark of what was handed out through it."""
        return Door(self._surface, self.route, self._surface_by_op, mark)

    def asked(
        self, names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """The plain arguments, and the mark."""
        asked = asked_of(names, args, kwargs)
        return asked | self.mark if self.mark else asked

    def surface_of(self, op: str) -> str:
        return self._surface_by_op.get(op, self._surface)

    def call(self, op: str, body: Callable[[], Awaitable[Any]], asked: dict[str, Any]) -> Any:
        """One call through the gate; the coroutine to await."""
        gate = owner().world.gate
        return gate.call(self.surface_of(op), self.route, op, body, asked=asked, known=known_of)

    def __str__(self) -> str:
        return f"{self._surface}/{self.route}"


def shape(method: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether a method is a coroutine function, and the names of its positional parameters."""
    function = getattr(method, "__func__", method)
    bound = function is not method
    try:
        return _cached(function, bound)
    except TypeError:  # a callable object that can't be a key of a cache
        return _cached.__wrapped__(function, bound)


@lru_cache(maxsize=4096)
def _cached(function: Any, bound: bool) -> tuple[bool, tuple[str, ...]]:
    try:
        parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    except (TypeError, ValueError):  # written in C, without a signature
        parameters = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(each.name for each in parameters if each.kind in positional)
    return inspect.iscoroutinefunction(function), names


@lru_cache(maxsize=1024)
def has_async_methods(kind: Hashable) -> bool:
    """Whether a type has coroutine methods beside its special ones."""
    return any(
        inspect.iscoroutinefunction(getattr(kind, name, None))
        for name in dir(kind)
        if not name.startswith("__")
    )
