"""A collection of documents: revisions, conditions, and transactions over several of them."""

from collections.abc import Mapping
from typing import Any

from faultlab.mock.buffer import Buffer
from faultlab.mock.database import (
    AS_READ,
    ISOLATIONS,
    Database,
    Document,
    DocumentError,
    Isolation,
    Matches,
    Revision,
)
from faultlab.mock.ports import behind
from faultlab.mock.transaction import Transaction, wanted
from faultlab.naming import nearest


class Documents:
    """Documents by id, as a document database keeps them. What is committed survives every crash.

    Each operation is atomic by itself. Given `tx=`, it takes part in that transaction instead,
    also if it was opened on another collection of the same database.

    Args:
        name: The collection's name in errors and in the history.
        database: What it shares with other stores; None makes one of its own.
    """

    def __init__(self, name: str = "documents", *, database: Database | None = None) -> None:
        self.name = name
        self.database = database or Database()

    def transaction(self, isolation: Isolation = "read-committed") -> Transaction:
        """A transaction, to be entered with `async with`; see `Transaction` for the levels.

        Raises:
            DocumentError: There is no such level.
        """
        if isolation not in ISOLATIONS:
            raise DocumentError(
                f"isolation={isolation!r} is unknown.{nearest(str(isolation), ISOLATIONS)} "
                f"Allowed: {', '.join(ISOLATIONS)}."
            )
        return Transaction(Buffer(self.database, isolation), self.name)

    async def get(
        self,
        document_id: str,
        *,
        tx: Transaction | None = None,
    ) -> Document | None:
        """The document with its revision, or None."""
        with joined(self.database, tx) as at:
            return at.read(self.name, document_id)

    async def find(
        self, matches: Matches | None = None, /, *, tx: Transaction | None = None, **equal: Any
    ) -> list[Document]:
        """All documents that match, ordered by id.

        Args:
            matches: A condition on a document; None for every one.
            tx: The transaction to take part in.
            **equal: Fields of the body and the values that they have to have.
        """
        with joined(self.database, tx) as at:
            return at.select(self.name, wanted(matches, equal))

    async def insert(
        self,
        document_id: str,
        body: Mapping[str, Any],
        *,
        tx: Transaction | None = None,
    ) -> Document:
        """Store a new document.

        Raises:
            DocumentError: There is one of that id.
        """
        with joined(self.database, tx) as at:
            return at.create(self.name, document_id, body)

    async def update(
        self,
        document_id: str,
        body: Mapping[str, Any],
        *,
        revision: Revision = AS_READ,
        tx: Transaction | None = None,
    ) -> Document:
        """Replace the body of a document.

        Args:
            document_id: Which document.
            body: The whole new body.
            revision: The revision that is expected. Without it the last writer wins, except
                in a transaction that has read the document.
            tx: The transaction to take part in.

        Raises:
            RevisionConflict: The document has another revision.
            DocumentError: There is no such document.
        """
        with joined(self.database, tx) as at:
            return at.replace(self.name, document_id, body, revision)

    async def delete(
        self,
        document_id: str,
        *,
        revision: Revision = AS_READ,
        tx: Transaction | None = None,
    ) -> None:
        """Remove a document; `revision` and errors as for `update`."""
        with joined(self.database, tx) as at:
            at.remove(self.name, document_id, revision)


class joined:  # noqa: N801
    """The given transaction, which goes on; or one for this step alone, which commits here."""

    def __init__(self, database: Database, tx: Transaction | None) -> None:
        self._alone = tx is None
        if tx is None:
            self._buffer = Buffer(database)
            self._buffer.begin()
            return
        self._buffer = behind(tx).buffer
        if self._buffer.database is not database:
            raise DocumentError(
                "the transaction belongs to another database. Make both stores of one "
                "MockState, or hand the same Database to both."
            )

    def __enter__(self) -> Buffer:
        return self._buffer

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if self._alone and kind is None:
            self._buffer.commit()
