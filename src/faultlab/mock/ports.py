"""A port: any object with async methods, reached through the run's call gate.

What crosses the gate: a coroutine method once a call, an async generator once an item, an
async context manager at entering and at leaving, and every async method of what it hands out.
Outside of a run nothing is in the way: a port is then the object behind it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from inspect import isasyncgen
from typing import Any, Final, TypeVar, cast

from faultlab.errors import FaultlabError
from faultlab.kernel.process import OWNER
from faultlab.mock.door import Door, has_async_methods, shape
from faultlab.mock.plain import asked_of, known_of
from faultlab.naming import nearest

T = TypeVar("T")

_END: Final = object()


class PortError(FaultlabError):
    """Something was asked of a port that it can't carry through the gate."""


class _Port:
    """The object behind the gate. Wrapped methods are kept in the instance's own dict."""

    def __init__(self, target: Any, door: Door, *, handed_out: bool = False) -> None:
        own = self.__dict__
        own["_faultlab_target"] = target
        own["_faultlab_door"] = door
        own["_faultlab_handed_out"] = handed_out

    def __getattr__(self, op: str) -> Any:
        if op.startswith("__"):  # a question about the object, such as copy's or inspect's
            raise AttributeError(op)
        own = self.__dict__
        target, door = own["_faultlab_target"], own["_faultlab_door"]
        found = getattr(target, op, None) if OWNER.get(None) else getattr(target, op)
        if not callable(found):
            if OWNER.get(None) is None or (own["_faultlab_handed_out"] and hasattr(target, op)):
                return found
            raise PortError(_no_message(target, op, door))
        if shape(found)[0]:
            call = _coroutine_call(target, op, door)
        else:
            call = _other_call(target, op, door, handed_out=own["_faultlab_handed_out"])
        own[op] = call
        return call

    def __setattr__(self, name: str, value: object) -> None:
        target, door = self.__dict__["_faultlab_target"], self.__dict__["_faultlab_door"]
        if OWNER.get(None) is not None:
            raise PortError(
                f"{name} was set on the port {door}, and no message sets an attribute. "
                "Give the object an async method that does it, or set it on the object itself."
            )
        self.__dict__.pop(name, None)
        setattr(target, name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """For `isinstance`: the class of the object behind it."""
        return type(self.__dict__["_faultlab_target"])

    @property
    def port_mark(self) -> dict[str, Any]:
        """The mark of the object behind it, if it has one."""
        mark: dict[str, Any] = getattr(self._faultlab_target, "port_mark", {})
        return mark

    def __repr__(self) -> str:
        return f"<port {self._faultlab_door} of {self._faultlab_target!r}>"

    async def __aenter__(self) -> Any:
        target = self._faultlab_target
        if OWNER.get(None) is None:
            entered = await type(target).__aenter__(target)
        else:
            entered = await _Made(self._faultlab_door, "", target, {}).enter()
        return self if entered is target else entered

    async def __aexit__(self, *why: Any) -> Any:
        target = self._faultlab_target
        if OWNER.get(None) is None:
            return await type(target).__aexit__(target, *why)
        return await _Made(self._faultlab_door, "", target, {}).__aexit__(*why)

    def __aiter__(self) -> AsyncIterator[Any]:
        target = self._faultlab_target
        if OWNER.get(None) is None:
            return cast(AsyncIterator[Any], aiter(target))
        return _Made(self._faultlab_door, "next", target, {}).__aiter__()


def _no_message(target: Any, op: str, door: Door) -> str:
    """Why there is no call `op` to that port, and what to do."""
    kind = type(target).__name__
    if not hasattr(target, op):
        known = [name for name in dir(target) if not name.startswith("_")]
        return (
            f"{kind} has no method {op!r}, so the port {door} can't carry the call."
            f"{nearest(op, known)} Call a method that it has, or give it this one."
        )
    return (
        f"{kind}.{op} is no async method, so the port {door} can't carry the call. "
        "Declare it with `async def`, or call the object itself."
    )


def _coroutine_call(target: Any, op: str, door: Door) -> Callable[..., Awaitable[Any]]:
    """What stands in for a coroutine method. It is the hot path: one Python frame a call."""
    names = shape(getattr(target, op))[1]
    surface, route, mark = door.surface_of(op), door.route, door.mark

    def call(*args: Any, **kwargs: Any) -> Any:
        process = OWNER.get(None)
        if process is None:
            return getattr(target, op)(*args, **kwargs)
        return process.world.gate.call(
            surface,
            route,
            op,
            lambda: getattr(target, op)(*args, **kwargs),
            asked=asked_of(names, args, kwargs)
            if mark is None
            else door.asked(names, args, kwargs),
            known=known_of,
        )

    return call


def _other_call(target: Any, op: str, door: Door, *, handed_out: bool) -> Callable[..., Any]:
    """What stands in for any other method: only what it returns says what it is.

    Clients make coroutines, generators and context managers in plain functions, which do
    nothing yet; what else a plain function does has been done when it returns, past the gate.
    """
    names = shape(getattr(target, op))[1]

    def call(*args: Any, **kwargs: Any) -> Any:
        made = getattr(target, op)(*args, **kwargs)
        if OWNER.get(None) is None:
            return made
        kind = type(made)
        if isasyncgen(made):
            return aiter(_Made(door, op, made, door.asked(names, args, kwargs)))
        if any(hasattr(kind, name) for name in ("__await__", "__aiter__", "__aenter__")):
            return _Made(door, op, made, door.asked(names, args, kwargs))
        if handed_out:
            return made
        raise PortError(
            f"{type(target).__name__}.{op} is no async method: it ran past the gate of the port "
            f"{door} and returned {kind.__name__}. Declare it with `async def`, or call the "
            "object itself."
        )

    return call


class _Made:
    """What a plain method gave: to be awaited, iterated over or entered, through the gate."""

    __slots__ = ("_asked", "_door", "_made", "_mark", "_op")

    def __init__(self, door: Door, op: str, made: Any, asked: dict[str, Any]) -> None:
        self._door = door
        self._op = op
        self._made = made
        self._asked = asked
        self._mark: dict[str, Any] | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting = self._door.call(self._op, lambda: self._made, self._asked)
        return cast(Generator[Any, Any, Any], waiting.__await__())

    async def __aiter__(self) -> AsyncIterator[Any]:
        items = aiter(self._made)
        sent: Any = None
        try:
            while (got := await self._next(items, sent)) is not _END:
                sent = yield got
        finally:
            if hasattr(items, "aclose"):
                await items.aclose()

    async def _next(self, items: Any, sent: Any) -> Any:
        """One item; its end is an answer too, and no error."""

        async def body() -> Any:
            try:
                return await (anext(items) if sent is None else items.asend(sent))
            except StopAsyncIteration:
                return _END

        return await self._door.call(self._op, body, self._asked)

    async def __aenter__(self) -> Any:
        entered = await self.enter()
        kind: Any = type(entered)
        if has_async_methods(kind):
            self._mark = getattr(entered, "port_mark", None)
            return _Port(entered, self._door.marked(self._mark), handed_out=True)
        return entered

    async def enter(self) -> Any:
        """What the manager hands out, not yet behind a port."""
        made = self._made
        return await self._door.call(
            self._ops()[0], lambda: type(made).__aenter__(made), self._asked
        )

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        made = self._made

        def leave() -> Awaitable[Any]:
            return cast(Awaitable[Any], type(made).__aexit__(made, kind, error, traceback))

        op = self._ops()[1 if error is None else 2]
        if op is None:  # nothing is sent: it is the caller's own memory that is dropped
            return await leave()
        return await self._door.call(op, leave, self._mark or {})

    def _ops(self) -> tuple[str, str | None, str | None]:
        known: tuple[str, str | None, str | None] | None = getattr(self._made, "port_ops", None)
        dot = "." if self._op else ""
        exit_op = f"{self._op}{dot}exit"
        return known or (f"{self._op}{dot}enter", exit_op, exit_op)


def behind(maybe: T) -> T:
    """The object behind a port; anything else as it is.

    For stores that are handed each other's objects: a transaction that was entered through a
    port is itself behind one.
    """
    found: Any = maybe
    while type(found) is _Port:
        found = found.__dict__["_faultlab_target"]
    return cast(T, found)


def port(
    target: T, *, surface: str, route: str, surface_by_op: Mapping[str, str] | None = None
) -> T:
    """The same object behind the call gate: each async call can be delayed, lost or fatal.

    Outside of a run it is the object as it is: every attribute and method passes through, so a
    client that is wrapped where it is made behaves there as before.

    Inside of a run a coroutine method is one call. `async for` over a method's items is a call
    for each item, the end included. `async with` over a method is a call `op.enter` and a call
    `op.exit`, and the async methods of what is handed out are calls as well; a manager names
    its calls itself with an attribute `port_ops`, three names for entering, leaving, and leaving
    with an error, of which the last two can be None: then leaving crosses no gate. An object
    with an attribute `port_mark`, a dict of plain values, marks all calls on it and with it.

    Args:
        target: Any object with async methods. Inside of a run its plain attributes can't be
            reached, and a plain method has to give something to await, iterate over or enter.
        surface: The kind of port, for example `receiver`.
        route: Which one of that kind, for example `debits`.
        surface_by_op: The surfaces of operations that belong to another one.

    Returns:
        A stand-in for `target`, of the same type for a type checker and for `isinstance`. Plain
        arguments (text, numbers, booleans, None, dicts, lists, dataclasses as their fields)
        enter the history under their parameters' names; so does a result.
    """
    return cast(T, _Port(target, Door(surface, route, surface_by_op or {})))
