"""A port: any object with async methods, reached through the run's call gate."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar, cast

from faultlab.errors import FaultlabError
from faultlab.kernel import current

T = TypeVar("T")

_PLAIN = (str, int, float, bool, type(None))


class PortError(FaultlabError):
    """Something was called on a port that is no async method of the object behind it."""


class _Port:
    def __init__(self, target: object, surface: str, route: str) -> None:
        self._target = target
        self._surface = surface
        self._route = route

    def __getattr__(self, op: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._target, op, None)
        if not inspect.iscoroutinefunction(method):
            raise PortError(
                f"{type(self._target).__name__}.{op} is no async method, so the port "
                f"{self._surface}/{self._route} can't carry the call. Declare it with `async def`, "
                "or call the object itself."
            )

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await current().gate.call(
                self._surface,
                self._route,
                op,
                lambda: method(*args, **kwargs),
                asked={name: value for name, value in kwargs.items() if isinstance(value, _PLAIN)},
                known=_plain,
            )

        return call


def _plain(result: object) -> Any:
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    return result if isinstance(result, _PLAIN) else None


def port(target: T, *, surface: str, route: str) -> T:
    """The same object behind the call gate: each async call can be delayed, lost or fatal.

    Args:
        target: Any object with async methods. Its other attributes are not reachable.
        surface: The kind of port, for example `receiver`.
        route: Which one of that kind, for example `debits`.

    Returns:
        A stand-in for `target`, of the same type for a type checker. Plain keyword arguments
        of a call enter the history; a dataclass that is returned enters it as its fields.
    """
    return cast(T, _Port(target, surface, route))
