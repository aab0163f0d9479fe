"""The transactions of `faultlab.mock` documents, with nothing more to record."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from faultlab.dst.selecting import returned
from faultlab.dst.transactions import Access, Transaction, Transactions
from faultlab.kernel import Event, History

_WRITES = ("insert", "update", "delete")


def document_transactions() -> Transactions:
    """The transactions over the documents of one `MockState`, from what ports and store recorded.

    What was written, and in which version, is what the store committed; so no ending is unknown.
    Operations outside of a transaction are their own: a write is one, a read is left out. A
    document that is ever deleted is left out, for absence has no versions.
    """

    def select(history: History) -> list[Transaction]:
        committed = history.of("committed")
        deleted = {
            f"{table}/{id_}"
            for event in committed
            for table, id_, revision in event.fields["writes"]
            if not revision
        }
        reads = _reads(history)
        finished = {event.fields.get("tx") for event in returned(op="commit")(history)}
        made = [
            _made(tx, reads.pop(tx, []), event, deleted, finished=True)
            for event in committed
            for tx in [event.fields["tx"]]
        ]
        made += [
            _made(tx, seen, None, deleted, finished=tx in finished) for tx, seen in reads.items()
        ]
        return [replace(one, began_s=history[one.began_seq].time_s) for one in made if one.accesses]

    select.__name__ = "transactions of documents"
    return select


def _reads(history: History) -> dict[int, list[Access]]:
    """What each transaction read of others; reads of its own buffered writes are left out."""
    found: dict[int, list[Access]] = {}
    own: set[tuple[int, str]] = set()
    for event in returned(surface=("document_query", "document_command"))(history):
        tx = event.fields.get("tx")
        if not tx:
            continue
        if event.fields["op"] in _WRITES:
            own.add((tx, f"{event.fields['route']}/{event.fields['document_id']}"))
        for id_, revision in _seen(event):
            key = f"{event.fields['route']}/{id_}"
            if (tx, key) not in own:
                access = Access(kind="read", key=key, version=revision, seq=event.seq)
                found.setdefault(tx, []).append(access)
    return found


def _seen(event: Event) -> Iterator[tuple[str, int]]:
    """Ids and revisions that a read returned; 0 for what is not there."""
    if event.fields["op"] == "get":
        yield event.fields["document_id"], event.fields.get("revision", 0)
    elif event.fields["op"] == "find":
        for document in event.fields.get("known") or []:
            yield document["id"], document["revision"]


def _made(
    tx: int,
    reads: list[Access],
    commit: Event | None,
    deleted: set[str],
    *,
    finished: bool,
) -> Transaction:
    writes: list[Any] = [] if commit is None else commit.fields["writes"]
    accesses = reads + [
        Access(
            kind="write", key=f"{table}/{id_}", version=revision, seq=commit.seq if commit else 0
        )
        for table, id_, revision in writes
    ]
    accesses = [access for access in accesses if access.key not in deleted]
    seq = commit.seq if commit is not None else reads[0].seq
    return Transaction(
        name=f"transaction {tx}" if tx else f"write #{seq}",
        accesses=tuple(accesses),
        ending="committed" if finished else "aborted",
        began_seq=accesses[0].seq if accesses else seq,
        ended_seq=commit.seq if commit is not None else None,
    )
