"""Outbox and inbox: the message goes with the change, the mark goes with the effect."""

import asyncio
from typing import Any

import pytest

from faultlab.kernel import current
from faultlab.mock import (
    Crash,
    DocumentError,
    Documents,
    Inbox,
    LostReply,
    MockDepsModule,
    OneFault,
    Outbox,
    OutboxEntry,
    relay,
)
from tests.mock.helpers import at_once, process, simulate, struck


def test_a_message_is_pending_if_and_only_if_its_transaction_commits() -> None:
    async def program() -> None:
        deps = MockDepsModule()
        orders, outbox = deps.state.documents("orders"), deps.state.outbox("mail")
        with pytest.raises(RuntimeError):  # noqa: PT012
            async with orders.transaction() as tx:
                await outbox.add("lost", tx=tx)
                raise RuntimeError
        async with orders.transaction() as tx:
            await outbox.add("sent", tx=tx)
            assert await outbox.pending() == []
        await outbox.add("alone")
        pending = await outbox.pending()
        assert [entry.message for entry in pending] == ["sent", "alone"]
        assert len({entry.id for entry in pending}) == 2

    simulate(program)


@pytest.mark.parametrize(("op", "left"), [("begin", 0), ("insert", 0), ("commit", 1)])
def test_a_crash_leaves_order_and_message_or_neither(op: str, left: int) -> None:
    deps = MockDepsModule()

    async def node() -> None:
        async with deps.port("document_command", "orders").transaction() as tx:
            await tx.insert("o", {})
            await deps.port("outbox", "mail").add("mail", tx=tx)

    async def program() -> tuple[int, int]:
        assert await process("node", node) == "crashed"
        orders = await deps.state.documents("orders").find()
        return len(orders), len(await deps.state.outbox("mail").pending())

    made = struck(program, Crash(), surface="document_command", op=op, when="after")
    assert made.result == (left, left)


def test_twin_a_message_outside_of_the_transaction_is_lost_in_a_crash() -> None:
    deps = MockDepsModule()

    async def node() -> None:
        async with deps.port("document_command", "orders").transaction() as tx:
            await tx.insert("o", {})
        await deps.port("outbox", "mail").add("mail")

    async def program() -> tuple[int, int]:
        assert await process("node", node) == "crashed"
        orders = await deps.state.documents("orders").find()
        return len(orders), len(await deps.state.outbox("mail").pending())

    made = struck(program, Crash(), surface="document_command", op="commit", when="after")
    assert made.result == (1, 0)


def relaying(deps: MockDepsModule, published: list[Any]) -> None:
    async def publish(entry: OutboxEntry) -> None:
        published.append(entry.message)

    async def node() -> None:
        await relay(deps.port("outbox", "mail"), publish)

    current().start("node", node)


def test_a_relay_publishes_in_order_and_deletes_what_is_published() -> None:
    async def program() -> None:
        deps, published = MockDepsModule(), []
        outbox = deps.state.outbox("mail")
        for nth in range(12):
            await outbox.add(nth)

        async def publish(entry: OutboxEntry) -> None:
            published.append(entry.message)

        assert await relay(outbox, publish) == 12
        assert published == list(range(12))
        assert await outbox.pending() == []

    simulate(program)


def test_a_relay_that_crashes_before_it_deletes_publishes_again() -> None:
    deps: MockDepsModule = MockDepsModule()
    published: list[Any] = []

    async def program() -> None:
        await deps.state.outbox("mail").add("a")
        relaying(deps, published)
        assert await current().processes["node"].ended() == "crashed"
        relaying(deps, published)
        assert await current().processes["node"].ended() == "returned"
        assert await deps.state.outbox("mail").pending() == []

    struck(program, Crash(), surface="outbox", op="delete", when="before")
    assert published == ["a", "a"]


def test_a_relay_keeps_what_is_not_confirmed_and_the_order_and_tries_again_later() -> None:
    published: list[Any] = []

    async def publish(entry: OutboxEntry) -> None:
        published.append(entry.message)
        if len(published) == 2:
            raise TimeoutError

    async def program() -> None:
        outbox = Outbox()
        for each in "abc":
            await outbox.add(each)
        assert await relay(outbox, publish) == 1
        assert await relay(outbox, publish, passes=3, every_s=5) == 2
        assert asyncio.get_running_loop().time() == 10

    simulate(program)
    assert published == ["a", "b", "b", "c"]


def test_twin_a_relay_that_deletes_first_loses_a_message() -> None:
    deps, published = MockDepsModule(), []

    async def node() -> None:
        outbox = deps.port("outbox", "mail")
        for entry in await outbox.pending():
            await outbox.delete(entry.id)
            published.append(entry.message)

    async def program() -> list[OutboxEntry]:
        await deps.state.outbox("mail").add("a")
        assert await process("node", node) == "crashed"
        return await deps.state.outbox("mail").pending()

    made = struck(program, Crash(), surface="outbox", op="delete", when="after")
    assert made.result == published == []


def test_an_error_that_is_no_failing_network_is_not_retried() -> None:
    async def publish(entry: OutboxEntry) -> None:
        raise ValueError(entry.message)

    async def program() -> None:
        outbox = Outbox()
        await outbox.add("a")
        with pytest.raises(ValueError, match="a"):
            await relay(outbox, publish, passes=3)
        assert len(await outbox.pending()) == 1

    simulate(program)


# -- the inbox ------------------------------------------------------------------------


def consuming(deps: MockDepsModule, *, together: bool) -> None:
    """A node that applies message 7 to an account unless it was seen."""

    async def node() -> None:
        accounts, inbox = deps.port("document_command", "accounts"), deps.port("inbox", "mail")
        if not together and await inbox.seen("7"):
            return
        async with accounts.transaction() as tx:
            if together and await inbox.seen("7", tx=tx):
                return
            account = await tx.get("a")
            await tx.update("a", {"balance": account.body["balance"] + 1})

    current().start("node", node)


def balance_after(*, together: bool, fault: Crash | LostReply, op: str, when: str) -> int:
    deps = MockDepsModule()

    async def program() -> int:
        await deps.state.documents("accounts").insert("a", {"balance": 0})
        endings = []
        for _ in range(2):
            consuming(deps, together=together)
            endings.append(await current().processes["node"].ended())
        assert endings[0] == "crashed"
        account = await deps.state.documents("accounts").get("a")
        assert account is not None
        return int(account.body["balance"])

    made = struck(program, fault, surface="document_command", op=op, when=when)
    return int(made.result)


@pytest.mark.parametrize(
    ("op", "when"),
    [("begin", "after"), ("update", "after"), ("commit", "before"), ("commit", "after")],
)
def test_a_message_that_is_marked_with_its_effect_takes_effect_once(op: str, when: str) -> None:
    assert balance_after(together=True, fault=Crash(), op=op, when=when) == 1


def test_twin_a_message_that_is_marked_before_its_effect_never_takes_effect() -> None:
    assert balance_after(together=False, fault=Crash(), op="commit", when="before") == 0


def test_of_two_consumers_of_one_message_at_the_same_time_one_takes_effect() -> None:
    async def program() -> None:
        accounts = Documents("accounts")
        inbox = Inbox(database=accounts.database)
        await accounts.insert("a", {"balance": 0})
        told: list[bool] = []

        async def consume() -> None:
            async with accounts.transaction() as tx:
                told.append(await inbox.seen(7, tx=tx))
                await asyncio.sleep(1)
                await accounts.update("a", {"balance": 1}, revision=None, tx=tx)

        results = await at_once(consume(), consume())
        assert told == [False, False]
        assert [type(result) for result in results].count(DocumentError) == 1
        account = await accounts.get("a")
        assert account is not None
        assert account.revision == 2
        assert await inbox.seen(7)
        assert not await inbox.seen(8)
        assert await inbox.seen(8)

    simulate(program, policy=OneFault(None))
