"""Faults that strike one port call: a crash, a lost reply, a duplicate delivery."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from faultlab.kernel import Call, record

LATENCY_S: Final = 0.01
"""How long each way of a port call takes, in virtual seconds."""
TIMEOUT_S: Final = 5.0
"""How long a caller waits for a reply that doesn't come, in virtual seconds."""


class Fault(Protocol):
    """Something that befalls a call."""

    @property
    def name(self) -> str:
        """Its name in the history."""
        ...

    async def strike(self, call: Call) -> None:
        """Befall the call: crash its process, raise to its caller, or do something beside it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Crash:
    """A power cut: the calling process stops here, and nothing of it runs again."""

    name: str = "crash"

    async def strike(self, call: Call) -> None:
        """Crash the process that makes the call."""
        call.process.crash()


@dataclass(frozen=True, kw_only=True)
class LostReply:
    """The call took effect, and its caller waits in vain.

    Attributes:
        timeout_s: Virtual seconds until the caller gives up with `TimeoutError`.
    """

    timeout_s: float = TIMEOUT_S
    name: str = "lost reply"

    async def strike(self, call: Call) -> None:  # noqa: ARG002
        """Let the caller wait, then time out.

        Raises:
            TimeoutError: Always. It says nothing about the effect.
        """
        await asyncio.sleep(self.timeout_s)
        raise TimeoutError


@dataclass(frozen=True, kw_only=True)
class DuplicateDelivery:
    """A broker delivers a message again that was acknowledged.

    Attributes:
        deliver_again: Asks the broker to do it.
    """

    deliver_again: Callable[[], None]
    name: str = "duplicate delivery"

    async def strike(self, call: Call) -> None:  # noqa: ARG002
        """Ask the broker for a duplicate; the call itself goes on."""
        self.deliver_again()


class OneFault:
    """A policy for `kernel.run`: one fault strikes once, at the first call that matches.

    Args:
        fault: What strikes; None for a run in which nothing does.
        surface: The kind of port that is struck.
        op: The operation.
        when: `before` the call takes effect, or `after` it has.

    Attributes:
        exercised: Whether the fault really struck. A fault that didn't proves nothing.
    """

    def __init__(
        self,
        fault: Fault | None,
        *,
        surface: str = "",
        op: str = "",
        when: Literal["before", "after"] = "after",
    ) -> None:
        self._fault = fault
        self._where = (surface, op, when)
        self.exercised = False

    def latency_s(self, call: Call, leg: Literal["request", "reply"]) -> float:  # noqa: ARG002
        """Every way takes the same time, so that a trace has a scale and no chance in it."""
        return LATENCY_S

    async def before(self, call: Call) -> None:
        """Meet a call before its body."""
        await self._meet(call, "before")

    async def after(self, call: Call) -> None:
        """Meet a call after its body."""
        await self._meet(call, "after")

    async def _meet(self, call: Call, when: str) -> None:
        if self._fault is None or self.exercised:
            return
        if self._where == (call.surface, call.op, when):
            self.exercised = True
            record("fault", fault=self._fault.name)
            await self._fault.strike(call)
