"""One transaction: reads under its isolation level, buffered writes, one atomic commit."""

from collections.abc import Mapping
from typing import Any, Final

from faultlab.mock.buffer import Buffer
from faultlab.mock.database import AS_READ, Document, Matches, Revision


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

    Every level sees its own writes. What is buffered shows the revision that follows the one
    that was seen when it was first written, however often it is written.
    """

    port_ops: Final = ("begin", "commit", None)
    """What a port calls entering and leaving; to roll back nothing is sent."""

    def __init__(self, buffer: Buffer, table: str) -> None:
        self.buffer = buffer
        """For the stores of the same database. Going past `async with` goes past the gate."""
        self._table = table

    @property
    def port_mark(self) -> dict[str, Any]:
        """What the history keeps with each call in this transaction."""
        return {"tx": self.buffer.number}

    async def __aenter__(self) -> "Transaction":
        self.buffer.begin()
        self.buffer.number = self.buffer.database.transaction_number()
        return self

    async def __aexit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is None:
            self.buffer.commit()
        else:
            self.buffer.end()

    async def get(self, document_id: str) -> Document | None:
        """The document, as this transaction sees it, or None."""
        return self.buffer.read(self._table, document_id)

    async def find(self, matches: Matches | None = None, /, **equal: Any) -> list[Document]:
        """All documents that match, by id; see `Documents.find`."""
        return self.buffer.select(self._table, wanted(matches, equal))

    async def insert(self, document_id: str, body: Mapping[str, Any]) -> Document:
        """Buffer a new document. Raises DocumentError if there is one."""
        return self.buffer.create(self._table, document_id, body)

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
        return self.buffer.replace(self._table, document_id, body, revision)

    async def delete(self, document_id: str, *, revision: Revision = AS_READ) -> None:
        """Buffer the removal of a document; `revision` as in `update`."""
        self.buffer.remove(self._table, document_id, revision)


def wanted(matches: Matches | None, equal: Mapping[str, Any]) -> Matches:
    """Whether a document meets a condition and has these values in its body's fields."""

    def both(document: Document) -> bool:
        body = document.body
        return (matches is None or bool(matches(document))) and all(
            field in body and body[field] == value for field, value in equal.items()
        )

    return both
