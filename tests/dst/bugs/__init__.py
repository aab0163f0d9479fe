"""Planted concurrency bugs: small asyncio programs, each with a repaired twin.

Every module has `broken` and `repaired`, two programs without arguments that differ in as
little as possible. `BUGS` says what the simulator must find in the broken one, and in how
few decisions.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from faultlab.dst import SimulationConfig
from faultlab.kernel import Program


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A broken program, its repaired twin, and what a report must say.

    Attributes:
        name: Of the module.
        says: Part of the message, or of the rule's name.
        decides: Part of each decision: the function that it concerns, or the source line where
            that stands; empty if the bug needs no decision and FIFO shows it.
        decisions: How many it needs, if any.
        kind: Of the rule.
        pauses: Whether it takes a pause, so that no search without pauses can find it.
        steps_max: Step budget; less than the default for what runs until it is spent.
    """

    name: str
    says: str
    decides: str
    kind: str = "exception"
    decisions: int = 1
    pauses: bool = False
    steps_max: int = 100_000

    @property
    def needs(self) -> int:
        return self.decisions if self.decides else 0

    @property
    def broken(self) -> Program:
        return self._program("broken")

    @property
    def repaired(self) -> Program:
        return self._program("repaired")

    def _program(self, which: str) -> Program:
        found: Program = getattr(import_module(f"{__name__}.{self.name}"), which)
        return found

    def config(self, **settings: Any) -> SimulationConfig:
        """The default config, but for the step budget."""
        return SimulationConfig(**{"steps_max": self.steps_max, **settings})


BUGS = (
    Bug(
        name="lost_update",
        says="the balance is 70 instead of 50",
        decides="await asyncio.sleep(0)  # the audit log",
    ),
    Bug(name="double_charge", says="charged: ['order-42', 'order-42']", decides="(pay)"),
    Bug(
        name="missed_wakeup",
        kind="deadlock",
        says="still wait: main, worker",
        decides="tells the metrics that it is idle",
    ),
    Bug(name="wait_with_if", says="pop from empty list", decides="await self.changed.wait()"),
    Bug(
        name="lock_order",
        kind="deadlock",
        says="still wait: main, Task-2, Task-3",
        decides="reads the account",
    ),
    Bug(
        name="lock_ring",
        kind="deadlock",
        says="still wait: main, request 1, request 2, request 3",
        decides="hold request",
        decisions=2,
    ),
    Bug(
        name="third_conflict",
        says="a word is lost: ['two', 'three', 'four']",
        decides="the reply with the text",
        decisions=3,
    ),
    Bug(name="cancelled_half_way", says="money is lost", decides="transfer"),
    Bug(
        name="swallowed_cancellation",
        kind="deadlock",
        says="still wait: main, worker",
        decides="in handle",
    ),
    Bug(name="starved_heartbeat", says="done twice", decides="(worker)"),
    Bug(
        name="aba", says="one connection, two users", decides="whether the connection still answers"
    ),
    Bug(
        name="lost_exception",
        kind="background-exception",
        says="KeyError('order-42')",
        decides="in Shop.store",
    ),
    Bug(name="leaked_task", says="1 connection is open", decides="(ask)"),
    Bug(
        name="endless_retry",
        kind="leaked-task",
        says="although they were cancelled: agent",
        decides="",
    ),
    Bug(
        name="timeout_race",
        says="charged 2 times",
        decides="pause charge",
        pauses=True,
    ),
    Bug(name="over_release", says="2 calls at once, 1 allowed", decides="hold first (work)"),
    Bug(name="cache_stampede", says="two clients", decides="in Gateway.connect"),
    Bug(
        name="changed_while_iterating",
        says="dictionary changed size during iteration",
        decides="(ping_all)",
    ),
    Bug(name="stopped_before_drained", says="were done", decides="(work)"),
    Bug(
        name="lapsed_lease",
        says="the older owner wrote last: [2, 1]",
        decides="# does the work",
        pauses=True,
    ),
    Bug(name="torn_read", says="used ('https://new', 'key-old')", decides="fetches the key"),
    Bug(name="retry_without_key", says="debited 2 times", decides="in Bank.debit"),
    Bug(name="gather_leaves_siblings", says="['called off', 'shipped']", decides="(ship)"),
    Bug(
        name="livelock",
        kind="step-limit",
        says="has not ended after 2000 steps",
        decides="(announce)",
        steps_max=2_000,
    ),
    Bug(name="out_of_order", says="shown: results for ca", decides="hold search ca (search)"),
    Bug(
        name="full_queue",
        kind="deadlock",
        says="still wait: main, crawler",
        decides="crawler (crawl)",
    ),
    Bug(name="stale_cache", says="the price is 10 for ever", decides="the database's reply"),
    Bug(
        name="wrong_tenant", says="tenant-a sees the data of tenant-b", decides="loads the session"
    ),
    Bug(
        name="reply_after_timeout",
        says="InvalidStateError",
        decides="pause server",
        pauses=True,
    ),
    Bug(name="approval_revoked", says="ran after the user had stopped", decides="agent (loop)"),
    Bug(
        name="lock_taken_twice",
        kind="deadlock",
        says="still wait: main, Task-2",
        decides="the user types",
    ),
)
