"""The queue: at least once, visibility, receipts, dead letters."""

import asyncio

import pytest

from faultlab.kernel import current, run
from faultlab.mock import (
    Crash,
    LostReply,
    MockDepsModule,
    MockState,
    Queue,
    QueueDelivery,
    QueueError,
)
from faultlab.mock.common import now_s
from tests.mock.helpers import at_once, process, simulate, struck


async def received(queue: Queue, wait_s: float = 100.0) -> QueueDelivery:
    delivery = await queue.receive(wait_s=wait_s)
    assert delivery is not None
    return delivery


def test_messages_come_in_the_order_they_were_put_and_go_when_acknowledged() -> None:
    async def program() -> list[object]:
        queue = Queue()
        assert [await queue.put(each) for each in "ab"] == [1, 2]
        first, second = await received(queue), await received(queue)
        await queue.acknowledge(second)
        await queue.acknowledge(first)
        assert await queue.receive(wait_s=100) is None
        return [first.message, second.message, queue.messages]

    assert simulate(program).result == ["a", "b", []]


def test_an_unacknowledged_message_comes_back_at_the_visibility_timeout_and_not_before() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=30)
        await queue.put("a")
        first = await received(queue)
        assert await queue.receive(wait_s=29.999) is None
        again = await received(queue)
        assert now_s() == 30
        assert (again.message_id, first.count, again.count) == (first.message_id, 1, 2)
        assert again.receipt != first.receipt

    simulate(program)


def test_a_late_acknowledgement_is_ignored_once_the_message_is_delivered_again() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=1)
        await queue.put("a")
        first = await received(queue)
        again = await received(queue)
        await queue.acknowledge(first)
        assert queue.messages == ["a"]
        await queue.acknowledge(again)
        await queue.acknowledge(again)
        assert queue.messages == []

    made = simulate(program)
    ignored = [event.fields["delivery"] for event in made.history.of("acknowledge-ignored")]
    assert ignored == [1, 2]
    assert [event.fields["delivery"] for event in made.history.of("acknowledged")] == [2]


def test_a_late_acknowledgement_counts_as_long_as_nobody_has_the_message_again() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=1)
        await queue.put("a")
        first = await received(queue)
        await asyncio.sleep(5)
        await queue.acknowledge(first)
        assert queue.messages == []

    simulate(program)


def test_extending_keeps_a_message_and_is_refused_when_it_is_too_late() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=10)
        await queue.put("a")
        first = await received(queue)
        await asyncio.sleep(9)
        await queue.extend(first, 10)
        assert await queue.receive(wait_s=9.999) is None
        await asyncio.sleep(1)
        for late in (queue.extend(first, 10), queue.negative_acknowledge(first)):
            with pytest.raises(QueueError, match="no longer holds message 1"):
                await late
        assert (await received(queue)).count == 2

    simulate(program)


def test_a_message_that_is_given_back_is_there_at_once_and_wakes_who_waits() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=10)
        await queue.put("a")
        first = await received(queue)

        async def give_back() -> None:
            await asyncio.sleep(2)
            await queue.negative_acknowledge(first)

        again, _ = await at_once(received(queue), give_back())
        assert (again.count, now_s()) == (2, 2)

    simulate(program)


def test_a_receiver_waits_for_a_message_and_one_message_goes_to_one_of_them() -> None:
    async def program() -> None:
        queue = Queue()

        async def put() -> None:
            await asyncio.sleep(1)
            await queue.put("now")
            await queue.put("later", delay_s=2)

        one, other, third, _ = await at_once(
            queue.receive(wait_s=5), queue.receive(wait_s=5), queue.receive(wait_s=0), put()
        )
        assert {one.message, other.message} == {"now", "later"}
        assert third is None
        assert now_s() == 3

    for seed in range(20):
        simulate(program, seed=seed)


def test_after_so_many_deliveries_a_message_is_a_dead_letter() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=1, receives_max=2)
        await queue.put("poison")
        assert [(await received(queue)).count for _ in range(2)] == [1, 2]
        assert queue.dead_letters == []
        assert await queue.receive(wait_s=100) is None
        assert (queue.dead_letters, queue.messages) == (["poison"], [])

    assert len(simulate(program).history.of("dead-letter")) == 1


def test_twin_without_a_limit_poison_is_delivered_for_ever() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=1)
        await queue.put("poison")
        assert [(await received(queue)).count for _ in range(9)] == list(range(1, 10))

    simulate(program)


def test_an_acknowledged_message_can_still_be_delivered_again() -> None:
    async def program() -> None:
        queue = Queue()
        await queue.put("a")
        first = await received(queue)
        await queue.acknowledge(first)
        queue.deliver_again(first)
        again = await received(queue)
        assert (again.message_id, again.count) == (1, 2)
        await queue.acknowledge(first)
        assert queue.messages == ["a"]

    simulate(program)


def test_without_order_any_visible_message_can_come_first_and_by_default_the_oldest() -> None:
    async def first(*, ordered: bool) -> object:
        queue = Queue(ordered=ordered)
        for each in "abc":
            await queue.put(each)
        return (await received(queue)).message

    unordered = {run(lambda: first(ordered=False), seed=seed).result for seed in range(40)}
    assert unordered == {"a", "b", "c"}
    assert {run(lambda: first(ordered=True), seed=seed).result for seed in range(40)} == {"a"}
    assert run(lambda: first(ordered=False)).result == "a"


def test_messages_share_nothing_with_those_who_put_or_receive_them() -> None:
    async def program() -> None:
        queue = Queue(visibility_timeout_s=1)
        message = {"n": 1}
        await queue.put(message)
        message["n"] = 2
        (await received(queue)).message["n"] = 3
        assert (await received(queue)).message == {"n": 1}

    simulate(program)


def test_what_a_queue_can_not_mean_is_refused() -> None:
    with pytest.raises(QueueError, match="visibility_timeout_s=0 is no length of time"):
        Queue(visibility_timeout_s=0)
    with pytest.raises(QueueError, match="receives_max=0 delivers nothing"):
        Queue(receives_max=0)

    async def program() -> None:
        queue = Queue()
        with pytest.raises(QueueError, match="delay_s=-1"):
            await queue.put("a", delay_s=-1)
        with pytest.raises(QueueError, match="wait_s=inf"):
            await queue.receive(wait_s=float("inf"))
        with pytest.raises(QueueError, match="delivery 7 was not made by this queue"):
            await queue.acknowledge(QueueDelivery(message_id=1, message="a", receipt=7, count=1))

    simulate(program)


# -- crashes and lost replies ---------------------------------------------------------


def consumer(deps: MockDepsModule, done: list[object]) -> None:
    async def node() -> None:
        queue = deps.port("queue_query", "tasks")
        while (delivery := await queue.receive(wait_s=60)) is not None:
            done.append(delivery.message)
            await queue.acknowledge(delivery)

    current().start("node", node)


def one_task() -> MockDepsModule:
    state = MockState()
    state.put("queue_command", "tasks", Queue(visibility_timeout_s=30))
    return MockDepsModule(state=state)


def test_a_consumer_that_crashes_before_it_acknowledges_gets_the_message_again() -> None:
    deps = one_task()
    done: list[object] = []

    async def program() -> None:
        await deps.state.queue("tasks").put("task")
        consumer(deps, done)
        assert await current().processes["node"].ended() == "crashed"
        consumer(deps, done)
        assert await current().processes["node"].ended() == "returned"

    struck(program, Crash(), surface="queue_command", op="acknowledge", when="before")
    assert done == ["task", "task"]
    assert deps.state.queue("tasks").messages == []


def test_a_delivery_whose_reply_is_lost_comes_again_after_the_timeout() -> None:
    deps = one_task()

    async def program() -> None:
        await deps.state.queue("tasks").put("task")
        queue = deps.port("queue_query", "tasks")
        with pytest.raises(TimeoutError):
            await queue.receive()
        assert await queue.receive() is None
        delivery = await queue.receive(wait_s=60)
        assert delivery.count == 2
        assert now_s() >= 30

    struck(program, LostReply(), surface="queue_query", op="receive")


def test_a_consumer_that_dies_while_it_waits_takes_no_message_with_it() -> None:
    queue = Queue()

    async def waits() -> None:
        await queue.receive(wait_s=60)

    async def program() -> None:
        node = current().start("node", waits)
        await asyncio.sleep(1)
        node.crash()
        await queue.put("a")
        assert (await received(queue)).count == 1
        assert await process("other", waits) == "returned"

    assert len(simulate(program).history.of("crash")) == 1
