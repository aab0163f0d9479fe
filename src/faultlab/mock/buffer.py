"""What one transaction has read and is about to write: isolation, revisions, the commit."""

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


class Buffer:
    """The reads and buffered writes of one transaction, in all tables of its database."""

    def __init__(self, database: Database, isolation: Isolation = "read-committed") -> None:
        self.database: Final = database
        self.isolation: Final = isolation
        self.number = 0
        """Counts the transactions of its database from 1; 0 for a single operation."""
        self._state = "new"
        self._snapshot: Rows | None = None
        self._writes: dict[Key, Write] = {}
        self._read: dict[Key, Document | None] = {}
        self._looked_for: list[tuple[str, Matches]] = []

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
            self.end()
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

    def end(self) -> None:
        """Drop what is buffered, and refuse to be used again."""
        self._state = "over"
        self._writes = {}


def _same(before: dict[str, Document], after: dict[str, Document]) -> bool:
    return before.keys() == after.keys() and all(after[id_] is before[id_] for id_ in before)


def _moved(what: str) -> SerializationError:
    return SerializationError(
        f"{what} has changed since this transaction began. Run the whole transaction again, "
        "its reads included."
    )
