"""Entering and leaving a run: what of the interpreter is changed, and put back.

A run may be nested in a running event loop (a notebook, a browser, a test under
asyncio). The outer loop and its current task step aside and come back.
"""

import asyncio
import sys
from asyncio import _get_running_loop, _set_running_loop
from collections.abc import AsyncGenerator
from contextvars import Context, copy_context
from typing import Any, TypeAlias
from weakref import ReferenceType, ref

from faultlab.kernel.compat import run_begins, run_ends
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.process import OWNER

Generator: TypeAlias = AsyncGenerator[Any, Any]

# 3.12 and later; since 3.14 two loops of one thread share one current task.
_swap_current_task = getattr(asyncio.tasks, "_swap_current_task", None)


class Stage:
    """A context manager: `loop` is the running one, and async generators are watched."""

    def __init__(self, loop: VirtualLoop) -> None:
        """Takes the loop of the run."""
        self._loop = loop
        self.generators = Generators(loop)

    def __enter__(self) -> None:
        """Changes the interpreter's state, and notes how it was."""
        self._outer = outer = _get_running_loop()
        self._outer_task = None
        if outer is not None and _swap_current_task is not None:
            self._outer_task = _swap_current_task(outer, None)
        self._hooks = sys.get_asyncgen_hooks()
        run_begins()
        _set_running_loop(self._loop)
        generators = self.generators
        sys.set_asyncgen_hooks(firstiter=generators.started, finalizer=generators.dropped)

    def __exit__(self, *_: object) -> None:
        """Puts everything back."""
        run_ends()
        sys.set_asyncgen_hooks(*self._hooks)
        outer = self._outer
        _set_running_loop(outer)
        if outer is not None and _swap_current_task is not None:
            _swap_current_task(outer, self._outer_task)


class Generators:
    """The async generators of a run: who started them, and what becomes of dropped ones."""

    def __init__(self, loop: VirtualLoop) -> None:
        """Takes the loop that closes dropped generators."""
        self._loop = loop
        # Weak references, and no callbacks: these would fire before `dropped` is told.
        self._started: dict[int, tuple[ReferenceType[Generator], Context]] = {}
        self._dropped: dict[int, tuple[Generator, Context]] = {}
        self._sweep_at = 64
        self.buried: list[Generator] = []
        """Dropped by a crashed process, or after the end: closed with the frames."""

    def started(self, generator: Generator) -> None:
        """Notes whose generator it is. Called by the interpreter at its first step."""
        started = self._started
        started.pop(id(generator), None)  # an id used again must not keep its old place
        started[id(generator)] = (ref(generator), copy_context())
        if len(started) > self._sweep_at:
            for key in [key for key, (alive, _) in started.items() if alive() is None]:
                del started[key]
            self._sweep_at = 64 + 2 * len(started)

    def dropped(self, generator: Generator) -> None:
        """Closes a generator that nobody refers to any more, as its own process would.

        Called by the interpreter. One whose process crashed must not run its `finally`
        now: it is kept with the other frames of the dead.
        """
        _, context = self._started.pop(id(generator), (None, None))
        if context is None or self._loop.is_closed() or context[OWNER].crashed:
            self.buried.append(generator)
        else:
            self._dropped[id(generator)] = (generator, context)
            self._loop.call_soon(self._close, id(generator), context=context)

    def _close(self, key: int) -> None:
        """Closes a dropped generator in a task of its own, as asyncio does."""
        generator, _ = self._dropped.pop(key, (None, None))
        if generator is not None:
            self._loop.create_task(generator.aclose())

    @property
    def any_open(self) -> bool:
        """Whether a generator may still be open."""
        return bool(self._dropped or self._started)

    def take_open(self) -> list[tuple[Generator, Context]]:
        """Hands over the generators that are still open, in the order of their start."""
        started = ((alive(), context) for alive, context in self._started.values())
        found = [*self._dropped.values()]
        found += [(generator, context) for generator, context in started if generator is not None]
        self._dropped.clear()
        self._started.clear()
        return found
