"""What both runtimes are given: a task, and the two ports that they may call."""

from dataclasses import dataclass
from typing import Protocol

from faultlab.receiver import Answer, Fingerprint


@dataclass(frozen=True, kw_only=True)
class Task:
    """One fictional debit: who, which operation, how much in minor units."""

    tenant: str
    operation: str
    amount_minor: int

    @property
    def fingerprint(self) -> Fingerprint:
        """What the task asks for, whoever asks and however often."""
        return (self.tenant, self.operation, self.amount_minor)


class ReceiverCalls(Protocol):
    """The receiver, as a runtime sees it."""

    async def debit(self, *, key: str, fingerprint: Fingerprint) -> Answer:
        """Ask for the debit under a key. May take effect and still not return."""
        ...


class JournalCalls(Protocol):
    """The journal, as a runtime sees it."""

    async def append(self, operation: str, result: int | None) -> None:
        """Store the result of an operation."""
        ...

    async def holds(self, operation: str) -> bool:
        """Whether a result of the operation is stored."""
        ...
