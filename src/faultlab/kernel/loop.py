"""The virtual event loop: asyncio's contract on a virtual clock, one chosen step at a time."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from math import inf
from typing import Any, Literal, TypeAlias

from faultlab.kernel.agenda import Agenda
from faultlab.kernel.errors import KernelError
from faultlab.kernel.forbidden import NoRealWorld
from faultlab.kernel.handles import FIRST_STEP, LATER_STEP, Entry, Handle, Task
from faultlab.kernel.process import OWNER, Process
from faultlab.kernel.strategy import Chooser, Watch, watched

Stop: TypeAlias = Literal["done", "idle", "spent"]
"""Why the loop stopped: the awaited task is done, nothing can run, the budget is spent."""


class VirtualLoop(NoRealWorld):
    """An event loop that runs ordinary asyncio code deterministically.

    Made and driven by `faultlab.kernel.run`. What it does not override from
    `NoRealWorld` raises RealWorldCall.
    """

    def __init__(self) -> None:
        """Starts at time 0.0 with nothing to do."""
        super().__init__()
        self.agenda = Agenda()
        self.steps = 0
        """Steps run so far."""
        self.tasks: list[tuple[Process, Task]] = []
        """Every task of the run with its process, in order, kept alive until the end."""
        self.complaints: list[dict[str, Any]] = []
        """What was said to the exception handler."""
        self.watch: Watch | None = None
        """Told of every step before it runs."""
        self.create_future = partial(asyncio.Future, loop=self)  # type: ignore[method-assign]
        self.main: Process
        """Whose the code is that belongs to nobody; set by the world of the run."""
        self.clock_reads = 0
        """How often a clock was read, so that a wait for it without an await is noticed."""
        self.clock_read_at = -1.0
        self._ready = self.agenda.ready
        self._fence = self.agenda.fence
        self._closed = False
        self._thread = threading.get_ident()
        self._task_factory: Callable[..., Any] | None = None
        self._exception_handler: Callable[..., Any] | None = None

    # asyncio asks every future's loop; `bool` answers False without a Python frame.
    get_debug = bool

    # -- the heart -------------------------------------------------------------------

    def drive(  # noqa: C901  (one function: a call a step would cost a tenth of it)
        self, done: Callable[[], bool], choose: Chooser | None, budget: int, *, always: bool = False
    ) -> Stop:
        """Runs one ready step after another until `done`, at most `budget` of them.

        `choose` is asked which of several ready steps to run (None: the oldest), and if
        `always`, also where there is only one. The hot path: one tuple a step, and no
        argument unpacked needlessly, for that costs more than everything else here.
        """
        agenda = self.agenda
        if self.watch is not None:
            choose, always = watched(agenda, choose, self.watch, always=always), True
        ready, pop = agenda.ready, agenda.ready.pop
        alone = 0 if always else 1
        steps = 0
        try:
            while steps < budget:
                waiting = len(ready)
                if not waiting:
                    if not agenda.next_instant():
                        return "idle"
                    continue
                if waiting <= alone:
                    callback, args, context = pop()
                elif choose is None:
                    callback, args, context = pop(0)
                else:
                    index = choose(waiting)
                    if index:
                        if index < 0:  # everything ready was paused: time has to move
                            continue
                        index = agenda.in_order(index)
                    callback, args, context = pop(index)
                steps += 1
                try:
                    if not args:
                        context.run(callback)
                    elif len(args) == 1:
                        context.run(callback, args[0])
                    else:
                        context.run(callback, *args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self._callback_raised(callback, error)
                if done():
                    return "done"
            return "spent"
        finally:
            self.steps += steps

    # -- scheduling ------------------------------------------------------------------

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        """Lets the callback run as a step of its own, within this instant."""
        kind = type(callback)
        if kind is FIRST_STEP or (kind is LATER_STEP and callback.__name__ == "task_wakeup"):
            # A task schedules its own step, with its context, and looks at no handle.
            entry: Entry = (callback, args, context)  # type: ignore[assignment]
            if not (self._fence and self.agenda.fenced_off(entry)):
                self._ready.append(entry)
            return None
        if context is None:
            context = copy_context()
        else:
            _adopt(context)
        entry = (callback, args, context)
        if not (self._fence and self.agenda.fenced_off(entry)):
            self._ready.append(entry)
        return Handle(self.agenda, entry)

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        """Lets the callback run after so many seconds of virtual time."""
        agenda = self.agenda
        when = agenda.now + delay
        if agenda.now < when < inf and context is None and not self._fence:
            # Every sleep comes this way: what `_timer` does, with one call less.
            handle = Handle(agenda, (callback, args, copy_context()), when)
            agenda.add_timer(when, handle)
            return handle
        return self._timer(when, callback, args, context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        """Lets the callback run at that virtual time; at once if it is not in the future."""
        return self._timer(when, callback, args, context)

    def _timer(
        self, when: float, callback: Any, args: tuple[Any, ...], context: Context | None
    ) -> Any:
        agenda = self.agenda
        if not agenda.now < when < inf:
            return self._no_timer(when, callback, args, context)
        if context is None:
            context = copy_context()
        else:
            _adopt(context)
        entry: Entry = (callback, args, context)
        handle = Handle(agenda, entry, when)
        if self._fence and agenda.is_dead(entry):
            agenda.discarded.append(entry)
        else:
            agenda.add_timer(when, handle)
        return handle

    def _no_timer(
        self, when: float, callback: Any, args: tuple[Any, ...], context: Context | None
    ) -> Any:
        if when <= self.agenda.now:
            return self.call_soon(callback, *args, context=context)
        raise KernelError(f"a timer for the time {when} was asked for; give a finite time")

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        """The same as `call_soon` from the run's own thread; refused from any other."""
        if threading.get_ident() != self._thread:
            raise self.refuse(
                "loop.call_soon_threadsafe() from another thread",
                "a simulated run has one thread; schedule from inside the program",
            )
        return self.call_soon(callback, *args, context=context)

    def time(self) -> float:
        """Seconds of virtual time since the run began."""
        return self.agenda.now

    # -- futures and tasks -----------------------------------------------------------

    def create_task(
        self, coro: Any, *, name: object = None, context: Context | None = None, **options: Any
    ) -> Any:
        """A task, named after its number in its process unless it is given a name."""
        if self._closed:
            coro.close()
            raise RuntimeError("Event loop is closed")
        if context is None:
            context = copy_context()
            owner = OWNER.get()
        else:
            _adopt(context)
            owner = context[OWNER]
        owner.tasks_made += 1
        name = f"Task-{owner.tasks_made}" if name is None else str(name)
        factory = self._task_factory
        if factory is not None and factory is not getattr(asyncio, "eager_task_factory", None):
            made = factory(self, coro, context=context)
            made.set_name(name)
        else:
            if factory is not None:
                options.setdefault("eager_start", True)
            number = len(self.tasks)
            made = Task(coro, number=number, loop=self, name=name, context=context, **options)
        self.tasks.append((owner, made))
        return made

    def set_task_factory(self, factory: Any) -> None:
        """Makes tasks with `factory`; asyncio.eager_task_factory is understood."""
        self._task_factory = factory

    def get_task_factory(self) -> Any:
        """The factory that was set, or None."""
        return self._task_factory

    # -- what went wrong -------------------------------------------------------------

    def _callback_raised(self, callback: object, error: BaseException) -> None:
        name = getattr(callback, "__qualname__", type(callback).__name__)
        self.call_exception_handler({"message": f"the callback {name} raised", "exception": error})

    def call_exception_handler(self, context: Any) -> None:
        """Gives the context to the program's handler, or keeps it as a violation."""
        if self._closed:
            return
        if self._exception_handler is not None:
            self._exception_handler(self, context)
        else:
            self.default_exception_handler(context)

    def default_exception_handler(self, context: Any) -> None:
        """Keeps the context: the run reports it as a violation."""
        self.complaints.append(context)

    def set_exception_handler(self, handler: Any) -> None:
        """Lets the program handle what would be a violation otherwise."""
        self._exception_handler = handler

    def get_exception_handler(self) -> Any:
        """The handler that was set, or None."""
        return self._exception_handler

    # -- life ------------------------------------------------------------------------

    def set_debug(self, enabled: bool) -> None:
        """Does nothing: debug mode measures wall time, of which there is none."""

    def is_running(self) -> bool:
        """True until the run is over."""
        return not self._closed

    def is_closed(self) -> bool:
        """True once the run is over."""
        return self._closed

    def close(self) -> None:
        """Refused to programs: the run ends the loop itself."""
        raise self.refuse("loop.close()", "return from the program instead")

    def end(self, guard: Process) -> None:
        """Ends scheduling for good: whatever is scheduled from now on is put away."""
        if self._closed:
            return
        self._closed = True
        self.agenda.close(guard)

    async def shutdown_asyncgens(self) -> None:
        """Does nothing: the run closes async generators itself, when it ends."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Does nothing: there is no executor."""


def _adopt(context: Context) -> None:
    """Makes a context that came from elsewhere belong to the process that uses it."""
    if OWNER not in context:
        owner = OWNER.get(None)
        if owner is not None:
            context.run(OWNER.set, owner)
