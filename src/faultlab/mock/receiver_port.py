"""The receiver as a port: the same contract, called with `await` and seen by the history."""

import asyncio

from faultlab.kernel import record
from faultlab.receiver import Answer, ConflictPolicy, Fingerprint, Receiver, Request


class ReceiverPort:
    """A `Receiver` on the virtual clock. Effects and records survive every crash.

    Args:
        retention_ms: How long an idempotency record is kept; None for ever.
        conflict_policy: See `Receiver`.
    """

    def __init__(
        self, *, retention_ms: int | None = None, conflict_policy: ConflictPolicy = "enforce"
    ) -> None:
        self.receiver = Receiver(
            now_ms=lambda: round(asyncio.get_running_loop().time() * 1000),
            retention_ms=retention_ms,
            conflict_policy=conflict_policy,
        )

    async def debit(self, *, key: str, fingerprint: Fingerprint) -> Answer:
        """Ask for one debit under a key."""
        answer = self.receiver.apply(Request(key=key, fingerprint=fingerprint))
        record(answer.disposition, key=key, effect=answer.effect_id)
        return answer
