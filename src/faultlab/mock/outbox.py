"""An outbox: messages that are written with the change that they tell of, and sent later."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from faultlab.mock.database import Database
from faultlab.mock.documents import joined
from faultlab.mock.transaction import Transaction


@dataclass(frozen=True, kw_only=True)
class OutboxEntry:
    """A message that waits to be published.

    Attributes:
        id: The message's own id, by which a consumer can tell a repetition.
        message: What is to be published.
    """

    id: str
    message: Any


class Outbox:
    """Messages in the database, so that a transaction writes them together with its documents.

    Args:
        name: Its name in errors and in the history, and the beginning of its messages' ids.
        database: What it shares with the documents; None makes one of its own.
    """

    def __init__(self, name: str = "outbox", *, database: Database | None = None) -> None:
        self.name = name
        self.database = database or Database()
        self._table = f"outbox/{name}"

    async def add(self, message: Any, *, tx: Transaction | None = None) -> str:
        """Write a message, in a transaction if one is given; its id."""
        number = self.database.number()
        id_ = f"{self.name}-{number}"
        with joined(self.database, tx) as at:
            at.create(self._table, id_, {"number": number, "message": message})
        return id_

    async def pending(self) -> list[OutboxEntry]:
        """What is committed and not deleted, in the order in which it was added."""
        with joined(self.database, None) as at:
            rows = at.select(self._table, lambda _: True)
        rows.sort(key=lambda row: row.body["number"])
        return [OutboxEntry(id=row.id, message=row.body["message"]) for row in rows]

    async def delete(self, entry_id: str) -> None:
        """Remove a message that is published; nothing happens if another relay was faster."""
        with joined(self.database, None) as at:
            if at.read(self._table, entry_id) is not None:
                at.remove(self._table, entry_id, None)


async def relay(
    outbox: Outbox,
    publish: Callable[[OutboxEntry], Awaitable[object]],
    *,
    passes: int = 1,
    every_s: float = 1.0,
) -> int:
    """Publish what is pending, oldest first, and delete each message once that is confirmed.

    A message is published at least once: a relay that stops between the two, or a confirmation
    that is lost, lets it be published again under the same id. After an `OSError`, such as
    `TimeoutError` and `ConnectionError`, a pass ends, so that the order is kept, and the next one
    tries again; every other error is raised.

    Args:
        outbox: Where the messages are.
        publish: Sends one entry. It returns once the message is taken.
        passes: How often to look.
        every_s: Virtual seconds from the end of a pass to the next one.

    Returns:
        How many messages were published and deleted.
    """
    done = 0
    for nth in range(passes):
        if nth:
            await asyncio.sleep(every_s)
        try:
            for entry in await outbox.pending():
                await publish(entry)
                await outbox.delete(entry.id)
                done += 1
        except OSError:
            continue
    return done
