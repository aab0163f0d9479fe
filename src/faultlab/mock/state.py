"""All stores of one simulation, each made on first use; and the surfaces that reach them."""

from collections.abc import Callable
from typing import Any, Final

from faultlab.errors import FaultlabError
from faultlab.mock.clock import Clock
from faultlab.mock.database import Database
from faultlab.mock.documents import Documents
from faultlab.mock.inbox import Inbox
from faultlab.mock.journal import Journal
from faultlab.mock.locks import FencedRegister, Locks
from faultlab.mock.outbox import Outbox
from faultlab.mock.queue import Queue
from faultlab.mock.receiver_port import ReceiverPort
from faultlab.mock.surfaces import operations_of
from faultlab.naming import nearest

SURFACES: Final[dict[str, frozenset[str]]] = {
    "document_query": frozenset({"get", "find"}),
    "document_command": frozenset({"begin", "insert", "update", "delete", "commit"}),
    "queue_query": frozenset({"receive"}),
    "queue_command": frozenset({"put", "acknowledge", "extend", "negative_acknowledge"}),
    "lock": frozenset({"acquire", "renew", "release"}),
    "register": frozenset({"read", "write"}),
    "outbox": frozenset({"add", "pending", "delete"}),
    "inbox": frozenset({"seen"}),
    "journal": frozenset({"append", "holds"}),
    "receiver": frozenset({"debit"}),
    "clock": frozenset({"now_s"}),
}
"""Every surface with its operations: where a call stands in the history, whatever port made it."""

STORES: Final[dict[str, str]] = {
    "document_query": "documents",
    "document_command": "documents",
    "queue_query": "queue",
    "queue_command": "queue",
    **{name: name for name in SURFACES if not name.startswith(("document_", "queue_"))},
}
"""The kind of store behind each surface: two surfaces of one kind reach the same store."""


class StateError(FaultlabError):
    """A store was asked for that there isn't, or put where one is already in use."""


class MockState:
    """What outlives the processes of a simulation: stores by kind and route.

    Documents, outboxes and inboxes share one database, so that one transaction can span them.
    """

    def __init__(self) -> None:
        self.database = Database()
        self._stores: dict[tuple[str, str], Any] = {}
        self._own: list[tuple[str, str]] = []

    def documents(self, route: str) -> Documents:
        """The collection of that name."""
        made: Documents = self._store("documents", route)
        return made

    def queue(self, route: str) -> Queue:
        """The queue of that name."""
        made: Queue = self._store("queue", route)
        return made

    def locks(self, route: str) -> Locks:
        """The lock service of that name."""
        made: Locks = self._store("lock", route)
        return made

    def register(self, route: str) -> FencedRegister:
        """The fenced register of that name."""
        made: FencedRegister = self._store("register", route)
        return made

    def outbox(self, route: str) -> Outbox:
        """The outbox of that name."""
        made: Outbox = self._store("outbox", route)
        return made

    def inbox(self, route: str) -> Inbox:
        """The inbox of that name."""
        made: Inbox = self._store("inbox", route)
        return made

    def journal(self, route: str) -> Journal:
        """The journal of that name."""
        made: Journal = self._store("journal", route)
        return made

    def receiver(self, route: str) -> ReceiverPort:
        """The receiver of that name."""
        made: ReceiverPort = self._store("receiver", route)
        return made

    def clock(self, route: str) -> Clock:
        """The clock of that name."""
        made: Clock = self._store("clock", route)
        return made

    def put(self, surface: str, route: str, store: Any) -> None:
        """Use this object behind a surface and route: one set up otherwise, or one of your own.

        The surface can be a new one; then every async method of the object is an operation.

        Raises:
            StateError: There is a store already, and somebody may have used it.
        """
        key = (STORES.get(surface, surface), route)
        if key in self._stores:
            raise StateError(
                f"{surface}/{route} is there already. Put a store before its first use, at best "
                "where the state is made."
            )
        self._stores[key] = store
        if type(store).__module__.partition(".")[0] != "faultlab":
            self._own.append(key)

    def surfaces(self) -> dict[str, frozenset[str] | None]:
        """Operations by surface, those of stores of your own too; None: they are not known."""
        found: dict[str, frozenset[str] | None] = dict(SURFACES)
        for kind, route in self._own:
            for surface in [name for name, store in STORES.items() if store == kind] or [kind]:
                own = operations_of(self._stores[kind, route])
                before = found.get(surface, frozenset())
                found[surface] = None if own is None or before is None else own | before
        return found

    def store(self, surface: str, route: str) -> Any:
        """What is behind a surface and route, made on first use.

        Raises:
            StateError: There is no such surface, and nothing was put there.
        """
        return self._store(STORES.get(surface, surface), route)

    def _store(self, kind: str, route: str) -> Any:
        key = (kind, route)
        if key not in self._stores:
            self._stores[key] = self._make(kind, route)
        return self._stores[key]

    def _make(self, kind: str, route: str) -> Any:
        if kind in ("documents", "outbox", "inbox"):
            in_database: dict[str, Callable[..., Any]] = {
                "documents": Documents,
                "outbox": Outbox,
                "inbox": Inbox,
            }
            return in_database[kind](route, database=self.database)
        if kind not in _ALONE:
            own = {put for put, _ in self._stores}
            raise StateError(
                f"there is no surface {kind!r}.{nearest(kind, {*SURFACES, *own})} "
                f"Allowed: {', '.join(sorted({*SURFACES, *own}))}; or put your own store there."
            )
        return _ALONE[kind]()


_ALONE: Final[dict[str, Callable[[], Any]]] = {
    "queue": Queue,
    "lock": Locks,
    "register": FencedRegister,
    "journal": Journal,
    "receiver": ReceiverPort,
    "clock": Clock,
}
