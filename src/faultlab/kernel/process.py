"""Processes: named owners of tasks, callbacks and timers, with a crash that is a power cut.

Who owns what travels in the context of every task and callback, so children, timers,
future callbacks and async generators belong to the process that made them without
anybody keeping a list.

A crash discards what the process had waiting and puts it behind the fence: nothing of
it runs again while the run lasts, no `finally`, no `except BaseException`, no sibling,
no callback. Its frames are kept alive, for a dropped coroutine runs its `finally`; they
are closed when the history is sealed and judged, and then reach nothing.

One way around the fence is known: a callback that is added to a future with a context
made from nothing (`contextvars.Context()`) belongs to whoever resolves the future.
"""

from asyncio import Future
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from faultlab.kernel.errors import KernelError

if TYPE_CHECKING:
    from faultlab.kernel.chance import Chance
    from faultlab.kernel.handles import Entry, Task
    from faultlab.kernel.world import World

Program: TypeAlias = Callable[[], Coroutine[Any, Any, Any]]
"""A zero-argument async function."""

Ending: TypeAlias = Literal["returned", "raised", "cancelled", "crashed"]
"""How a process ended."""


class Process:
    """One incarnation of a named process. Made by `World.start`, never directly."""

    __slots__ = (
        "_waiters",
        "chance",
        "crashed",
        "incarnation",
        "name",
        "parked",
        "resumes_at",
        "root",
        "tasks_made",
        "world",
    )

    def __init__(self, world: "World", name: str, incarnation: int) -> None:
        """Takes its world, its name, and how many of that name it makes."""
        self.world = world
        self.name = name
        self.incarnation = incarnation
        self.root: Task | None = None
        """The task that runs the process's program."""
        self.crashed = False
        self.parked: list[Entry] = []
        """What waits while the process is paused."""
        self.resumes_at = 0.0
        self.tasks_made = 0
        self.chance: Chance | None = None
        """Its randomness: made when it is first asked for."""
        self._waiters: list[Future[None]] = []

    @property
    def running(self) -> bool:
        """Whether its program has neither ended nor crashed."""
        return not self.crashed and self.root is not None and not self.root.done()

    def crash(self) -> None:
        """Cuts the power: of this incarnation nothing runs again, and nothing is cleaned up.

        Called from within the process itself, the lines up to the next await still run,
        for no function can stop its caller; but they reach nothing, and that await never
        returns. Crashing twice is the same as crashing once.
        """
        if self.crashed or self.world.over:
            return
        if self is self.world.main:
            raise KernelError(
                "the program itself was crashed; start what is to crash as a process "
                "(current().start) and let the program watch it"
            )
        self.world.record("crash", {"process": self.name, "incarnation": self.incarnation})
        self.crashed = True
        self.world.loop.agenda.fence_off(self)
        self._wake_waiters()

    def pause(self, delay_s: float) -> None:
        """Stops the process for a while of virtual time: slow, not dead.

        Its timers go on and what they wake waits until the pause ends.
        """
        if not 0 < delay_s < inf:
            raise KernelError(f"a pause of {delay_s} s was asked for; give a positive, finite one")
        if self.crashed or self.world.over:
            return
        agenda = self.world.loop.agenda
        self.world.record("pause", {"process": self.name, "delay_s": delay_s})
        agenda.fence_off(self)
        self.resumes_at = max(self.resumes_at, agenda.now + delay_s)
        self.world.call_later(delay_s, agenda.resume, self)

    async def ended(self) -> Ending:
        """Waits until its program ends or the process crashes, and says which it was."""
        if self.running:
            waiter = self.world.loop.create_future()
            self._waiters.append(waiter)
            await waiter
        if self.crashed or self.root is None:
            return "crashed"
        if self.root.cancelled():
            return "cancelled"
        # Not .exception(): that would count as having looked at it.
        return "returned" if self.root._exception is None else "raised"

    def boot(self, root: "Task") -> None:
        """Takes the task that runs its program."""
        self.root = root
        root.add_done_callback(self._wake_waiters)

    def _wake_waiters(self, _: object = None) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()


OWNER: ContextVar[Process] = ContextVar("faultlab.kernel.owner")
"""The process that the running code belongs to."""


def owner() -> Process:
    """The process that the calling code belongs to; raises KernelError outside of a run."""
    found = OWNER.get(None)
    if found is None:
        raise KernelError(
            "this code belongs to no simulated process; call it from code that "
            "faultlab.kernel.run runs, with a context copied from there"
        )
    return found


async def never(process: Process) -> None:
    """Never returns: where the tasks of a crashed process, or of a finished run, stay."""
    while True:
        await process.world.loop.create_future()
