"""An inbox: which messages have taken effect, kept where the effect is kept."""

from faultlab.mock.database import Database
from faultlab.mock.documents import joined
from faultlab.mock.transaction import Transaction


class Inbox:
    """Message ids that were seen. They are kept for ever.

    Args:
        name: Its name in errors and in the history.
        database: What it shares with the documents; None makes one of its own.
    """

    def __init__(self, name: str = "inbox", *, database: Database | None = None) -> None:
        self.name = name
        self.database = database or Database()
        self._table = f"inbox/{name}"

    async def seen(self, message_id: str | int, *, tx: Transaction | None = None) -> bool:
        """Whether this message was seen before; if not, it is from now on.

        With a transaction the id is written at its commit, together with the effect. Of two
        consumers at the same time both are told False, and the second commit fails with a
        `DocumentError` (above read committed a `SerializationError`), its effect with it.

        Without one the id is written at once: a consumer that stops between this and its effect has
        lost the message for good.
        """
        with joined(self.database, tx) as at:
            if at.read(self._table, str(message_id)) is not None:
                return True
            at.create(self._table, str(message_id), {})
            return False
