"""Saved runs of the Async Failure Lab: events told by lane, counts, and a headline."""

from collections.abc import Iterator
from itertools import product
from typing import Final, TypedDict

from faultlab.async_lab.faults import FAULTS
from faultlab.async_lab.story import MODES, Told, tell
from faultlab.kernel import Event
from faultlab.mock import LaneEvent, lane_events

ASSUMPTIONS: Final[tuple[str, ...]] = (
    "One virtual debit and one injected fault; no real payment, broker or network.",
    "The operation key is stable, and the receiver can deduplicate or look up that same intent.",
    "The receiver keeps its idempotency record through the whole retry window and binds it "
    "atomically to the effect.",
    "A lookup succeeds in the end, storage is available, and authorization is checked before "
    "dispatch.",
)
NOT_MODELLED: Final[tuple[str, ...]] = (
    "Outages of the lookup.",
    "Expired idempotency records.",
    "Concurrency: there is one consumer, and it works off one delivery at a time.",
    "Distributions of timing. These are examples, no production measurement.",
)


class AsyncRun(TypedDict):
    """One run of the Async Failure Lab, as it is stored and printed."""

    fault: str
    mode: str
    fault_exercised: bool
    assumptions: list[str]
    not_modelled: list[str]
    events: list[LaneEvent]
    deliveries: int
    dispatch_attempts: int
    effects: int
    results_recorded: int
    headline: str


def combinations() -> Iterator[tuple[str, str]]:
    """All 12 combinations of fault and mode."""
    yield from product(FAULTS, MODES)


def saved_run(fault: str, mode: str) -> AsyncRun:
    """Run one combination and keep it.

    Raises:
        AsyncLabError: There is no such fault or mode.
    """
    told = tell(fault, mode)
    dispatch_attempts = sum(_is_call(event, "debit") for event in told.history)
    return AsyncRun(
        fault=fault,
        mode=mode,
        fault_exercised=told.fault_exercised,
        assumptions=list(ASSUMPTIONS),
        not_modelled=list(NOT_MODELLED),
        events=lane_events(told.history),
        deliveries=told.deliveries,
        dispatch_attempts=dispatch_attempts,
        effects=told.effects,
        results_recorded=told.results_recorded,
        headline=_headline(told, dispatch_attempts),
    )


def _headline(told: Told, dispatch_attempts: int) -> str:
    """What became of the debit, concluded from what the run counted and answered."""
    kinds = [event.kind for event in told.history]
    if told.effects > 1:
        return "Duplicate effect"
    if "reused" in kinds:
        return "Recovered by operation key"
    if dispatch_attempts < told.deliveries:
        return "Replayed from the stored result"
    if told.deliveries == 1:
        return "Completed"
    keys = {event.fields["asked"]["key"] for event in told.history if _is_call(event, "debit")}
    if len(keys) == 1:
        return "Retried under the same key; nothing had happened"
    return "Retried; nothing had happened"


def _is_call(event: Event, op: str) -> bool:
    return event.kind == "call" and event.fields["op"] == op
