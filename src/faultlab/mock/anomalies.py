"""The classic anomalies of concurrent transactions, each as a small program that can show it.

Names and histories: Berenson et al., A Critique of ANSI SQL Isolation Levels (1995); Fekete,
O'Neil and O'Neil, A Read-Only Transaction Anomaly Under Snapshot Isolation (2004). Whether a
level permits an anomaly is about `Transaction`, not about a product with a level of that name.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from faultlab.mock.database import AS_READ, Document, DocumentError, Isolation, Revision
from faultlab.mock.documents import Documents
from faultlab.mock.transaction import Transaction

Level = Literal["none", "read-committed, unguarded", "read-committed", "snapshot", "serializable"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""The columns of the table. `none` writes at once; unguarded writes pass `revision=None`."""

Values: TypeAlias = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was seen and left behind.

    Attributes:
        read: What each transaction read, in its order, whether or not it committed; a search
            is the number of documents found.
        committed: The transactions that committed.
        final: The values at the end.
    """

    read: Mapping[str, tuple[int | None, ...]]
    committed: frozenset[str]
    final: Mapping[str, int]


class Session:
    """One transaction of a story. Before each operation anybody else may come first."""

    def __init__(self, documents: Documents | Transaction, revision: Revision) -> None:
        self._documents = documents
        self._revision: Revision = revision
        self.reads: list[int | None] = []

    async def read(self, id_: str) -> int:
        """A value; 0 if it isn't there."""
        await asyncio.sleep(0)
        found = await self._documents.get(id_)
        self.reads.append(None if found is None else found.body["value"])
        return 0 if found is None else int(found.body["value"])

    async def write(self, id_: str, value: int) -> None:
        """Replace a value."""
        await asyncio.sleep(0)
        await self._documents.update(id_, {"value": value}, revision=self._revision)

    async def insert(self, id_: str) -> None:
        """Add a document."""
        await asyncio.sleep(0)
        await self._documents.insert(id_, {"value": 1})

    async def count(self) -> int:
        """How many documents there are with the value 1."""
        await asyncio.sleep(0)
        found: list[Document] = await self._documents.find(value=1)
        self.reads.append(len(found))
        return len(found)


Story: TypeAlias = Callable[[Session], Awaitable[None]]


class _RolledBack(Exception):
    """A transaction of a story leaves without committing."""


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """One anomaly.

    Attributes:
        name: Its usual name.
        says: What happens, in a sentence.
        start: The values before.
        transactions: What runs at the same time, by name.
        happened: Whether an outcome shows it.
        permitted: The levels at which it can happen; tested, both ways.
    """

    name: str
    says: str
    start: Values = field(default_factory=dict)
    transactions: Mapping[str, Story]
    happened: Callable[[Outcome], bool]
    permitted: frozenset[Level]

    async def play(self, level: Level, documents: Documents | None = None) -> Outcome:
        """Run the transactions at the same time, once, and say what came of it."""
        documents = documents or Documents()
        for id_, value in self.start.items():
            await documents.insert(id_, {"value": value})
        read: dict[str, tuple[int | None, ...]] = {}
        committed: set[str] = set()

        async def one(name: str, story: Story) -> None:
            reads, done = await _transact(documents, level, story)
            read[name] = reads
            if done:
                committed.add(name)

        async with asyncio.TaskGroup() as group:
            for name, story in self.transactions.items():
                group.create_task(one(name, story), name=name)
        final = {each.id: each.body["value"] for each in await documents.find()}
        return Outcome(read=read, committed=frozenset(committed), final=final)


async def _transact(
    documents: Documents, level: Level, story: Story
) -> tuple[tuple[int | None, ...], bool]:
    """What one transaction read, and whether it committed."""
    session = Session(documents, AS_READ)
    try:
        if level == "none":
            await story(session)
        else:
            async with documents.transaction(_ISOLATION[level]) as tx:
                unguarded = level == "read-committed, unguarded"
                session = Session(tx, None if unguarded else AS_READ)
                await story(session)
                await asyncio.sleep(0)  # what happens just before the commit matters, too
    except (_RolledBack, DocumentError):
        return tuple(session.reads), False
    return tuple(session.reads), True


_ISOLATION: Final[dict[Level, Isolation]] = {
    "read-committed, unguarded": "read-committed",
    "read-committed": "read-committed",
    "snapshot": "snapshot",
    "serializable": "serializable",
}


def _writes(**values: int) -> Story:
    async def story(tx: Session) -> None:
        for id_, value in values.items():
            await tx.write(id_, value)

    return story


def _reads(*ids: str) -> Story:
    async def story(tx: Session) -> None:
        for id_ in ids:
            await tx.read(id_)

    return story


def _adds(id_: str, value: int) -> Story:
    async def story(tx: Session) -> None:
        await tx.write(id_, await tx.read(id_) + value)

    return story


async def _writes_and_rolls_back(tx: Session) -> None:
    await tx.write("x", 1)
    await asyncio.sleep(0)
    raise _RolledBack


async def _counts_twice(tx: Session) -> None:
    await tx.count()
    await tx.count()


async def _inserts(tx: Session) -> None:
    await tx.insert("new")


def _goes_off_call(id_: str) -> Story:
    async def story(tx: Session) -> None:
        if await tx.read("x") + await tx.read("y") == 2:
            await tx.write(id_, 0)

    return story


def _books(id_: str) -> Story:
    async def story(tx: Session) -> None:
        if await tx.count() == 0:
            await tx.insert(id_)

    return story


async def _withdraws(tx: Session) -> None:
    x, y = await tx.read("x"), await tx.read("y")
    charge = 1 if x + y < 10 else 0
    await tx.write("x", x - 10 - charge)


_WITHOUT_SNAPSHOT: Final[frozenset[Level]] = frozenset(LEVELS[:3])
_WITHOUT_ORDER: Final[frozenset[Level]] = frozenset(LEVELS[:4])

ANOMALIES: Final[tuple[Anomaly, ...]] = (
    Anomaly(
        name="dirty write",
        says="Two transactions write the same two documents, and one write of each survives.",
        start={"x": 0, "y": 0},
        transactions={"t1": _writes(x=1, y=1), "t2": _writes(x=2, y=2)},
        happened=lambda outcome: outcome.final["x"] != outcome.final["y"],
        permitted=frozenset({"none"}),
    ),
    Anomaly(
        name="dirty read",
        says="A transaction reads what another one has written and then rolls back.",
        start={"x": 0},
        transactions={"t1": _writes_and_rolls_back, "t2": _reads("x")},
        happened=lambda outcome: outcome.read["t2"] == (1,),
        permitted=frozenset({"none"}),
    ),
    Anomaly(
        name="lost update",
        says="Two transactions add to what both have read, and one addition is gone.",
        start={"x": 0},
        transactions={"t1": _adds("x", 1), "t2": _adds("x", 1)},
        happened=lambda outcome: outcome.final["x"] < len(outcome.committed),
        permitted=frozenset({"none", "read-committed, unguarded"}),
    ),
    Anomaly(
        name="non-repeatable read",
        says="A transaction reads a document twice and finds two values.",
        start={"x": 0},
        transactions={"t1": _reads("x", "x"), "t2": _writes(x=1)},
        happened=lambda outcome: len(set(outcome.read["t1"])) > 1,
        permitted=_WITHOUT_SNAPSHOT,
    ),
    Anomaly(
        name="read skew",
        says="A transaction reads two documents, one before and one after a move between them.",
        start={"x": 1, "y": 1},
        transactions={"t1": _reads("x", "y"), "t2": _writes(x=0, y=2)},
        happened=lambda outcome: outcome.read["t1"] == (1, 2),
        permitted=_WITHOUT_SNAPSHOT,
    ),
    Anomaly(
        name="phantom",
        says="A transaction looks twice for the same thing and finds one document more.",
        transactions={"t1": _counts_twice, "t2": _inserts},
        happened=lambda outcome: len(set(outcome.read["t1"])) > 1,
        permitted=_WITHOUT_SNAPSHOT,
    ),
    Anomaly(
        name="write skew",
        says="Each of two goes off call because the other one is on call; then nobody is.",
        start={"x": 1, "y": 1},
        transactions={"t1": _goes_off_call("x"), "t2": _goes_off_call("y")},
        happened=lambda outcome: outcome.final == {"x": 0, "y": 0},
        permitted=_WITHOUT_ORDER,
    ),
    Anomaly(
        name="write skew by phantom",
        says="Two look for a booking, find none, and each inserts one.",
        transactions={"t1": _books("first"), "t2": _books("second")},
        happened=lambda outcome: len(outcome.final) == 2,
        permitted=_WITHOUT_ORDER,
    ),
    Anomaly(
        name="read-only anomaly",
        says="A reader sees the deposit without the withdrawal, which was charged without it.",
        start={"x": 0, "y": 0},
        transactions={"deposit": _adds("y", 20), "withdraw": _withdraws, "read": _reads("x", "y")},
        happened=lambda outcome: outcome.read["read"] == (0, 20) and outcome.final["x"] == -11,
        permitted=_WITHOUT_ORDER,
    ),
)
"""From the mildest guarantee to the strongest that is needed to prevent it."""


def anomaly_table() -> list[list[str]]:
    """The table with its head: an anomaly a row, a level a column, `permitted` or `prevented`."""
    return [
        ["anomaly", *LEVELS],
        *(
            [each.name]
            + ["permitted" if level in each.permitted else "prevented" for level in LEVELS]
            for each in ANOMALIES
        ),
    ]
