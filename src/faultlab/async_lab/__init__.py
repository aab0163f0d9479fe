"""The Async Failure Lab: one debit, one fault, a naive and a durable runtime, a trace."""

from faultlab.async_lab.account import account, table
from faultlab.async_lab.faults import FAULTS
from faultlab.async_lab.runs import AsyncRun, combinations, saved_run
from faultlab.async_lab.story import MODES, AsyncLabError

__all__ = [
    "FAULTS",
    "MODES",
    "AsyncLabError",
    "AsyncRun",
    "account",
    "combinations",
    "saved_run",
    "table",
]
