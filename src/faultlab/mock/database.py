"""Committed rows and the transactions over them: what stores of one database share.

A transaction keeps its writes to itself until its commit, which is one step: all of them
become visible, or none. Nothing ever waits for anybody: conflicts are found at the commit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal, TypeAlias, get_args

from faultlab.errors import FaultlabError
from faultlab.mock.plain import copied

Isolation = Literal["read-committed", "snapshot", "serializable"]
ISOLATIONS: Final[tuple[str, ...]] = get_args(Isolation)

AS_READ: Final = "as-read"
Revision: TypeAlias = int | Literal["as-read"] | None
"""The revision that a write expects to find: a number, what this transaction has read, or any."""

ABSENT: Final = 0
"""The revision of what isn't there. The first one that is there has revision 1."""


class DocumentError(FaultlabError):
    """A document isn't there, or is already, or its transaction can't be used."""


class RevisionConflict(DocumentError):
    """A document has another revision than the write expected. Nothing was written."""


class SerializationError(DocumentError):
    """A transaction can't commit: others have committed what it depends on. Nothing was written."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """One document as it was read.

    Attributes:
        id: Its name in its collection.
        body: The reader's own copy of what is stored.
        revision: Counts the writes to this id, from 1; deleting doesn't reset it.
    """

    id: str
    body: dict[str, Any]
    revision: int


Key: TypeAlias = tuple[str, str]
"""A table and an id in it."""

Matches: TypeAlias = Callable[[Document], bool]
Rows: TypeAlias = dict[str, dict[str, Document]]
"""By table and id. A row is replaced and never changed, so identity tells whether it is new."""


@dataclass(frozen=True, kw_only=True)
class Write:
    """A buffered write.

    Attributes:
        document: What is to be there; None deletes.
        expected: The committed revision that has to be there; None for any.
    """

    document: Document | None
    expected: int | None


class Database:
    """What has been committed. It survives every crash.

    Stores that share a database can take part in one transaction.
    """

    def __init__(self) -> None:
        self.rows: Rows = {}
        self._revisions: dict[Key, int] = {}
        self._numbers = count(1)
        self._transactions = count(1)

    def transaction_number(self) -> int:
        """The next transaction's number."""
        return next(self._transactions)

    def number(self) -> int:
        """The next number of a sequence. As in databases it is used up even by a rollback."""
        return next(self._numbers)

    def snapshot(self) -> Rows:
        """All rows as they are now. Rows don't change, so they aren't copied."""
        return {table: dict(rows) for table, rows in self.rows.items()}

    def check(self, writes: Mapping[Key, Write]) -> None:
        """Whether every write finds what it expects.

        Raises:
            RevisionConflict: A revision is another one.
            DocumentError: What is to be inserted is there, or what is to be updated isn't.
        """
        for (table, id_), write in writes.items():
            there = row(self.rows, table, id_)
            if write.expected == ABSENT and there is not None:
                raise DocumentError(
                    f"{table}/{id_} was inserted by somebody else meanwhile. "
                    "Read it, and update it if that is still right."
                )
            if write.expected and (there is None or there.revision != write.expected):
                raise conflict(table, id_, write.expected, there)
            if write.expected is None and write.document is not None and there is None:
                raise missing(table, id_)

    def apply(self, writes: Mapping[Key, Write]) -> list[list[str | int]]:
        """Make the writes visible, all in this one step; [table, id, revision] of each."""
        applied: list[list[str | int]] = []
        for (table, id_), write in writes.items():
            rows = self.rows.setdefault(table, {})
            revision = self._revisions.get((table, id_), ABSENT)
            if write.document is None:
                if rows.pop(id_, None) is None:
                    continue
                applied.append([table, id_, ABSENT])
                continue
            revision += 1
            self._revisions[table, id_] = revision
            rows[id_] = Document(id=id_, body=write.document.body, revision=revision)
            applied.append([table, id_, revision])
        return applied

    def revision_after(self, table: str, id_: str) -> int:
        """The revision that a write which is committed now would get."""
        return self._revisions.get((table, id_), ABSENT) + 1


def row(rows: Rows, table: str, id_: str) -> Document | None:
    """A row, or None."""
    return rows.get(table, {}).get(id_)


def matching(rows: Rows, table: str, matches: Matches) -> dict[str, Document]:
    """The rows of a table that match, by id. `matches` gets a copy: it can change nothing."""
    found = rows.get(table, {})
    return {id_: found[id_] for id_ in sorted(found) if matches(handed_out(found[id_]))}


def handed_out(document: Document) -> Document:
    """The document with a body of its own."""
    return Document(id=document.id, body=copied(document.body), revision=document.revision)


def conflict(table: str, id_: str, expected: int, there: Document | None) -> RevisionConflict:
    """The error that says which revision was expected and which is there."""
    found = "it isn't there" if there is None else f"it has revision {there.revision}"
    return RevisionConflict(
        f"{table}/{id_} was expected at revision {expected}, and {found}. "
        "Read it again, decide again and write with the new revision."
    )


def missing(table: str, id_: str) -> DocumentError:
    """The error that says there is nothing to update or delete."""
    return DocumentError(f"there is no {table}/{id_}. Insert it first, or look with get.")
