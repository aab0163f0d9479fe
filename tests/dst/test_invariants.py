"""Each invariant over real runs: a broken program violates it, its repaired twin does not."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal

import pytest

from faultlab.dst.invariants import (
    Broken,
    Invariant,
    InvariantError,
    called,
    calls,
    completes_within,
    expect,
    happened,
    judge,
    mutual_exclusion,
    no_duplicate_effect,
    no_unexpected_error,
    raised,
    returned,
    spans,
)
from faultlab.kernel import History, Policy, current, record, run
from faultlab.mock import Crash, LostReply, OneFault, ReceiverPort, port
from tests.dst.histories import Row, crash, history

Program = Callable[[], Coroutine[Any, Any, Any]]


def history_of(program: Program, policy: Policy | None = None) -> History:
    made = run(program, policy=policy)
    assert made.violations == ()
    if made.error is not None:
        raise made.error
    return made.history


def broken(made: History, invariant: Invariant) -> Broken:
    """The one finding, which names its events."""
    (finding,) = judge(made, [invariant])
    assert isinstance(finding, Broken)
    assert finding.events
    return finding


# no_duplicate_effect


def debit_with_retry(retention_ms: int | None) -> History:
    """A lost reply, and another attempt under the same key after it timed out."""

    async def program() -> None:
        receiver = ReceiverPort(retention_ms=retention_ms)
        debit = port(receiver, surface="receiver", route="debits").debit
        for _ in range(2):
            try:
                await debit(key="order-42", fingerprint=(1200,))
                return
            except TimeoutError:
                continue

    fault = OneFault(LostReply(), surface="receiver", op="debit")
    made = history_of(program, fault)
    assert fault.exercised
    return made


def test_a_record_that_expires_before_the_retry_repeats_the_effect() -> None:
    found = broken(debit_with_retry(retention_ms=1000), no_duplicate_effect())
    assert found.message == (
        "key 'order-42' took effect 2 times, 1 at most is right: "
        "main (#1 at 0.01 s) and main (#6 at 5.02 s)"
    )
    assert found.events == (1, 6)


def test_twin_a_record_that_is_kept_makes_the_retry_harmless() -> None:
    assert judge(debit_with_retry(retention_ms=None), [no_duplicate_effect()]) == []


def test_effects_can_be_port_calls_that_happened_whatever_their_callers_know() -> None:
    by_call = no_duplicate_effect(happened(surface="receiver", op="debit"), by=("key",))
    assert len(broken(debit_with_retry(retention_ms=None), by_call).events) == 2
    assert judge(debit_with_retry(None), [no_duplicate_effect(by=("key",), times_max=1)]) == []


# mutual_exclusion


def two_enter(lock: "HastyLock | asyncio.Lock") -> History:
    async def worker() -> None:
        await lock.acquire()
        record("entered", lock="l")
        await asyncio.sleep(1)
        record("left", lock="l")
        lock.release()

    async def program() -> None:
        await asyncio.gather(worker(), worker())

    return history_of(program)


class HastyLock:
    """Looks whether it is free, and takes it a moment later."""

    def __init__(self) -> None:
        self.taken = False

    async def acquire(self) -> Literal[True]:
        while self.taken:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.01)
        self.taken = True
        return True

    def release(self) -> None:
        self.taken = False


def test_a_lock_that_looks_and_then_takes_lets_two_in() -> None:
    found = broken(two_enter(HastyLock()), mutual_exclusion(by=("lock",)))
    assert found.message == (
        "two are inside of lock 'l': Task-3 (#1 at 0.01 s) entered while "
        "Task-2 (#0 at 0.01 s) had not left"
    )
    assert found.events == (0, 1)


def test_twin_a_real_lock_lets_one_in_at_a_time() -> None:
    assert judge(two_enter(asyncio.Lock()), [mutual_exclusion(by=("lock",))]) == []


def test_locks_with_different_names_do_not_exclude_each_other() -> None:
    both = history(("a", "entered", {"lock": 1}), ("b", "entered", {"lock": 2}))
    assert judge(both, [mutual_exclusion(by=("lock",))]) == []
    assert judge(both, [mutual_exclusion()]) != []


def test_a_holder_may_enter_again_and_must_leave_as_often() -> None:
    rows: list[Row] = [
        ("a", "entered", {}),
        ("a", "entered", {}),
        ("a", "left", {}),
        ("b", "entered", {}),
    ]
    assert broken(history(*rows), mutual_exclusion()).events == (0, 3)
    rows.insert(3, ("a", "left", {}))
    assert judge(history(*rows), [mutual_exclusion()]) == []


def holder_crashes() -> History:
    async def holder() -> None:
        record("entered")
        await asyncio.sleep(100)

    async def other() -> None:
        record("entered")
        record("left")

    async def program() -> None:
        first = current().start("holder", holder)
        await asyncio.sleep(1)
        first.crash()
        await current().start("other", other).ended()

    made = history_of(program)
    assert made.of("crash")
    return made


def test_a_crashed_holder_holds_nothing_unless_it_is_said_to() -> None:
    made = holder_crashes()
    assert judge(made, [mutual_exclusion()]) == []
    assert "holder" in broken(made, mutual_exclusion(crash_ends=False)).message


def test_a_crash_ends_only_what_its_own_process_held() -> None:
    rows = [("a", "entered", {}), crash("b"), ("c", "entered", {})]
    assert broken(history(*rows), mutual_exclusion()).events == (0, 2)


class GenerousLocks:
    """Grants everything."""

    async def acquire(self, *, owner: str) -> None: ...
    async def release(self, *, owner: str) -> None: ...


def test_locks_can_be_judged_by_their_port_calls() -> None:
    async def program() -> None:
        locks = port(GenerousLocks(), surface="lock", route="ledger")

        async def worker(owner: str) -> None:
            await locks.acquire(owner=owner)
            await asyncio.sleep(1)
            await locks.release(owner=owner)

        await asyncio.gather(worker("x"), worker("y"))

    exclusion = mutual_exclusion(
        returned(surface="lock", op="acquire"),
        called(surface="lock", op="release"),
        by=("route",),
        holder=("owner",),
    )
    assert "of route 'ledger'" in broken(history_of(program), exclusion).message


# expect


def withdrawals(*, guarded: bool) -> History:
    """Two withdrawals of 70 from 100; each looks first whether there is enough."""

    async def program() -> None:
        balance, lock = 100, asyncio.Lock()

        async def withdraw() -> None:
            nonlocal balance
            if balance >= 70:
                await asyncio.sleep(0.1)
                balance -= 70
            record("balance", minor=balance)

        async def guarded_withdraw() -> None:
            async with lock:
                await withdraw()

        one = guarded_withdraw if guarded else withdraw
        await asyncio.gather(one(), one())

    return history_of(program)


def test_a_condition_on_each_event_names_the_event_that_breaks_it() -> None:
    never_negative = expect(
        lambda event: bool(event.fields["minor"] >= 0), "the account is overdrawn", each="balance"
    )
    found = broken(withdrawals(guarded=False), never_negative)
    assert found.message == "the account is overdrawn: balance of Task-3 (#1 at 0.1 s)"
    assert judge(withdrawals(guarded=True), [never_negative]) == []


def test_a_condition_on_the_history_is_asked_once() -> None:
    one_left = expect(lambda made: made[-1].fields["minor"] == 30, "30 must be left")
    assert [f.message for f in judge(withdrawals(guarded=False), [one_left])] == ["30 must be left"]
    assert judge(withdrawals(guarded=True), [one_left]) == []


# no_unexpected_error


class Shop:
    async def order(self, *, item: str) -> None:
        if item != "book":
            raise LookupError(item)


def ordering(item: str, policy: Policy | None = None) -> History:
    async def program() -> None:
        shop = port(Shop(), surface="shop", route="s")
        try:
            await shop.order(item=item)
        except (LookupError, TimeoutError):
            return

    return history_of(program, policy)


def test_an_error_that_nobody_expected_is_named_with_its_call() -> None:
    found = broken(ordering("boat"), no_unexpected_error(allowed=(TimeoutError,)))
    assert found.message == (
        "main (#1 at 0 s) met LookupError from shop/s/order; only TimeoutError may come up"
    )
    assert found.events == (0, 1)
    assert judge(ordering("book"), [no_unexpected_error()]) == []


def test_an_expected_error_is_let_pass_by_name_or_by_class() -> None:
    fault = OneFault(LostReply(), surface="shop", op="order")
    made = ordering("book", fault)
    assert fault.exercised
    assert judge(made, [no_unexpected_error(allowed=("TimeoutError",))]) == []
    assert judge(made, [no_unexpected_error(raised(op="order"), allowed=(TimeoutError,))]) == []
    assert "none may come up" in broken(made, no_unexpected_error()).message


# completes_within


def patient(*, limit_s: float | None) -> History:
    """A call whose reply is lost; its caller waits for the port, or only so long."""
    fault = OneFault(LostReply(), surface="shop", op="order")

    async def program() -> None:
        shop = port(Shop(), surface="shop", route="s")
        try:
            async with asyncio.timeout(limit_s):
                await shop.order(item="book")
        except TimeoutError:
            return

    made = history_of(program, fault)
    assert fault.exercised
    return made


def test_a_call_that_takes_too_long_is_told_in_full() -> None:
    found = broken(patient(limit_s=None), completes_within(1.0))
    assert found.message == (
        "order took 5.01 s, at most 1 s is right:\n"
        "  #0–#3  0 s – 5.01 s  main  order item='book'  raised TimeoutError: "
        "may have happened"
    )
    assert judge(patient(limit_s=0.5), [completes_within(1.0)]) == []


def test_spans_between_recorded_events_are_timed_as_well() -> None:
    async def program() -> None:
        for number, delay_s in enumerate((0.1, 3.0)):
            record("shipping", order=number)
            await asyncio.sleep(delay_s)
            record("shipped", order=number)

    shipping = spans("shipping", "shipped", by=("order",))
    found = broken(history_of(program), completes_within(1, shipping))
    assert found.message.startswith("shipping took 3 s")
    assert found.events == (2, 3)


def cut_off(*, crashes: bool) -> History:
    async def caller() -> None:
        await port(Shop(), surface="shop", route="s").order(item="book")

    fault = OneFault(Crash() if crashes else LostReply(timeout_s=90), surface="shop", op="order")

    async def program() -> None:
        current().start("caller", caller)
        await asyncio.sleep(10)
        record("end")

    made = run(program, policy=fault).history
    assert fault.exercised
    return made


def test_a_call_that_a_crash_cut_off_is_waited_for_by_nobody() -> None:
    assert judge(cut_off(crashes=True), [completes_within(1)]) == []
    assert "took 10 s" in broken(cut_off(crashes=False), completes_within(1)).message


def test_a_call_that_has_not_ended_counts_once_the_limit_has_passed() -> None:
    rows = [
        ("a", "call", {"surface": "s", "route": "r", "op": "o"}),
        ("a", "x", {}),
        ("a", "x", {}),
    ]
    assert "had not ended after 1 s" in broken(history(*rows), completes_within(0.9)).message
    assert judge(history(*rows), [completes_within(1.0)]) == []


@pytest.mark.parametrize("limit_s", [-1, float("inf"), float("nan")])
def test_a_limit_that_limits_nothing_is_an_error(limit_s: float) -> None:
    with pytest.raises(InvariantError, match="limit_s"):
        completes_within(limit_s)


# calls


def test_calls_are_seen_as_their_callers_see_them() -> None:
    made = debit_with_retry(retention_ms=None)
    first, second = calls(surface="receiver")(made)
    assert (first.outcome, first.error, first.known) == ("raised", "TimeoutError", None)
    assert (second.outcome, second.error, second.asked) == ("returned", None, {"key": "order-42"})
    assert second.known["disposition"] == "reused"
    (cut,) = calls()(cut_off(crashes=True))
    assert cut.outcome == "pending"
    assert cut.crashed_seq is not None
    assert list(calls(surface=("shop", "bank"), op="refund")(made)) == []


def test_a_span_that_fails_has_raised() -> None:
    rows = [("a", "begun", {"id": 1}), ("a", "failed", {"id": 1}), ("a", "begun", {"id": 2})]
    select = spans("begun", "done", failed="failed", by=("id",))
    assert [(one.outcome, one.error) for one in select(history(*rows))] == [
        ("raised", "failed"), ("pending", None),
    ]  # fmt: skip


def test_an_end_belongs_to_the_latest_open_beginning() -> None:
    """Nested spans close from within; an end without a beginning closes nothing."""
    rows: list[Row] = [("a", kind, {}) for kind in ("done", "begun", "begun", "done", "done")]
    select = spans("begun", "done")
    assert [one.events for one in select(history(*rows))] == [(1, 4), (2, 3)]


def test_only_a_later_crash_cuts_a_call_off() -> None:
    rows: list[Row] = [crash("a"), ("a", "begun", {}), crash("b")]
    (one,) = spans("begun", "done")(history(*rows))
    assert one.crashed_seq is None
    (one,) = spans("begun", "done")(history(*rows, crash("a")))
    assert one.crashed_seq == 3


def test_fields_are_compared_by_what_they_hold() -> None:
    rows: list[Row] = [
        ("w", "applied", {"key": {"tenant": "a", "order": [1, 2]}}),
        ("w", "applied", {"key": {"order": [1, 2], "tenant": "a"}}),
    ]
    assert broken(history(*rows), no_duplicate_effect()).events == (0, 1)
    rows[1] = ("w", "applied", {"key": {"order": [2, 1], "tenant": "a"}})
    assert judge(history(*rows), [no_duplicate_effect()]) == []
