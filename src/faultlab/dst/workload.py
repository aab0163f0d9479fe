"""The workload of a simulation: which operations are called, with which arguments."""

import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from faultlab.dst.errors import SimulationError
from faultlab.kernel import Choices, Key
from faultlab.naming import nearest

OperationFunction: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]
"""`async def operation(ctx, ...)`."""

CALL, ARGUMENT = "call", "argument"

CANDIDATES_MAX = 10_000


class Operation:
    """An operation with the values that its arguments may take.

    Args:
        function: `async def operation(ctx, ...)`.
        candidates: By parameter: a sequence of values, the simplest first. A parameter that
            is a bool or a Literal needs none, nor does one with a default.

    Raises:
        SimulationError: It is no such function, a name is wrong, or values are missing.
    """

    def __init__(self, function: OperationFunction, /, **candidates: Sequence[Any]) -> None:
        if not inspect.iscoroutinefunction(function):
            raise SimulationError(
                f"{function!r} is no async function; define the operation with "
                "`async def operation(ctx, ...)`"
            )
        self.function = function
        self.name = function.__name__
        self.candidates = _candidates(function, candidates)


@dataclass(frozen=True, kw_only=True)
class Made:
    """One call of an operation, with its arguments."""

    number: int
    operation: Operation
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """`call 3: pay(order='a')`."""
        inside = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"call {self.number}: {self.operation.name}({inside})"


class Call:
    """One explicit call: `Call(pay, order="a")`.

    Args:
        function: The operation.
        arguments: Its arguments, by name.
    """

    def __init__(self, function: OperationFunction, /, **arguments: Any) -> None:
        self.operation = Operation(function, **{name: [value] for name, value in arguments.items()})


class Workload:
    """Draws the calls of a run.

    Args:
        operations: What may be called.
        calls: How many calls a run makes, or the calls themselves.
    """

    def __init__(self, operations: Sequence[Operation], calls: int | Sequence[Call]) -> None:
        self.operations = tuple(operations)
        self.explicit = None if isinstance(calls, int) else tuple(call.operation for call in calls)
        self.count = calls if isinstance(calls, int) else len(calls)
        if self.count < 1:
            raise SimulationError(f"there are {self.count} calls; give at least one")
        if self.explicit is None and not self.operations:
            raise SimulationError("there are no operations; give at least one async function")
        if self.explicit is None:
            names = [operation.name for operation in self.operations]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise SimulationError(
                    f"two operations are named {twice!r}; a report could not tell them apart"
                )

    def draw(self, choices: Choices) -> list[Made]:
        """The calls of one run, in order. Each is one pick: 0 leaves it out."""
        chance = choices.chance("workload") if choices.draws else None
        made: list[Made] = []
        for number in range(1, self.count + 1):
            kinds = self.operations if self.explicit is None else (self.explicit[number - 1],)
            value = 1 + chance.randrange(len(kinds)) if chance is not None else 0
            picked = choices.decide(CALL, 1 + len(kinds), value, call=str(number))
            if picked:
                operation = kinds[picked - 1]
                made.append(
                    Made(
                        number=number,
                        operation=operation,
                        arguments=_arguments(choices, operation, number),
                    )
                )
        return made

    def words(self, key: Key) -> bool:
        """Whether a pick is the workload's: it is told as a call, not as a decision."""
        return key[0] in (CALL, ARGUMENT)


def _arguments(choices: Choices, operation: Operation, number: int) -> dict[str, Any]:
    return {
        name: values[choices.pick(ARGUMENT, len(values), call=f"{number} {operation.name} {name}")]
        for name, values in operation.candidates.items()
    }


def _candidates(
    function: OperationFunction, given: Mapping[str, Sequence[Any]]
) -> dict[str, Sequence[Any]]:
    """The values of each parameter after ctx."""
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise SimulationError(
            f"{function.__qualname__} takes no arguments; its first one is the context: "
            f"async def {function.__name__}(ctx, ...)"
        )
    names = [parameter.name for parameter in parameters[1:]]
    for name in given:
        if name not in names:
            raise SimulationError(
                f"{function.__qualname__} has no parameter {name!r}.{nearest(name, names)}"
            )
    hints = get_type_hints(function)
    found: dict[str, Sequence[Any]] = {}
    for parameter in parameters[1:]:
        values = _values(parameter, given, hints.get(parameter.name))
        if values is None:
            raise SimulationError(
                f"{function.__qualname__}: there are no values for the parameter "
                f"{parameter.name!r}; give Operation({function.__name__}, "
                f"{parameter.name}=[...]), the simplest value first"
            )
        if not 1 <= len(values) <= CANDIDATES_MAX:
            raise SimulationError(
                f"{function.__qualname__}: {parameter.name} has {len(values)} values; "
                f"give 1 to {CANDIDATES_MAX}"
            )
        found[parameter.name] = values
    return {name: values for name, values in found.items() if name in names}


def _values(
    parameter: inspect.Parameter, given: Mapping[str, Sequence[Any]], hint: Any
) -> Sequence[Any] | None:
    if parameter.name in given:
        return given[parameter.name]
    if hint is bool:
        return (False, True)
    if get_origin(hint) is Literal:
        return get_args(hint)
    if parameter.default is not parameter.empty:
        return (parameter.default,)
    return None
