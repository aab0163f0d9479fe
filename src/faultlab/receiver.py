"""The downstream contract: an effect and its idempotency record, bound atomically.

A receiver takes requests under a key. The first request under a key takes effect, and in the
same step a record is kept: its fingerprint and its result. While the record is retained, another
request under that key is answered from it, or refused if it asks for something else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from faultlab.errors import FaultlabError
from faultlab.naming import nearest

Disposition = Literal["applied", "reused", "conflict"]
ConflictPolicy = Literal["enforce", "ignore"]
Fingerprint = tuple[str | int, ...]

CONFLICT_POLICIES: Final[tuple[str, ...]] = get_args(ConflictPolicy)


class ReceiverError(FaultlabError):
    """A receiver was set up with something that it can't mean."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as the receiver sees it.

    Attributes:
        key: The idempotency key, as text.
        fingerprint: What is asked for: two requests mean the same iff these are equal.
    """

    key: str
    fingerprint: Fingerprint


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the sender learns if the reply arrives.

    Attributes:
        disposition: `applied` (it took effect now), `reused` (answered from the record) or
            `conflict` (refused: the key was used for something else).
        effect_id: The number of the effect that the answer speaks of, or None for a conflict.
        still_there: Whether what that effect made has not been undone since.
    """

    disposition: Disposition
    effect_id: int | None
    still_there: bool = True


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One business effect: what a customer would notice."""

    id: int
    at_ms: int
    request: Request


@dataclass(frozen=True, kw_only=True)
class IdempotencyRecord:
    """What the receiver keeps under a key."""

    stored_at_ms: int
    fingerprint: Fingerprint
    effect_id: int


class Receiver:
    """A receiver with idempotency records. Effects stay for ever; only records expire.

    Args:
        now_ms: The receiver's clock, in whole milliseconds.
        retention_ms: How long a record is kept; None keeps it for ever. At the exact end it
            is already gone: a record is retained iff its age is less than this.
        conflict_policy: `enforce` refuses another fingerprint under a retained key, `ignore`
            answers it with the old result.
        capacity: How many records fit; None for any number. When it is full, the oldest record
            gives way, retained or not: a contract by space and not by time.

    Raises:
        ReceiverError: The retention is negative, the policy unknown, or nothing fits.
    """

    def __init__(
        self,
        *,
        now_ms: Callable[[], int],
        retention_ms: int | None = None,
        conflict_policy: ConflictPolicy = "enforce",
        capacity: int | None = None,
    ) -> None:
        if retention_ms is not None and retention_ms < 0:
            raise ReceiverError(f"retention_ms={retention_ms} is negative. Give 0 or more.")
        if conflict_policy not in CONFLICT_POLICIES:
            raise ReceiverError(
                f"conflict_policy={conflict_policy!r} is unknown."
                f"{nearest(conflict_policy, CONFLICT_POLICIES)} "
                f"Allowed: {', '.join(CONFLICT_POLICIES)}."
            )
        if capacity is not None and capacity < 1:
            raise ReceiverError(f"capacity={capacity} holds no record. Give 1 or more, or None.")
        self._now_ms = now_ms
        self._retention_ms = retention_ms
        self._conflict_policy = conflict_policy
        self._capacity = capacity
        self._records: dict[str, IdempotencyRecord] = {}
        self._undone: set[int] = set()
        self.effects: list[Effect] = []

    def lookup(self, key: str) -> IdempotencyRecord | None:
        """The retained record under a key, or None. Looking has no effect."""
        record = self._records.get(key)
        if record is None or self._expired(record):
            return None
        return record

    def apply(self, request: Request) -> Answer:
        """Answer a request. Effect and record come into being in this one step, or neither."""
        record = self.lookup(request.key)
        if record is None:
            return self._take_effect(request)
        if record.fingerprint != request.fingerprint and self._conflict_policy == "enforce":
            return Answer(disposition="conflict", effect_id=None)
        return Answer(
            disposition="reused",
            effect_id=record.effect_id,
            still_there=record.effect_id not in self._undone,
        )

    def undo(self, effect_id: int) -> None:
        """Take back what an effect made: delete the volume, refund the debit. Records stay.

        Raises:
            ReceiverError: There is no such effect.
        """
        if not 1 <= effect_id <= len(self.effects):
            raise ReceiverError(
                f"there is no effect {effect_id}. This receiver has {len(self.effects)}."
            )
        self._undone.add(effect_id)

    def _take_effect(self, request: Request) -> Answer:
        now_ms = self._now_ms()
        effect = Effect(id=len(self.effects) + 1, at_ms=now_ms, request=request)
        self.effects.append(effect)
        self._records.pop(request.key, None)  # an expired one, whose place in the order is old
        if self._capacity is not None and len(self._records) >= self._capacity:
            del self._records[next(iter(self._records))]
        self._records[request.key] = IdempotencyRecord(
            stored_at_ms=now_ms, fingerprint=request.fingerprint, effect_id=effect.id
        )
        return Answer(disposition="applied", effect_id=effect.id)

    def _expired(self, record: IdempotencyRecord) -> bool:
        if self._retention_ms is None:
            return False
        return self._now_ms() - record.stored_at_ms >= self._retention_ms
