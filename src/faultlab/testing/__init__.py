"""Simulations as tests: assertions for any test runner, and a plugin for pytest.

`assert_clean(program)` searches a program and fails with the report; a token of an earlier
failure is kept as a regression test with `assert_fixed(program, token)`. Neither needs pytest.

The plugin is loaded by pytest itself, from every session of an environment in which
faultlab is installed; so this room imports the simulator when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faultlab.testing.assertions import TokenWarning, assert_clean, assert_fixed

__all__ = ["TokenWarning", "assert_clean", "assert_fixed"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from faultlab.testing import assertions

    return getattr(assertions, name)
