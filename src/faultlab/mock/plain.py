"""Values that cross a port: what of them enters the history, and copies that share nothing."""

from collections.abc import Hashable, Iterable
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final

_SCALAR: Final = (str, int, float, bool, type(None))
_EXACT: Final = frozenset(_SCALAR)
"""Asking a set for the exact type is the fast way; subclasses take the slow one."""


def asked_of(names: Iterable[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The plain arguments of a call by parameter; dicts, lists and dataclasses as copies."""
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
    """The slower kinds: subclasses, containers, dataclasses, and what has a mark of its own."""
    kind: Any = type(value)
    if hasattr(kind, "port_mark"):
        asked |= value.port_mark
    elif isinstance(value, (*_SCALAR, dict, list)) or _fields_of(kind) is not None:
        asked[name] = plain(value)


def known_of(result: Any) -> Any:
    """What the history keeps of a result; None for what has no plain form."""
    kind: Any = type(result)
    if kind in _EXACT:
        return result
    if isinstance(result, (*_SCALAR, dict, list, tuple)) or _fields_of(kind) is not None:
        return plain(result)
    return None


def plain(value: Any) -> Any:
    """JSON for a value, sharing nothing with it.

    A dataclass is its fields, a tuple a list. What has no JSON is its type's name in angle
    brackets: an address or a repr would differ from one interpreter to the next.
    """
    kind: Any = type(value)
    if kind in _EXACT:
        return value
    if kind is dict:  # by far the most frequent: bodies of documents and messages
        return {
            key if type(key) is str else str(plain(key)): (
                entry if type(entry) in _EXACT else plain(entry)
            )
            for key, entry in value.items()
        }
    if kind is list or kind is tuple:
        return [entry if type(entry) in _EXACT else plain(entry) for entry in value]
    names = _fields_of(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return plain(dict(value))
    return value if isinstance(value, _SCALAR) else f"<{kind.__name__}>"


@lru_cache(maxsize=1024)
def _fields_of(kind: Hashable) -> tuple[str, ...] | None:
    """The names of a dataclass's fields; None for every other type."""
    if not is_dataclass(kind):
        return None
    return tuple(field.name for field in fields(kind))


def copied(value: Any) -> Any:
    """The value, sharing nothing changeable with the one given: as if sent and stored."""
    kind = type(value)
    if kind in _EXACT:
        return value
    if kind is dict:
        return {
            key: entry if type(entry) in _EXACT else copied(entry) for key, entry in value.items()
        }
    if kind is list:
        return [entry if type(entry) in _EXACT else copied(entry) for entry in value]
    return deepcopy(value)
