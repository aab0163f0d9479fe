"""The faults that the Async Failure Lab knows by name, and where each strikes."""

from collections.abc import Callable
from typing import Final, Literal, get_args

from faultlab.mock import Crash, DuplicateDelivery, LostReply, OneFault

FaultName = Literal[
    "none",
    "crash-before-effect",
    "crash-after-effect",
    "response-lost",
    "duplicate-delivery",
    "crash-after-record",
]
FAULTS: Final[tuple[str, ...]] = get_args(FaultName)


def one_fault(name: str, *, deliver_again: Callable[[], None]) -> OneFault:
    """The policy of a run by the name of its fault.

    Args:
        name: One of `FAULTS`.
        deliver_again: Called when a duplicate is due; the broker does the rest.
    """
    match name:
        case "crash-before-effect":
            return OneFault(Crash(), surface="receiver", op="debit", when="before")
        case "crash-after-effect":
            return OneFault(Crash(), surface="receiver", op="debit", when="after")
        case "response-lost":
            return OneFault(LostReply(), surface="receiver", op="debit", when="after")
        case "duplicate-delivery":
            again = DuplicateDelivery(deliver_again=deliver_again)
            return OneFault(again, surface="broker", op="acknowledge", when="after")
        case "crash-after-record":
            return OneFault(Crash(), surface="journal", op="append", when="after")
        case _:
            return OneFault(None)
