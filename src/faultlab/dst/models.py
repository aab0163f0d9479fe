"""Sequential models: what each call would answer if calls came one at a time.

A model has a `start` and a `step(state, call)`, which returns what the call answers in that state
and the state after it. `ANY` as the answer says that whatever the caller learnt will do. States
are plain values and never changed: a step returns a new one. It sees what a call asked for and
not who called: if that matters (the owner of a lock), let it be an argument.

A model of your own is `Spec`:

    def step(level, call):
        if call.op == "fill":
            return ANY, level + call.asked["litres"]
        return level, level

    linearizable(Spec(start=0, step=step), calls(surface="tank"))
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, Protocol, TypeAlias

from faultlab.dst.judging import InvariantError
from faultlab.dst.operations import Operation
from faultlab.dst.selecting import frozen
from faultlab.naming import nearest


class _Any(Enum):
    ANY = "any answer"


ANY: Final[Literal[_Any.ANY]] = _Any.ANY
"""An answer that a model leaves open."""

Step: TypeAlias = tuple[Any, Any]
"""What a call answers, and the state after it."""


class Model(Protocol):
    """What calls do one at a time."""

    @property
    def start(self) -> Any:
        """The state before the first call."""
        ...

    @property
    def step(self) -> Callable[[Any, Operation], Step]:
        """What a call answers in a state, and the state after it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A model made of a function of your own."""

    start: Any
    step: Callable[[Any, Operation], Step]


@dataclass(frozen=True, kw_only=True)
class Register:
    """One value that is written and read; a compare-and-set op too if the port has one.

    Attributes:
        start: What a read answers before the first write.
        read: The op that answers the value.
        write: The op that sets it.
        swap: The op that sets it if it is `expected`, and answers whether it did.
        value: The argument with the new value.
        expected: The argument with the expected value.
    """

    start: Any = None
    read: str = "read"
    write: str = "write"
    swap: str = "compare_and_set"
    value: str = "value"
    expected: str = "expected"

    def step(self, state: Any, call: Operation) -> Step:
        """One call: a read answers the state, a write replaces it."""
        if call.op == self.read:
            return state, state
        if call.op == self.write:
            return ANY, argument(call, self.value)
        if call.op == self.swap:
            swaps = frozen(argument(call, self.expected)) == frozen(state)
            return swaps, argument(call, self.value) if swaps else state
        raise unknown_op(self, call, (self.read, self.write, self.swap))


@dataclass(frozen=True, kw_only=True)
class Counter:
    """A number that is added to and read.

    Attributes:
        start: What it is at first.
        add: The op that adds. If it answers something, that must be the new number.
        read: The op that answers the number.
        amount: The argument with what is added; without one, 1 is.
    """

    start: int = 0
    add: str = "add"
    read: str = "read"
    amount: str = "amount"

    def step(self, state: int, call: Operation) -> Step:
        """One call: a read answers the number, an add changes it."""
        if call.op == self.read:
            return state, state
        if call.op == self.add:
            total = state + call.asked.get(self.amount, 1)
            return ANY if call.known is None else total, total
        raise unknown_op(self, call, (self.add, self.read))


@dataclass(frozen=True, kw_only=True)
class Queue:
    """First in, first out. Taking from an empty queue answers None.

    Attributes:
        start: What is in it at first, the oldest first.
        put: The op that appends.
        take: The op that removes the oldest item and answers it.
        item: The argument with what is put.
    """

    start: tuple[Any, ...] = ()
    put: str = "put"
    take: str = "take"
    item: str = "item"

    def step(self, state: tuple[Any, ...], call: Operation) -> Step:
        """One call: a put appends, a take removes the oldest."""
        if call.op == self.put:
            return ANY, (*state, argument(call, self.item))
        if call.op == self.take:
            return (state[0], state[1:]) if state else (None, state)
        raise unknown_op(self, call, (self.put, self.take))


@dataclass(frozen=True, kw_only=True)
class Map:
    """Values under keys. If no op touches two keys, check a `Register` with `by=("key",)`: faster.

    Attributes:
        start: The entries at first, as pairs of key and value.
        get: The op that answers the value under a key, None if there is none.
        put: The op that sets it.
        delete: The op that removes it.
        key: The argument with the key.
        value: The argument with the value.
    """

    start: tuple[tuple[Any, Any], ...] = ()
    get: str = "get"
    put: str = "put"
    delete: str = "delete"
    key: str = "key"
    value: str = "value"

    def step(self, state: tuple[tuple[Any, Any], ...], call: Operation) -> Step:
        """One call: entries are kept in the order of their keys' text, so that equal is equal."""
        entries = dict(state)
        key = frozen(argument(call, self.key))
        if call.op == self.get:
            return entries.get(key), state
        if call.op == self.put:
            entries[key] = argument(call, self.value)
        elif call.op == self.delete:
            entries.pop(key, None)
        else:
            raise unknown_op(self, call, (self.get, self.put, self.delete))
        return ANY, tuple(sorted(entries.items(), key=lambda entry: repr(entry[0])))


def argument(call: Operation, name: str) -> Any:
    """An argument of a call; raises InvariantError if it was not recorded."""
    if name in call.asked:
        return call.asked[name]
    raise InvariantError(
        f"call #{call.began_seq} ({call.op}) has no argument {name!r}.{nearest(name, call.asked)} "
        f"It has: {', '.join(call.asked) or 'none'}. Say which one it is."
    )


def unknown_op(model: object, call: Operation, ops: tuple[str, ...]) -> InvariantError:
    """The error for a call that a model does not know."""
    return InvariantError(
        f"{type(model).__name__} knows the ops {', '.join(ops)}, and call #{call.began_seq} is "
        f"{call.op!r}.{nearest(call.op, ops)} Say which op is which, or select only those calls."
    )
