"""The world of one run: its loop, choices, history, gate and processes."""

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import cached_property
from typing import Any

from faultlab.kernel.choices import ALTERNATIVES_MAX, Choices
from faultlab.kernel.errors import KernelError
from faultlab.kernel.gate import Gate, Policy
from faultlab.kernel.history import History
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.process import OWNER, Process, Program, owner

MAIN = ""
"""The name of the process that runs the program itself."""


class World:
    """What code inside of a run can reach through `current()`."""

    def __init__(self, choices: Choices, policy: Policy | None = None) -> None:
        """Takes the choices, and what may befall port calls."""
        self.choices = choices
        self.loop = VirtualLoop()  # type: ignore[abstract]
        self.history = History(self.loop.time)
        self.gate = Gate(policy)
        self.processes: dict[str, Process] = {}
        """The latest incarnation of every process."""
        self.over = False
        self.context = copy_context()
        self.main = self.loop.main = Process(self, MAIN, 1)
        self.context.run(OWNER.set, self.main)

    @cached_property
    def chance_seed(self) -> int:
        """The seed of the program's own randomness: one pick, made when first asked for.

        So a program without randomness has no such pick, and one without a seed has
        randomness all the same, always the same.
        """
        return self.choices.pick("random", ALTERNATIVES_MAX)

    def boot(self, program: Program) -> "asyncio.Task[Any]":
        """Starts the program itself, as the process with the empty name."""
        return self._boot(self.main, program, "main")

    def start(self, name: str, program: Program) -> Process:
        """Starts a process that runs `program`: the first of its name, or the next one.

        It shares no context variables with the code that starts it. Raises KernelError
        while an earlier incarnation still runs.
        """
        earlier = self.processes.get(name)
        if not name:
            raise KernelError("a process without a name was started; the program has that one")
        if earlier is not None and earlier.running:
            raise KernelError(f"process {name!r} is still running; crash it or wait for its end")
        process = Process(self, name, earlier.incarnation + 1 if earlier else 1)
        self.processes[name] = process
        self.record("start", {"process": name, "incarnation": process.incarnation})
        self._boot(process, program, name)
        return process

    def _boot(self, process: Process, program: Program, task: str) -> "asyncio.Task[Any]":
        context = self.context.copy()
        context.run(OWNER.set, process)
        coro = program()
        if not asyncio.iscoroutine(coro):
            raise KernelError(
                f"the program {program!r} returned {coro!r}; give a function defined with async def"
            )
        root = self.loop.create_task(coro, name=task, context=context)
        process.boot(root)
        return root  # type: ignore[no-any-return]

    def record(self, kind: str, fields: dict[str, Any]) -> int:
        """Records an event of the calling process; a crashed one can add nothing.

        Returns its sequence number, or -1 if nothing was recorded.
        """
        process = OWNER.get(self.main)
        if process.crashed:
            return -1
        try:
            task = asyncio.current_task()
        except RuntimeError:  # called from outside of the run
            task = None
        name = "" if task is None else task.get_name()
        return self.history.record(process.name, name, kind, fields)

    def call_later(self, delay_s: float, callback: Callable[..., object], *args: Any) -> None:
        """Schedules something of the world's own: it belongs to no process that can crash."""
        context: Context = self.context.copy()
        self.loop.call_later(delay_s, callback, *args, context=context)

    def end(self) -> None:
        """Ends the run: no step, no call and no event after this."""
        self.over = True
        self.gate.shut()
        self.history.seal()
        self.loop.end(self.main)


def current() -> World:
    """The world of the calling code; raises KernelError outside of a run."""
    return owner().world


def record(kind: str, /, **fields: Any) -> int:
    """Records an event in the history of the run, with plain values as fields."""
    return current().record(kind, fields)
