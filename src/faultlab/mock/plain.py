"""Values that cross a port: what of them enters the history, and copies that share nothing."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

_SCALAR: Final = (str, int, float, bool, type(None))
_EXACT: Final = frozenset(_SCALAR)
"""Asking a set for the exact type is the fast way; subclasses take the slow one."""


def asked_of(names: Iterable[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The plain arguments of a call by parameter: scalars, and dicts and lists as copies."""
    asked: dict[str, Any] = {}
    for name, value in zip(names, args, strict=False):
        if type(value) in _EXACT:
            asked[name] = value
        else:
            _ask(asked, name, value)
    for name, value in kwargs.items():
        if type(value) in _EXACT:
            asked[name] = value
        else:
            _ask(asked, name, value)
    return asked


def _ask(asked: dict[str, Any], name: str, value: Any) -> None:
    """The slower kinds: subclasses, containers, and what has a mark of its own."""
    if isinstance(value, (*_SCALAR, dict, list)):
        asked[name] = plain(value)
    elif hasattr(type(value), "port_mark"):
        asked |= value.port_mark


def known_of(result: Any) -> Any:
    """What the history keeps of a result; None for what has no plain form."""
    if type(result) in _EXACT or isinstance(result, _SCALAR):
        return result
    if isinstance(result, (dict, list, tuple)) or _is_value(result):
        return plain(result)
    return None


def plain(value: Any) -> Any:
    """JSON for a value, sharing nothing with it.

    A dataclass is its fields, a tuple a list. What has no JSON is its type's name in angle
    brackets: an address or a repr would differ from one interpreter to the next.
    """
    if type(value) in _EXACT or isinstance(value, _SCALAR):
        return value
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else str(plain(key)): plain(entry)
            for key, entry in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if _is_value(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return f"<{type(value).__name__}>"


def _is_value(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, type)


def copied(value: T) -> T:
    """The value, sharing nothing changeable with the one given: as if sent and stored."""
    kind = type(value)
    if kind in _EXACT:
        return value
    if kind is dict:
        return {key: copied(entry) for key, entry in value.items()}  # type: ignore[attr-defined, return-value]
    if kind is list:
        return [copied(entry) for entry in value]  # type: ignore[attr-defined, return-value]
    return deepcopy(value)
