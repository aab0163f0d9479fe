"""The call gate: the one door between simulated processes and the ports they call.

    call event → request latency → before → body → after → reply latency → return event

A policy may delay, refuse, or crash at any of these points. What the caller sees and
what happened are told apart by the history alone: the body of a call that raised may
have run.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from faultlab.kernel.process import Process, never, owner

T = TypeVar("T")

PLAIN = (str, int, float, bool, type(None))


class Call(NamedTuple):
    """One port call, as policies see it.

    A named tuple where other values are dataclasses: one is made for every port call,
    and a frozen dataclass costs four times as much.
    """

    seq: int
    """The sequence number of its 'call' event."""
    process: Process
    task: str
    surface: str
    """The kind of port: 'queue', 'journal', 'receiver'."""
    route: str
    """Which one of that kind."""
    op: str
    """The operation: 'put', 'append', 'apply'."""


class Policy(Protocol):
    """What may befall calls. Every hook may raise: then the caller sees that error."""

    def latency_s(self, call: Call, leg: Literal["request", "reply"]) -> float:
        """The virtual time that one way takes."""
        ...

    async def before(self, call: Call) -> None:
        """Runs before the body: an error raised here is a call without an effect."""
        ...

    async def after(self, call: Call) -> None:
        """Runs after the body: an error raised here is a lost reply."""
        ...


class Gate:
    """Lets port calls through, records them, and stops those of the dead."""

    __slots__ = ("_policy", "_shut")

    def __init__(self, policy: Policy | None = None) -> None:
        """Takes what may befall calls; None: nothing does."""
        self._policy = policy
        self._shut = False

    def shut(self) -> None:
        """Lets nobody through any more: the run is over."""
        self._shut = True

    async def call(
        self,
        surface: str,
        route: str,
        op: str,
        body: Callable[[], Awaitable[T]],
        *,
        asked: dict[str, Any] | None = None,
        known: Callable[[T], Any] | None = None,
    ) -> T:
        """Performs `body` as the call of a port, and returns what it returns.

        `asked` enters the 'call' event: plain values, what the call asks for. `known`
        makes the plain value of the 'return' event out of the result; without it a
        result is recorded if it is a string, number, boolean or None. The 'happened'
        event says that the body ran to its end, whatever the caller came to know.

        A crashed process cannot pass: its await never returns.
        """
        process = owner()
        if self._shut or process.crashed:
            await never(process)
        task = asyncio.current_task()
        name = "" if task is None else task.get_name()
        record = process.world.history.record
        fields: dict[str, Any] = {"surface": surface, "route": route, "op": op}
        if asked:
            fields["asked"] = asked
        seq = record(process.name, name, "call", fields)
        try:
            if self._policy is None:
                result = await body()
                record(process.name, name, "happened", {"call": seq})
            else:
                call = Call(seq, process, name, surface, route, op)
                result = await self._suffer(self._policy, call, body)
        except BaseException as error:
            if process.crashed:
                await never(process)
            record(process.name, name, "raise", {"call": seq, "error": type(error).__name__})
            raise
        if process.crashed:
            await never(process)
        value = known(result) if known else result if isinstance(result, PLAIN) else None
        record(process.name, name, "return", {"call": seq, "known": value})
        return result

    async def _suffer(self, policy: Policy, call: Call, body: Callable[[], Awaitable[T]]) -> T:
        """The body between the policy's hooks; a crash in any of them is the end."""
        process = call.process
        await self._travel(process, policy.latency_s(call, "request"))
        await policy.before(call)
        if process.crashed:
            await never(process)
        result = await body()
        process.world.history.record(process.name, call.task, "happened", {"call": call.seq})
        await policy.after(call)
        if process.crashed:
            await never(process)
        await self._travel(process, policy.latency_s(call, "reply"))
        return result

    async def _travel(self, process: Process, latency_s: float) -> None:
        if latency_s > 0:
            await asyncio.sleep(latency_s)
        if process.crashed:
            await never(process)
