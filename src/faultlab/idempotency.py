"""Is it the same request? Two requests, one receiver, and the contract between them.

The first request debits 1200 minor units for tenant-a's order-42. The second comes later and
means the same or something else. What the receiver makes of it depends on what the key names,
on whether the payload is compared, and on whether the record is still there.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal, TypedDict, get_args

from faultlab.errors import FaultlabError
from faultlab.naming import nearest
from faultlab.receiver import CONFLICT_POLICIES, ConflictPolicy, Receiver, Request

KeyScope = Literal["tenant-and-operation", "operation", "tenant", "attempt"]
SecondRequest = Literal["same-intent", "changed-amount", "other-operation", "other-tenant"]

KEY_SCOPES: Final[tuple[str, ...]] = get_args(KeyScope)
SECOND_REQUESTS: Final[tuple[str, ...]] = get_args(SecondRequest)

SECONDS_MAX: Final = 1_000_000_000
"""About 31 years. A larger number is a typing mistake, not a retention."""
GRAMMAR: Final = " *(-?)(?:([0-9]+)(?:[.]([0-9]*))?|[.]([0-9]+)) *"
"""What the text of a number is: sign, digits, decimals, or decimals alone. No exponent."""
REFUSALS: Final[dict[str, str]] = {
    "unreadable": " is not a finite number in digits. Give seconds, for example 3600 or 0.5.",
    "negative": " is negative. Give 0 or more seconds.",
    "too_large": f" is more than {SECONDS_MAX} seconds. Give a smaller number.",
    "too_fine": " is finer than a millisecond. Give at most three decimals.",
}
"""What is said of a bad number, behind its name and value. The first that holds is said."""

ASSUMPTIONS: Final[tuple[str, ...]] = (
    "Two fictional requests, one after the other, to one receiver.",
    "Identity is the pair (tenant, operation), never the delivery attempt.",
    "The receiver commits the effect and its idempotency record in one step; only the record "
    "expires.",
    "A record is retained while its age is less than the retention; at the exact end it is gone.",
)
NOT_MODELLED: Final[tuple[str, ...]] = (
    "Concurrent claims: the second request starts after the first has ended.",
    "Business uniqueness constraints that would refuse a second effect without a key.",
    "A production hash or normalisation: the fingerprint is the plain tuple.",
    "What makes a repetition right: that a record has expired does not.",
)


class IdempotencyError(FaultlabError, ValueError):
    """An input of the experiment is not one of its names, or no usable number of seconds."""


@dataclass(frozen=True, kw_only=True)
class Intent:
    """What a request means: who, which operation, how much in minor units."""

    tenant: str
    operation: str
    amount_minor: int


FIRST: Final = Intent(tenant="tenant-a", operation="order-42", amount_minor=1200)
_SECOND: Final[dict[str, Intent]] = {
    "same-intent": FIRST,
    "changed-amount": Intent(tenant="tenant-a", operation="order-42", amount_minor=2400),
    "other-operation": Intent(tenant="tenant-a", operation="order-43", amount_minor=1200),
    "other-tenant": Intent(tenant="tenant-b", operation="order-42", amount_minor=1200),
}
RIGHT: Final[dict[str, str]] = {
    "same-intent": "reused",
    "changed-amount": "conflict",
    "other-operation": "applied",
    "other-tenant": "applied",
}
"""The one disposition that serves each intent. No disposition is right in itself."""


class RequestRow(TypedDict):
    """One request as the experiment's table shows it; the last two are compact JSON arrays."""

    attempt: int
    business_identity: str
    amount_minor: int
    receiver_key: str
    fingerprint: str


class ContractRun(TypedDict):
    """One run of the experiment, as it is stored and printed."""

    inputs: dict[str, str | int | float]
    assumptions: list[str]
    not_modelled: list[str]
    requests: list[RequestRow]
    record_at_second_request: str
    second_disposition: str
    total_effects: int
    one_intent: bool
    right_for_intent: bool
    headline: str


def experiment(
    *,
    key_scope: KeyScope = "tenant-and-operation",
    second_request: SecondRequest = "same-intent",
    conflict_policy: ConflictPolicy = "enforce",
    retention_s: float | str = 86_400,
    after_s: float | str = 3_600,
) -> ContractRun:
    """Send both requests to a fresh receiver and say what came of the second.

    Args:
        key_scope: What the idempotency key names.
        second_request: What the second request means.
        conflict_policy: Whether the receiver compares fingerprints under a retained key.
        retention_s: How long the record is kept, in seconds, to the millisecond.
        after_s: When the second request comes, in seconds after the first.

    Raises:
        IdempotencyError: A name is unknown, or a number of seconds is negative, not a finite
            number, finer than a millisecond, or larger than `SECONDS_MAX`.
    """
    _check("key_scope", key_scope, KEY_SCOPES)
    _check("second_request", second_request, SECOND_REQUESTS)
    _check("conflict_policy", conflict_policy, CONFLICT_POLICIES)
    retention_ms = milliseconds("retention_s", retention_s)
    after_ms = milliseconds("after_s", after_s)

    now_ms = 0
    receiver = Receiver(
        now_ms=lambda: now_ms, retention_ms=retention_ms, conflict_policy=conflict_policy
    )
    intents = (FIRST, _SECOND[second_request])
    requests = [_row(n, i, _key(key_scope, i, n)) for n, i in enumerate(intents, start=1)]
    keys = [request["receiver_key"] for request in requests]
    receiver.apply(Request(key=keys[0], fingerprint=_fingerprint(intents[0])))
    now_ms = after_ms
    record = _record(receiver, keys)
    answer = receiver.apply(Request(key=keys[1], fingerprint=_fingerprint(intents[1])))
    right = answer.disposition == RIGHT[second_request]
    return ContractRun(
        inputs={
            "key_scope": key_scope,
            "second_request": second_request,
            "conflict_policy": conflict_policy,
            "retention_s": _seconds(retention_ms),
            "after_s": _seconds(after_ms),
        },
        assumptions=list(ASSUMPTIONS),
        not_modelled=list(NOT_MODELLED),
        requests=requests,
        record_at_second_request=record,
        second_disposition=answer.disposition,
        total_effects=len(receiver.effects),
        one_intent=second_request == "same-intent",
        right_for_intent=right,
        headline=_headline(second_request, answer.disposition, record),
    )


def combinations() -> Iterator[ContractRun]:
    """All 64: every scope, second request and policy, each with the record retained and not."""
    for scope, second, policy, after_s in product(
        get_args(KeyScope), get_args(SecondRequest), get_args(ConflictPolicy), (3_600, 86_400)
    ):
        yield experiment(
            key_scope=scope,
            second_request=second,
            conflict_policy=policy,
            retention_s=86_400,
            after_s=after_s,
        )


def milliseconds(name: str, value: float | str) -> int:
    """A number of seconds as whole milliseconds. Text is read by `GRAMMAR`, and exactly.

    Raises:
        IdempotencyError: It is no number that the experiment can use; the text says why.
    """
    seconds = _exactly(value)
    if seconds is None or not seconds.is_finite():
        raise IdempotencyError(f"{name}={value!r}{REFUSALS['unreadable']}")
    if seconds < 0:
        raise IdempotencyError(f"{name}={value!r}{REFUSALS['negative']}")
    if seconds > SECONDS_MAX:
        raise IdempotencyError(f"{name}={value!r}{REFUSALS['too_large']}")
    ms = Fraction(seconds) * 1000
    if ms.denominator != 1:
        raise IdempotencyError(f"{name}={value!r}{REFUSALS['too_fine']}")
    return int(ms)


def _exactly(value: float | str) -> Decimal | None:
    if isinstance(value, str):
        return Decimal(value) if re.fullmatch(GRAMMAR, value) else None
    return Decimal(repr(value)) if type(value) in (int, float) else None


def _seconds(ms: int) -> int | float:
    return ms // 1000 if ms % 1000 == 0 else ms / 1000


def _key(scope: str, intent: Intent, attempt: int) -> str:
    parts: dict[str, list[str]] = {
        "tenant-and-operation": [intent.tenant, intent.operation],
        "operation": [intent.operation],
        "tenant": [intent.tenant],
        "attempt": [f"attempt-{attempt}"],
    }
    return _compact(parts[scope])


def _fingerprint(intent: Intent) -> tuple[str | int, ...]:
    return (intent.tenant, intent.operation, intent.amount_minor)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _row(attempt: int, intent: Intent, key: str) -> RequestRow:
    return RequestRow(
        attempt=attempt,
        business_identity=f"{intent.tenant} / {intent.operation}",
        amount_minor=intent.amount_minor,
        receiver_key=key,
        fingerprint=_compact(_fingerprint(intent)),
    )


def _record(receiver: Receiver, keys: list[str]) -> str:
    if keys[0] != keys[1]:
        return "none under that key"
    return "retained" if receiver.lookup(keys[1]) else "expired"


def _headline(second_request: str, disposition: str, record: str) -> str:
    """One sentence: whose request it was, what became of it, and why."""
    who = {
        "same-intent": "Same intent",
        "changed-amount": "Changed amount",
        "other-operation": "Other operation",
        "other-tenant": "Other tenant",
    }[second_request]
    if disposition == "conflict":
        return f"{who} was refused as a conflict"
    if disposition == "reused":
        if second_request == "same-intent":
            return f"{who} reused its retained result"
        return f"{who} got the first request's retained result"
    why = "its record had expired" if record == "expired" else "no record stood under its key"
    again = " again" if second_request == "same-intent" else ""
    return f"{who} took effect{again}: {why}"


def _check(what: str, name: str, allowed: tuple[str, ...]) -> None:
    if type(name) is not str or name not in allowed:
        suggestion = nearest(name, allowed) if isinstance(name, str) else ""
        raise IdempotencyError(
            f"there is no {what} {name!r}.{suggestion} Allowed: {', '.join(allowed)}."
        )
