"""Published idempotency contracts: what a few systems say about keys, as read on a given date.

These are quotations, no measurements: nothing here was tried against any of the systems.
"""

from dataclasses import dataclass
from typing import Final

from faultlab.receiver import ConflictPolicy

READ: Final = "2026-11"


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What one system publishes about its idempotency keys.

    Attributes:
        id: A permanent name.
        system: The system, which is also the source.
        retention_s: How long a key or its result is kept, in seconds; None if no number is given.
        conflict_policy: Whether another payload under a kept key is refused; None if that is not
            said.
        says: What is published, in our words.
        read: The month in which it was read.
    """

    id: str
    system: str
    retention_s: int | None
    conflict_policy: ConflictPolicy | None
    says: str
    read: str = READ


CONTRACTS: Final[tuple[Contract, ...]] = (
    Contract(
        id="stripe",
        system="Stripe API v1",
        retention_s=86_400,
        conflict_policy="enforce",
        says="A key may be removed once it is 24 hours old, and is new after that. Other "
        "parameters under a kept key are an error.",
    ),
    Contract(
        id="powertools",
        system="AWS Powertools for Lambda (Python)",
        retention_s=3_600,
        conflict_policy="ignore",
        says="3,600 seconds by default. The payload is compared only where asked.",
    ),
    Contract(
        id="qonto",
        system="Qonto",
        retention_s=1_800,
        conflict_policy="ignore",
        says="30 minutes. The first answer is replayed even where the body differs.",
    ),
    Contract(
        id="sqs-fifo",
        system="Amazon SQS FIFO queues",
        retention_s=300,
        conflict_policy=None,
        says="Duplicates are dropped for 5 minutes.",
    ),
    Contract(
        id="ietf-draft",
        system="IETF httpapi idempotency-key draft",
        retention_s=None,
        conflict_policy=None,
        says="The expiry policy should be published; no number is given. A fingerprint may be "
        "compared; a key reused with another payload is answered with 422.",
    ),
)

PRESETS: Final = tuple(contract for contract in CONTRACTS if contract.retention_s is not None)
"""Those that give a number, and so can set the experiment."""
