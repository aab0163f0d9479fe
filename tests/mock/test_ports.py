"""Ports, broker, journal and faults on the kernel."""

from faultlab.kernel import current, run
from faultlab.mock import (
    Broker,
    BrokerError,
    Crash,
    Delivery,
    Journal,
    LostReply,
    OneFault,
    PortError,
    ReceiverPort,
    lane_events,
    port,
    trace,
)

ORDER = ("tenant-a", "order-42", 1200)


def test_a_port_call_is_recorded_with_what_was_asked_and_what_came_back() -> None:
    async def program() -> None:
        debits = port(ReceiverPort(), surface="receiver", route="debits")
        await debits.debit(key="k", fingerprint=ORDER)

    made = run(program)
    assert made.error is None
    (call,) = made.history.of("call")
    (answer,) = made.history.of("return")
    assert call.fields["asked"] == {"key": "k"}
    assert answer.fields["known"] == {"disposition": "applied", "effect_id": 1, "still_there": True}


def test_a_port_refuses_what_is_no_async_method() -> None:
    async def program() -> None:
        port(ReceiverPort(), surface="receiver", route="debits").receiver  # noqa: B018

    made = run(program)
    assert isinstance(made.error, PortError)
    assert "ReceiverPort.receiver is no async method" in str(made.error)


def test_an_unacknowledged_message_comes_back_after_the_visibility_timeout() -> None:
    seen: list[tuple[float, int]] = []

    async def program() -> None:
        broker = Broker(visibility_timeout_s=30)
        await broker.publish("task")
        for _ in range(2):
            delivery = await broker.receive()
            assert delivery is not None
            seen.append((current().loop.time(), delivery.number))
        assert delivery is not None
        await broker.acknowledge(delivery)
        assert await broker.receive() is None

    assert run(program).error is None
    assert seen == [(0.0, 1), (30.0, 2)]


def test_an_acknowledged_message_can_still_be_delivered_again() -> None:
    numbers: list[int] = []

    async def program() -> None:
        broker = Broker()
        await broker.publish("task")
        for _ in range(2):
            delivery = await broker.receive()
            assert delivery is not None
            numbers.append(delivery.number)
            await broker.acknowledge(delivery)
            if delivery.number == 1:
                assert await broker.receive() is None
                broker.deliver_again(delivery)

    assert run(program).error is None
    assert numbers == [1, 2]


def test_acknowledging_what_was_never_delivered_is_refused() -> None:
    async def program() -> None:
        await Broker().acknowledge(Delivery(number=7, message="task"))

    made = run(program)
    assert isinstance(made.error, BrokerError)
    assert "delivery 7 is not open" in str(made.error)


def test_a_journal_keeps_every_result_and_finds_by_operation() -> None:
    async def program() -> tuple[bool, bool]:
        journal = Journal()
        await journal.append("order-42", 1)
        await journal.append("order-42", 2)
        assert journal.results == [("order-42", 1), ("order-42", 2)]
        return await journal.holds("order-42"), await journal.holds("order-43")

    assert run(program).result == (True, False)


def _one_debit(fault: OneFault, receiver: ReceiverPort) -> list[str]:
    told: list[str] = []

    async def worker() -> None:
        debits = port(receiver, surface="receiver", route="debits")
        try:
            answer = await debits.debit(key="k", fingerprint=ORDER)
            told.append(answer.disposition)
        except TimeoutError:
            told.append("timeout")
        finally:
            told.append("finally")

    async def program() -> None:
        told.append(await current().start("worker", worker).ended())

    def judge(_: object) -> None:
        told.append("judged")

    made = run(program, policy=fault, judge=judge)
    assert made.error is None
    return told[: told.index("judged")]


def test_a_lost_reply_leaves_the_effect_and_a_timeout() -> None:
    fault, receiver = OneFault(LostReply(), surface="receiver", op="debit"), ReceiverPort()
    assert _one_debit(fault, receiver) == ["timeout", "finally", "returned"]
    assert fault.exercised
    assert len(receiver.receiver.effects) == 1


def test_a_crash_after_the_effect_leaves_the_effect_and_no_finally() -> None:
    fault, receiver = OneFault(Crash(), surface="receiver", op="debit"), ReceiverPort()
    assert _one_debit(fault, receiver) == ["crashed"]
    assert fault.exercised
    assert len(receiver.receiver.effects) == 1


def test_a_crash_before_the_effect_leaves_none() -> None:
    fault = OneFault(Crash(), surface="receiver", op="debit", when="before")
    receiver = ReceiverPort()
    assert _one_debit(fault, receiver) == ["crashed"]
    assert fault.exercised
    assert receiver.receiver.effects == []


def test_a_fault_that_meets_no_call_says_that_it_was_not_exercised() -> None:
    fault, receiver = OneFault(Crash(), surface="receiver", op="refund"), ReceiverPort()
    assert _one_debit(fault, receiver) == ["applied", "finally", "returned"]
    assert not fault.exercised


def test_a_trace_shows_only_the_lanes_that_take_part() -> None:
    async def program() -> None:
        debits = port(ReceiverPort(), surface="receiver", route="debits")
        await debits.debit(key="k", fingerprint=ORDER)

    made = run(program)
    assert trace(made.history).splitlines()[0].split() == ["time", "worker", "receiver"]
    assert [event["number"] for event in lane_events(made.history)] == [1, 2, 3]
