"""Marked tests: what the marker takes, which arguments a test may have, and its program."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any, Final
from uuid import UUID

from faultlab.dst import SimulationConfig, SimulationError
from faultlab.dst.from_text import search_from
from faultlab.kernel import Program
from faultlab.naming import nearest

MARKER_ARGUMENTS: Final = ("seeds", "search", "steps_max")

_UNCHANGING: Final = (
    *(NoneType, bool, int, float, complex, str, bytes, range, Decimal, Fraction, PurePath),
    *(Enum, date, datetime, time, timedelta, tzinfo, UUID, type, BuiltinFunctionType),
)

_SET_UP: Final = ("setup_method", "teardown_method")


def config_of(
    arguments: Iterable[object], settings: Mapping[str, Any], defaults: Mapping[str, Any]
) -> SimulationConfig:
    """The config of a marked test.

    Args:
        arguments: Positional arguments of the marker; there must be none.
        settings: Its keyword arguments.
        defaults: What holds where the marker says nothing.

    Raises:
        SimulationError: The marker takes no such argument, or can't use its value.
    """
    if tuple(arguments):
        raise SimulationError(
            "the marker faultlab takes named arguments only; write for example "
            "@pytest.mark.faultlab(seeds=1000)"
        )
    for name in settings:
        if name not in MARKER_ARGUMENTS:
            raise SimulationError(
                f"the marker faultlab takes no {name!r}.{nearest(name, MARKER_ARGUMENTS)} "
                f"Known: {', '.join(MARKER_ARGUMENTS)}."
            )
    known = {**defaults, **settings}
    if isinstance(known.get("seeds"), int):
        known["seeds"] = range(known["seeds"])
    if isinstance(known.get("search"), str):
        known["search"] = search_from(known["search"])
    return SimulationConfig(**known)


def program_of(test: Callable[..., Any], arguments: Mapping[str, Any]) -> Program:
    """The program of a test function or method with its arguments.

    Each run gets a new object of the method's class and its own copy of every list, dict
    and set, so that nothing which one run changes is there in the next.

    Raises:
        SimulationError: An argument would survive a run, or the class sets something up.
    """
    function = getattr(test, "__func__", test)
    owner = getattr(test, "__self__", None)
    if owner is None and not arguments:
        return function
    if owner is not None and not isinstance(owner, type):
        _check_object(owner)
    for name, value in arguments.items():
        _check_argument(name, value)
    program = partial(_run_once, function, owner, dict(arguments))
    # Reports, tokens and the database name the test, and not how it is called.
    program.__module__ = function.__module__
    program.__qualname__ = function.__qualname__  # type: ignore[attr-defined]
    return program


async def _run_once(function: Callable[..., Any], owner: object, values: dict[str, Any]) -> None:
    first = () if owner is None else (owner if isinstance(owner, type) else type(owner)(),)
    await function(*first, **deepcopy(values))


def _check_object(owner: object) -> None:
    """Refuses an object that was set up before the first run, for each run makes its own."""
    kind = type(owner)
    hooks = [name for name in _SET_UP if hasattr(kind, name)]
    if hooks:
        raise SimulationError(
            f"{kind.__qualname__} has {hooks[0]}, which would run once although the test runs "
            "many times; set up what the test needs inside of the test"
        )
    if vars(owner):
        raise SimulationError(
            f"a fixture has set {', '.join(vars(owner))} on the object of {kind.__qualname__}, and "
            "each run has an object of its own; set up what the test needs inside of the test"
        )


def _check_argument(name: str, value: object) -> None:
    culprit = _survivor(value)
    if culprit is not None:
        within = "" if culprit is value else f" with {_named(culprit)} in it"
        raise SimulationError(
            f"the argument {name!r} is {_named(value)}{within}: one object for all runs, and what "
            "one run changes the next one sees. Make it inside of the test, or let the fixture "
            "return the class or a function of a module that makes it. Numbers, text, paths, enum "
            "members and frozen dataclasses may be arguments; lists, dicts and sets of those are "
            "copied for each run"
        )


def _named(value: object) -> str:
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"a {module}{kind.__qualname__}"


def _survivor(value: object, depth: int = 0) -> object | None:
    """The part of a value that would carry state from run to run; None if there is none."""
    if isinstance(value, _UNCHANGING):
        return None
    if isinstance(value, FunctionType) and not value.__closure__:
        return None
    parts: Iterable[object] | None = None
    if type(value) in (tuple, list, set, frozenset):
        parts = value  # type: ignore[assignment]
    elif type(value) is dict:
        parts = [*value.keys(), *value.values()]
    elif is_dataclass(value) and _is_frozen(type(value)):
        parts = [getattr(value, field.name) for field in fields(value)]
    if parts is None or depth > 20:
        return value
    found = (_survivor(part, depth + 1) for part in parts)
    return next((part for part in found if part is not None), None)


def _is_frozen(kind: type) -> bool:
    return bool(getattr(kind, "__dataclass_params__").frozen)  # noqa: B009  (typeshed omits it)


def is_simulation(test: object) -> bool:
    """Whether a test can be a simulation: an async function, no generator."""
    return inspect.iscoroutinefunction(test)
