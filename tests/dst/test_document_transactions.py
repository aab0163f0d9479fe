"""Transactions are read off what the mock's documents recorded."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from faultlab.dst.invariants import document_transactions, judge, serializable
from faultlab.kernel import History, current, run
from faultlab.mock import LostReply, MockDepsModule, OneFault, SerializationError


def history_of(story: Callable[[Any], Awaitable[None]], *, policy: Any = None) -> History:
    """What a story over one collection records."""

    async def program() -> None:
        documents = MockDepsModule().port("document_command", "doctors")
        await documents.insert("ada", {"on_call": True})
        await documents.insert("bo", {"on_call": True})

        async def worker() -> None:
            await story(documents)

        await current().start("worker", worker).ended()

    return run(program, policy=policy).history


def skew(isolation: str) -> Callable[[Any], Awaitable[None]]:
    """Two transactions, each inside of the other, each reads what the other one writes."""

    async def story(documents: Any) -> None:
        with suppress(SerializationError):  # from the level that prevents it
            async with documents.transaction(isolation) as one:
                await one.get("bo")
                async with documents.transaction(isolation) as other:
                    await other.get("ada")
                    await other.update("bo", {"on_call": False})
                await one.update("ada", {"on_call": False})

    return story


def test_write_skew_is_found_where_the_level_permits_it() -> None:
    (broken,) = judge(history_of(skew("snapshot")), [serializable(document_transactions())])
    assert broken.message.startswith("G2 (write skew)")


def test_a_transaction_that_could_not_commit_breaks_nothing() -> None:
    history = history_of(skew("serializable"))
    assert judge(history, [serializable(document_transactions())]) == []
    endings = {one.ending for one in document_transactions()(history)}
    assert endings == {"committed", "aborted"}


def test_a_transaction_has_the_versions_that_were_committed_and_not_its_own_reads() -> None:
    async def story(documents: Any) -> None:
        async with documents.transaction() as tx:
            await tx.find()
            await tx.update("ada", {"on_call": False})
            await tx.get("ada")

    *_, one = [t for t in document_transactions()(history_of(story)) if t.name == "transaction 1"]
    assert [(a.kind, a.key, a.version) for a in one.accesses] == [
        ("read", "doctors/ada", 1),
        ("read", "doctors/bo", 1),
        ("write", "doctors/ada", 2),
    ]


def test_a_document_that_is_deleted_is_left_out() -> None:
    async def story(documents: Any) -> None:
        async with documents.transaction() as tx:
            await tx.get("ada")
            await tx.get("bo")
        await documents.delete("ada")

    keys = {a.key for t in document_transactions()(history_of(story)) for a in t.accesses}
    assert keys == {"doctors/bo"}


@pytest.mark.parametrize("lost", [False, True])
def test_a_lost_reply_to_the_commit_changes_nothing_about_what_was_committed(lost: bool) -> None:
    async def story(documents: Any) -> None:
        async with documents.transaction() as tx:
            await tx.update("ada", {"on_call": False})

    fault = OneFault(LostReply(), surface="document_command", op="commit") if lost else None
    found = document_transactions()(history_of(story, policy=fault))
    (one,) = [t for t in found if t.name == "transaction 1"]
    assert one.ending == "committed"
    assert fault is None or fault.exercised
