"""The call gate: the one door between simulated processes and the ports they call.

    call event → request latency → before → body → after → reply latency → return event

A policy may delay, refuse, or crash at any of these points. What the caller sees and
what happened are told apart by the history alone: the body of a call that raised may
have run.
"""

from asyncio import current_task, sleep
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

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

    def before(self, call: Call) -> Awaitable[int | None] | None:
        """Runs before the body: an error raised here is a call without an effect.

        None is returned if there is nothing to wait for; else what is awaited gives how
        often the body is to run: None and 1 mean once. 0 drops the call, and 2 delivers it
        twice; the caller sees neither.
        """
        ...

    def after(self, call: Call) -> Awaitable[None] | None:
        """Runs after the body, even one that raised: an error raised here is a lost reply.

        None as for `before`.
        """
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

    def call(
        self,
        surface: str,
        route: str,
        op: str,
        body: Callable[[], Awaitable[T]],
        *,
        asked: dict[str, Any] | None = None,
        known: Callable[[T], Any] | None = None,
    ) -> Coroutine[Any, Any, T]:
        """Performs `body` as the call of a port; what it returns is to be awaited.

        `asked` enters the 'call' event: plain values, what the call asks for. `known`
        makes the plain value of the 'return' event out of the result; without it a
        result is recorded if it is a string, number, boolean or None. The 'happened'
        event says that the body ran to its end, whatever the caller came to know.

        A crashed process cannot pass: its await never returns.
        """
        fields: dict[str, Any] = {"surface": surface, "route": route, "op": op}
        if asked:
            fields["asked"] = asked
        if self._policy is None:
            return self._perform(fields, body, known)
        return self._suffer(self._policy, fields, body, known)

    async def _perform(
        self,
        fields: dict[str, Any],
        body: Callable[[], Awaitable[T]],
        known: Callable[[T], Any] | None,
    ) -> T:
        """A call that nothing befalls."""
        process, name, seq = await self._enter(fields)
        record = process.world.history.record
        try:
            result = await body()
        except GeneratorExit:  # the frame of a crashed process is closed, after the run
            raise
        except BaseException as error:
            await _raised(process, name, seq, error)
            raise
        record(process.name, name, "happened", {"call": seq})
        if process.crashed:
            await never(process)
        _returned(process, name, seq, result, known)
        return result

    async def _suffer(  # noqa: C901
        self,
        policy: Policy,
        fields: dict[str, Any],
        body: Callable[[], Awaitable[T]],
        known: Callable[[T], Any] | None,
    ) -> T:
        """The body between the policy's hooks; a crash in any of them is the end.

        Written out rather than divided: each frame more costs at every resumption.
        """
        process, name, seq = await self._enter(fields)
        call = Call(seq, process, name, fields["surface"], fields["route"], fields["op"])
        try:
            if (delay_s := policy.latency_s(call, "request")) > 0:
                await sleep(delay_s)
            before = policy.before(call)
            times = None if before is None else await before
            if process.crashed:
                await never(process)
            refused: Exception | None = None
            try:
                if times is None:
                    result = await body()
                    process.world.history.record(process.name, name, "happened", {"call": seq})
                else:
                    result = await self._so_often(times, body, call)
            except Exception as error:  # an answer too: it takes its time, and can be lost
                refused = error
            after = policy.after(call)
            if after is not None:
                await after
            if process.crashed:
                await never(process)
            if (delay_s := policy.latency_s(call, "reply")) > 0:
                await sleep(delay_s)
            if refused is not None:
                raise refused
        except GeneratorExit:  # the frame of a crashed process is closed, after the run
            raise
        except BaseException as error:
            refused = None  # no cycle of frame and error: nobody collects those during a run
            await _raised(process, name, seq, error)
            raise
        if process.crashed:
            await never(process)
        _returned(process, name, seq, result, known)
        return result

    async def _enter(self, fields: dict[str, Any]) -> tuple[Process, str, int]:
        """Who calls, from which task, and the number of the 'call' event."""
        process = owner()
        if self._shut or process.crashed:
            await never(process)
        task = current_task()
        name = "" if task is None else task.get_name()
        seq = process.world.history.record(process.name, name, "call", fields)
        return process, name, seq

    async def _so_often(self, times: int, body: Callable[[], Awaitable[T]], call: Call) -> T:
        """The body of a message that is lost or delivered twice: the caller sees neither."""
        result: T | None = None
        for _ in range(times):
            result = await body()
            call.process.world.history.record(
                call.process.name, call.task, "happened", {"call": call.seq}
            )
        return cast(T, result)


async def _raised(process: Process, task: str, seq: int, error: BaseException) -> None:
    """Notes that a call raised; of a crashed process nobody will know.

    A frame that is being closed can't wait for ever, or for anything.
    """
    if isinstance(error, GeneratorExit):
        return
    if process.crashed:
        await never(process)
    process.world.history.record(
        process.name, task, "raise", {"call": seq, "error": type(error).__name__}
    )


def _returned(
    process: Process, task: str, seq: int, result: T, known: Callable[[T], Any] | None
) -> None:
    value = known(result) if known else result if isinstance(result, PLAIN) else None
    process.world.history.record(process.name, task, "return", {"call": seq, "known": value})
