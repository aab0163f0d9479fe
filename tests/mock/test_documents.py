"""Documents: revisions, copies, transactions, and what a crash leaves of them."""

import asyncio
from typing import Literal

import pytest

from faultlab.kernel import current, run
from faultlab.mock import (
    Crash,
    Document,
    DocumentError,
    Documents,
    Isolation,
    LostReply,
    MockDepsModule,
    OneFault,
    Queue,
    ReceiverPort,
    RevisionConflict,
    SerializationError,
    port,
)
from tests.mock.helpers import process, simulate, struck

SNAPSHOTS: list[Isolation] = ["snapshot", "serializable"]
ISOLATIONS: list[Isolation] = ["read-committed", *SNAPSHOTS]
EVERY_LEVEL = pytest.mark.parametrize("isolation", ISOLATIONS)


def bodies(documents: Documents) -> dict[str, dict[str, object]]:
    return {row.id: row.body for row in documents.database.rows.get(documents.name, {}).values()}


def test_a_revision_counts_the_writes_and_survives_deletion() -> None:
    async def program() -> list[int]:
        orders = Documents()
        revisions = [(await orders.insert("o", {})).revision]
        revisions.append((await orders.update("o", {}, revision=1)).revision)
        await orders.delete("o", revision=2)
        assert await orders.get("o") is None
        revisions.append((await orders.insert("o", {})).revision)
        return revisions

    assert simulate(program).result == [1, 2, 3]


@pytest.mark.parametrize("op", ["update", "delete"])
def test_a_write_with_an_old_revision_is_refused_and_changes_nothing(op: str) -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("o", {"n": 1})
        await orders.update("o", {"n": 2})
        with pytest.raises(RevisionConflict, match="expected at revision 1, and it has revision 2"):  # noqa: PT012
            if op == "update":
                await orders.update("o", {"n": 3}, revision=1)
            else:
                await orders.delete("o", revision=1)
        assert await orders.get("o") == Document(id="o", body={"n": 2}, revision=2)

    simulate(program)


def test_twin_a_write_without_a_revision_overwrites_what_it_has_not_seen() -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("o", {"n": 1})
        await orders.update("o", {"n": 2})
        await orders.update("o", {"n": 3})
        assert bodies(orders) == {"o": {"n": 3}}

    simulate(program)


def test_what_is_there_is_not_inserted_and_what_is_not_is_not_updated() -> None:
    async def program() -> None:
        orders = Documents("orders")
        await orders.insert("o", {})
        with pytest.raises(DocumentError, match="there is orders/o already"):
            await orders.insert("o", {})
        with pytest.raises(DocumentError, match="there is no orders/p"):
            await orders.update("p", {})
        with pytest.raises(DocumentError, match="there is no orders/p"):
            await orders.delete("p")

    simulate(program)


def test_documents_share_nothing_with_those_who_write_or_read_them() -> None:
    async def program() -> None:
        orders = Documents()
        body = {"items": [{"n": 1}]}
        inserted = await orders.insert("o", body)
        body["items"].append({"n": 2})
        inserted.body["items"].clear()
        read = await orders.get("o")
        assert read is not None
        read.body["items"][0]["n"] = 3
        (found,) = await orders.find(lambda document: bool(document.body.pop("items")))
        assert found.body == {"items": [{"n": 1}]}

    simulate(program)


def test_find_takes_fields_and_a_condition_and_orders_by_id() -> None:
    async def program() -> None:
        orders = Documents()
        for id_, n in (("b", 1), ("a", 1), ("c", 2)):
            await orders.insert(id_, {"n": n, "none": None})
        assert [each.id for each in await orders.find()] == ["a", "b", "c"]
        assert [each.id for each in await orders.find(n=1)] == ["a", "b"]
        assert [each.id for each in await orders.find(lambda each: each.id > "a", n=1)] == ["b"]
        assert await orders.find(absent=None) == []
        assert len(await orders.find(none=None)) == 3

    simulate(program)


# -- transactions ---------------------------------------------------------------------


@EVERY_LEVEL
def test_writes_become_visible_together_at_the_commit(isolation: Isolation) -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        await orders.insert("gone", {"n": 1})
        async with orders.transaction(isolation) as tx:
            await tx.update("a", {"n": 2})
            await tx.insert("b", {"n": 2})
            await tx.delete("gone")
            assert await tx.get("gone") is None
            assert [(each.id, each.revision) for each in await tx.find(n=2)] == [("a", 2), ("b", 1)]
            assert bodies(orders) == {"a": {"n": 1}, "gone": {"n": 1}}
        assert bodies(orders) == {"a": {"n": 2}, "b": {"n": 2}}

    made = simulate(program)
    assert made.history.of("committed")[-1].fields == {
        "tx": 1,
        "writes": [["documents", "a", 2], ["documents", "b", 1], ["documents", "gone", 0]],
    }


@EVERY_LEVEL
def test_find_in_a_transaction_sees_its_own_writes_and_those_of_no_other_collection(
    isolation: Isolation,
) -> None:
    async def program() -> None:
        orders = Documents("orders")
        users = Documents("users", database=orders.database)
        await orders.insert("a", {"n": 1})
        await orders.insert("b", {"n": 1})
        async with orders.transaction(isolation) as tx:
            await tx.update("a", {"n": 2})
            await tx.delete("b")
            await users.insert("c", {"n": 1}, tx=tx)
            assert await tx.find(n=1) == []
            assert [each.id for each in await tx.find()] == ["a"]
            assert [each.id for each in await users.find(tx=tx)] == ["c"]

    simulate(program)


@EVERY_LEVEL
@pytest.mark.parametrize("leave", [RuntimeError, asyncio.CancelledError])
def test_leaving_with_an_error_or_cancelled_rolls_back(
    isolation: Isolation, leave: type[BaseException]
) -> None:
    orders = Documents()

    async def work() -> None:
        async with orders.transaction(isolation) as tx:
            await tx.insert("a", {})
            if leave is RuntimeError:
                raise RuntimeError
            await asyncio.sleep(10)

    async def program() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(leave):
            await task
        assert bodies(orders) == {}

    simulate(program)


@EVERY_LEVEL
def test_a_conflict_at_the_commit_writes_nothing_of_the_transaction(isolation: Isolation) -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        with pytest.raises((RevisionConflict, SerializationError)):  # noqa: PT012
            async with orders.transaction(isolation) as tx:
                assert await tx.get("a")
                await tx.insert("b", {})
                await tx.update("a", {"n": 2})
                await orders.update("a", {"n": 3})
        assert bodies(orders) == {"a": {"n": 3}}

    simulate(program)


@EVERY_LEVEL
def test_of_two_inserts_of_one_id_the_second_commit_fails(isolation: Isolation) -> None:
    async def program() -> None:
        orders = Documents()
        with pytest.raises(DocumentError):  # noqa: PT012
            async with orders.transaction(isolation) as tx:
                await tx.insert("a", {"by": "tx"})
                await orders.insert("a", {"by": "other"})
        assert bodies(orders) == {"a": {"by": "other"}}

    simulate(program)


@EVERY_LEVEL
def test_a_document_can_be_written_several_times_in_one_transaction(isolation: Isolation) -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        async with orders.transaction(isolation) as tx:
            assert (await tx.update("a", {"n": 2}, revision=1)).revision == 2
            assert (await tx.update("a", {"n": 3}, revision=2)).revision == 2
            with pytest.raises(RevisionConflict):
                await tx.update("a", {"n": 4}, revision=1)
            await tx.delete("a")
            await tx.insert("a", {"n": 5})
            await tx.insert("b", {})
            await tx.delete("b")
        assert await orders.get("a") == Document(id="a", body={"n": 5}, revision=2)
        assert await orders.get("b") is None

    simulate(program)


def test_the_check_of_a_first_write_holds_although_a_second_one_follows() -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        with pytest.raises(RevisionConflict):  # noqa: PT012
            async with orders.transaction() as tx:
                await tx.update("a", {"n": 2}, revision=1)
                await tx.update("a", {"n": 3}, revision=None)
                await orders.update("a", {"n": 4})

    simulate(program)


def test_an_update_of_what_somebody_deletes_meanwhile_does_not_bring_it_back() -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        with pytest.raises(DocumentError, match="there is no documents/a"):  # noqa: PT012
            async with orders.transaction() as tx:
                await tx.update("a", {"n": 2}, revision=None)
                await orders.delete("a")
        assert bodies(orders) == {}

    simulate(program)


@pytest.mark.parametrize("isolation", SNAPSHOTS)
def test_a_pending_revision_tells_a_snapshot_nothing_of_others(isolation: Isolation) -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {})
        with pytest.raises(SerializationError):  # noqa: PT012
            async with orders.transaction(isolation) as tx:
                await orders.update("a", {})
                assert (await tx.update("a", {})).revision == 2

    simulate(program)


def test_a_serializable_reader_is_never_refused() -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        async with orders.transaction("serializable") as tx:
            await orders.update("a", {"n": 2})
            seen = await tx.get("a")
            assert seen is not None
            assert seen.body == {"n": 1}

    simulate(program)


def test_a_serializable_writer_is_not_refused_for_what_it_did_not_look_at() -> None:
    async def program() -> None:
        orders = Documents()
        await orders.insert("a", {"n": 1})
        async with orders.transaction("serializable") as tx:
            assert await tx.find(n=2) == []
            await tx.insert("b", {"n": 2})
            await orders.update("a", {"n": 3})
        assert bodies(orders) == {"a": {"n": 3}, "b": {"n": 2}}

    simulate(program)


def test_a_transaction_is_used_once_inside_of_async_with_and_on_its_own_database() -> None:
    async def program() -> None:
        orders = Documents()
        tx = orders.transaction()
        with pytest.raises(DocumentError, match="this transaction is new"):
            await tx.get("a")
        async with tx:
            with pytest.raises(DocumentError, match="another database"):
                await Documents().get("a", tx=tx)
        with pytest.raises(DocumentError, match="this transaction is over"):
            await tx.get("a")
        with pytest.raises(DocumentError, match="entered before"):
            await tx.__aenter__()
        with pytest.raises(DocumentError, match="Did you mean 'snapshot'"):
            orders.transaction("snapshots")  # type: ignore[arg-type]

    simulate(program)


def test_queue_and_receiver_calls_in_a_transaction_are_not_rolled_back() -> None:
    orders, queue, receiver = Documents(), Queue(), ReceiverPort()

    async def program() -> None:
        with pytest.raises(RuntimeError):  # noqa: PT012
            async with orders.transaction() as tx:
                await tx.insert("a", {})
                await queue.put("charge")
                await receiver.debit(key="k", fingerprint=("a",))
                raise RuntimeError

    simulate(program)
    assert bodies(orders) == {}
    assert queue.messages == ["charge"]
    assert len(receiver.receiver.effects) == 1


# -- crashes and lost replies, through ports ------------------------------------------


def charged(deps: MockDepsModule, *, in_transaction: bool = True) -> None:
    """Start a node that writes an order and its charge, in one transaction or in two writes."""

    async def node() -> None:
        orders = deps.port("document_command", "orders")
        charges = deps.port("document_command", "charges")
        if in_transaction:
            async with orders.transaction() as tx:
                await tx.insert("o", {})
                await charges.insert("c", {}, tx=tx)
        else:
            await orders.insert("o", {})
            await charges.insert("c", {})

    current().start("node", node)


def left_by(deps: MockDepsModule) -> tuple[int, int]:
    return len(bodies(deps.state.documents("orders"))), len(bodies(deps.state.documents("charges")))


@pytest.mark.parametrize(
    ("op", "when", "left"),
    [
        ("begin", "before", (0, 0)),
        ("begin", "after", (0, 0)),
        ("insert", "before", (0, 0)),
        ("insert", "after", (0, 0)),
        ("commit", "before", (0, 0)),
        ("commit", "after", (1, 1)),
    ],
)
def test_a_crash_in_a_transaction_leaves_nothing_of_it_and_one_after_the_commit_all(
    op: str, when: str, left: tuple[int, int]
) -> None:
    deps = MockDepsModule()

    async def program() -> None:
        charged(deps)
        assert await current().processes["node"].ended() == "crashed"

    struck(program, Crash(), surface="document_command", op=op, when=when)
    assert left_by(deps) == left


def test_twin_without_a_transaction_a_crash_leaves_one_write_of_two() -> None:
    deps = MockDepsModule()

    async def program() -> None:
        charged(deps, in_transaction=False)
        assert await current().processes["node"].ended() == "crashed"

    struck(program, Crash(), surface="document_command", op="insert", when="after")
    assert left_by(deps) == (1, 0)


@pytest.mark.parametrize(("when", "left"), [("before", (0, 0)), ("after", (1, 1))])
def test_a_commit_that_times_out_may_have_happened(
    when: Literal["before", "after"], left: tuple[int, int]
) -> None:
    deps = MockDepsModule()

    async def program() -> None:
        charged(deps)
        assert await current().processes["node"].ended() == "raised"

    fault = OneFault(LostReply(), surface="document_command", op="commit", when=when)
    made = run(program, policy=fault)
    assert made.error is None
    assert fault.exercised
    (lost,) = made.history.of("raise")
    assert (lost.process, lost.fields["error"]) == ("node", "TimeoutError")
    assert left_by(deps) == left


@pytest.mark.parametrize(("at_s", "left"), [(0.045, 0), (0.055, 1)])
def test_a_commit_that_is_cancelled_on_its_way_is_not_made_and_on_the_way_back_it_is(
    at_s: float, left: int
) -> None:
    deps = MockDepsModule()

    async def work() -> None:
        async with deps.port("document_command", "orders").transaction() as tx:
            await tx.insert("o", {})

    async def program() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(at_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    made = simulate(program, policy=OneFault(None))
    assert [event.fields["error"] for event in made.history.of("raise")] == ["CancelledError"]
    assert made.history.of("call")[-1].fields["op"] == "commit"
    assert len(bodies(deps.state.documents("orders"))) == left


def test_the_next_incarnation_finds_what_was_committed_and_nothing_else() -> None:
    deps = MockDepsModule()

    async def first() -> None:
        orders = deps.port("document_command", "orders")
        await orders.insert("kept", {})
        async with orders.transaction() as tx:
            await tx.insert("lost", {})
            await tx.delete("kept")
            current().processes["node"].crash()
            await asyncio.sleep(0)

    async def second() -> None:
        found = await deps.port("document_query", "orders").find()
        assert [each.id for each in found] == ["kept"]

    async def program() -> list[str]:
        return [await process("node", first), await process("node", second)]

    made = simulate(program)
    assert made.result == ["crashed", "returned"]
    assert len(made.history.of("crash")) == 1


def test_rolling_back_sends_nothing() -> None:
    async def program() -> None:
        orders = port(Documents(), surface="document_command", route="orders")
        with pytest.raises(RuntimeError):  # noqa: PT012
            async with orders.transaction() as tx:
                await tx.insert("a", {})
                raise RuntimeError

    calls = simulate(program).history.of("call")
    assert [call.fields["op"] for call in calls] == ["begin", "insert"]


def test_calls_in_a_transaction_are_marked_with_its_number() -> None:
    async def program() -> None:
        orders = port(Documents(), surface="document_command", route="orders")
        async with orders.transaction() as first, orders.transaction() as second:
            await first.insert("a", {"n": 1})
            await orders.get("a", tx=second)
            await orders.get("a")

    calls = simulate(program).history.of("call")
    assert [(call.fields["op"], call.fields.get("asked", {}).get("tx")) for call in calls] == [
        ("begin", None),
        ("begin", None),
        ("insert", 1),
        ("get", 2),
        ("get", None),
        ("commit", 2),
        ("commit", 1),
    ]
