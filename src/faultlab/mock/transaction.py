"""One transaction: reads under its isolation level, buffered writes, one atomic commit."""

from collections.abc import Mapping
from typing import Any, Final

from faultlab.mock.common import note
from faultlab.mock.database import (
    ABSENT,
    AS_READ,
    Database,
    Document,
    DocumentError,
    Isolation,
    Key,
    Matches,
    Revision,
    Rows,
    SerializationError,
    Write,
    conflict,
    handed_out,
    matching,
    missing,
    row,
)
from faultlab.mock.plain import copied


class Transaction:
    """Buffered writes of one process. Made by `Documents.transaction`, entered with `async with`.

    Leaving without an error commits; leaving with one, a cancellation included, drops the
    buffer. Nothing has left the process until the commit, so a crash leaves nothing of it.

    - `read-committed`: each read sees what is committed at that moment. A write to what this
      transaction has read expects to find it at the revision read, unless it says otherwise.
    - `snapshot`: all reads see what was committed when it began; the commit fails if anybody
      else has committed a write to what it writes (the first committer wins).
    - `serializable`: a snapshot, and the commit of a transaction that writes also fails if what
      it read or looked for would now be found otherwise.

    Every level sees its own writes. A pending document shows the revision that a commit at
    the time of the write would have given it.
    """

    port_ops: Final = ("begin", "commit", None)
    """What a port calls entering and leaving; to roll back nothing is sent."""

    def __init__(self, database: Database, table: str, isolation: Isolation) -> None:
        self.database = database
        self.isolation: Final = isolation
        self.number = 0
        """Counts the transactions of its database from 1, once it has begun."""
        self._table = table
        self._state = "new"
        self._snapshot: Rows | None = None
        self._writes: dict[Key, Write] = {}
        self._read: dict[Key, Document | None] = {}
        self._looked_for: list[tuple[str, Matches]] = []

    @property
    def port_mark(self) -> dict[str, Any]:
        """What the history keeps with each call in this transaction."""
        return {"tx": self.number}

    async def __aenter__(self) -> "Transaction":
        self.number = self.database.transaction_number()
        self.begin()
        return self

    async def __aexit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is None:
            self.commit()
        else:
            self._end()

    async def get(self, document_id: str) -> Document | None:
        """The document, as this transaction sees it, or None."""
        return self.read(self._table, document_id)

    async def find(self, matches: Matches | None = None, /, **equal: Any) -> list[Document]:
        """All documents that match, by id; see `Documents.find`."""
        return self.select(self._table, wanted(matches, equal))

    async def insert(self, document_id: str, body: Mapping[str, Any]) -> Document:
        """Buffer a new document. Raises DocumentError if there is one."""
        return self.create(self._table, document_id, body)

    async def update(
        self,
        document_id: str,
        body: Mapping[str, Any],
        *,
        revision: Revision = AS_READ,
    ) -> Document:
        """Buffer a new body for a document.

        Args:
            document_id: Which document.
            body: The whole new body.
            revision: The revision that is expected, now and at the commit; `as-read` is the
                one that this transaction has read, if any; None is any, so that the last
                writer wins.

        Raises:
            RevisionConflict: The revision that this transaction sees is another one.
            DocumentError: There is no such document.
        """
        return self.replace(self._table, document_id, body, revision)

    async def delete(self, document_id: str, *, revision: Revision = AS_READ) -> None:
        """Buffer the removal of a document; `revision` as in `update`."""
        self.remove(self._table, document_id, revision)

    # -- for the stores of the same database -----------------------------------------

    def begin(self) -> None:
        """Open it. A snapshot is taken now."""
        if self._state != "new":
            raise DocumentError("this transaction was entered before. Make a new one each time.")
        self._state = "open"
        if self.isolation != "read-committed":
            self._snapshot = self.database.snapshot()

    def read(self, table: str, id_: str) -> Document | None:
        """A document of any table, as this transaction sees it."""
        seen = self._see(table, id_)
        if (table, id_) not in self._writes:
            self._read[table, id_] = seen
        return None if seen is None else handed_out(seen)

    def select(self, table: str, matches: Matches) -> list[Document]:
        """The documents of any table that match, as this transaction sees them."""
        found = matching(self._rows(), table, matches)
        self._looked_for.append((table, matches))
        for id_, document in found.items():
            if (table, id_) not in self._writes:
                self._read[table, id_] = document
        for (written_table, id_), write in self._writes.items():
            if written_table == table:
                found.pop(id_, None)
                if write.document is not None and matches(handed_out(write.document)):
                    found[id_] = write.document
        return [handed_out(found[id_]) for id_ in sorted(found)]

    def create(self, table: str, id_: str, body: Mapping[str, Any]) -> Document:
        """Buffer a new document in any table."""
        if self._see(table, id_) is not None:
            raise DocumentError(
                f"there is {table}/{id_} already. Update it, or insert under another id."
            )
        pending = self._writes.get((table, id_))
        return self._buffer(table, id_, body, ABSENT if pending is None else pending.expected)

    def replace(
        self, table: str, id_: str, body: Mapping[str, Any], revision: Revision
    ) -> Document:
        """Buffer a new body in any table."""
        return self._buffer(table, id_, body, self._expected(table, id_, revision))

    def remove(self, table: str, id_: str, revision: Revision) -> None:
        """Buffer a removal in any table."""
        expected = self._expected(table, id_, revision)
        self._writes[table, id_] = Write(document=None, expected=expected)

    def commit(self) -> None:
        """Make all writes visible in this one step, or none."""
        self._rows()
        writes, database = self._writes, self.database
        try:
            if writes and self._snapshot is not None:
                self._validate(self._snapshot)
            database.check(writes)
            applied = database.apply(writes)
        finally:
            self._end()
        if applied:
            note("committed", tx=self.number, writes=applied)

    # --------------------------------------------------------------------------------

    def _rows(self) -> Rows:
        if self._state != "open":
            raise DocumentError(
                f"this transaction is {self._state}. Use it inside `async with "
                "documents.transaction() as tx`, and nowhere else."
            )
        return self.database.rows if self._snapshot is None else self._snapshot

    def _see(self, table: str, id_: str) -> Document | None:
        rows = self._rows()
        pending = self._writes.get((table, id_))
        return row(rows, table, id_) if pending is None else pending.document

    def _expected(self, table: str, id_: str, revision: Revision) -> int | None:
        """The revision that has to be committed when this transaction commits."""
        seen = self._see(table, id_)
        pending = self._writes.get((table, id_))
        if revision == AS_READ:
            read = self._read.get((table, id_))
            revision = None if read is None or pending is not None else read.revision
        if isinstance(revision, int) and (seen is None or seen.revision != revision):
            raise conflict(table, id_, revision, seen)
        if seen is None:
            raise missing(table, id_)
        return revision if pending is None else pending.expected

    def _buffer(
        self, table: str, id_: str, body: Mapping[str, Any], expected: int | None
    ) -> Document:
        seen = self._see(table, id_)
        pending = self._writes.get((table, id_))
        if seen is None:
            revision = self.database.revision_after(table, id_)
        else:
            revision = seen.revision + (1 if pending is None else 0)
        document = Document(id=id_, body=copied(dict(body)), revision=revision)
        self._writes[table, id_] = Write(document=document, expected=expected)
        return handed_out(document)

    def _validate(self, snapshot: Rows) -> None:
        """Whether what it wrote, and if serializable also what it read, is still as it was."""
        committed = self.database.rows
        keys = list(self._writes)
        if self.isolation == "serializable":
            keys += self._read
            for table, matches in self._looked_for:
                if not _same(
                    matching(snapshot, table, matches), matching(committed, table, matches)
                ):
                    raise _moved(f"what was looked for in {table}")
        for table, id_ in keys:
            if row(committed, table, id_) is not row(snapshot, table, id_):
                raise _moved(f"{table}/{id_}")

    def _end(self) -> None:
        self._state = "over"
        self._writes = {}


def wanted(matches: Matches | None, equal: Mapping[str, Any]) -> Matches:
    """Whether a document meets a condition and has these values in its body's fields."""

    def both(document: Document) -> bool:
        body = document.body
        return (matches is None or bool(matches(document))) and all(
            field in body and body[field] == value for field, value in equal.items()
        )

    return both


def _same(before: dict[str, Document], after: dict[str, Document]) -> bool:
    return before.keys() == after.keys() and all(after[id_] is before[id_] for id_ in before)


def _moved(what: str) -> SerializationError:
    return SerializationError(
        f"{what} has changed since this transaction began. Run the whole transaction again, "
        "its reads included."
    )
