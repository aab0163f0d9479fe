"""Transactions as a history records them: which versions each read and wrote, and how it ended."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from faultlab.dst.judging import Broken, InvariantError, Judgement, ReadyMade
from faultlab.dst.selecting import Select, actor, at, events_of, field, fields, frozen, looks_at
from faultlab.kernel import Event, History

Ending: TypeAlias = Literal["committed", "aborted", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Access:
    """One read or write of a version of a key, within a transaction.

    Attributes:
        version: Its place in the order of the key's versions: a number; 0 for nothing there yet.
        seq: The sequence number of its event.
    """

    kind: Literal["read", "write"]
    key: Any
    version: int
    seq: int


@dataclass(frozen=True, kw_only=True)
class Transaction:
    """What one transaction did.

    Attributes:
        name: What to call it in messages.
        accesses: Its reads and writes in their order.
        ending: `committed`, `aborted`, or `unknown`: it may have committed.
        began_seq: The sequence number of its first event.
        ended_seq: The sequence number of its commit or abort; None if there is none.
    """

    name: str
    accesses: tuple[Access, ...]
    ending: Ending
    began_seq: int
    ended_seq: int | None = None
    began_s: float = 0.0

    def __str__(self) -> str:
        """One line: its name, where it began, what it read and wrote, how it ended."""
        done = ", ".join(
            f"{'r' if a.kind == 'read' else 'w'}({a.key!r}, version {a.version}) #{a.seq}"
            for a in self.accesses
        )
        return f"{self.name} from {at(self.began_seq, self.began_s)}: {done}; {self.ending}"


Transactions: TypeAlias = Callable[[History], Iterable[Transaction]]
"""Which transactions: `transactions(…)`, or a function of your own."""


def transactions(
    *,
    begin: Select = "begin",
    read: Select = "read",
    write: Select = "write",
    commit: Select | None = "commit",
    abort: Select = "abort",
    by: tuple[str, ...] = ("tx",),
    key: str = "key",
    version: str = "version",
) -> Transactions:
    """Gathers transactions from events: those with the same fields `by` are one transaction.

    Args:
        begin: Marks the beginning; needed only for strict serializability.
        read: Reads: events with a key and the version that was read; None or 0 for nothing there.
        write: Writes: events with a key and the version that was made.
        commit: Says that it committed. None: everything is committed.
        abort: Says that it did not. With neither, it is unknown: it may have.
        by: The fields that are the same within a transaction and differ between two.
        key: The field with the key.
        version: The field with the version, a number that grows with every write of that key.
    """
    parts: dict[str, Select] = {"begin": begin, "read": read, "write": write, "abort": abort}
    if commit is not None:
        parts["commit"] = commit

    def select(history: History) -> list[Transaction]:
        roles: dict[int, list[str]] = {}
        events: dict[int, Event] = {}
        for role, chosen in parts.items():
            for event in events_of(history, chosen):
                roles.setdefault(event.seq, []).append(role)
                events[event.seq] = event
        groups: dict[tuple[Any, ...], list[Event]] = {}
        for _, event in sorted(events.items()):
            groups.setdefault(fields(event, by), []).append(event)
        return [
            _transaction(group, roles, _label(by, values), commit is None, key, version)
            for values, group in groups.items()
        ]

    select.__name__ = f"transactions of {looks_at(read)} and {looks_at(write)}"
    return select


def _label(by: tuple[str, ...], values: tuple[Any, ...]) -> str:
    if by == ("process", "task"):
        return actor(*values)
    return " ".join(f"{name} {value}" for name, value in zip(by, values, strict=True))


def _transaction(
    group: list[Event],
    roles: dict[int, list[str]],
    name: str,
    autocommit: bool,
    key: str,
    version: str,
) -> Transaction:
    accesses: list[Access] = []
    ending: Ending = "committed" if autocommit else "unknown"
    ended_seq: int | None = None
    for event in group:
        for role in roles[event.seq]:
            if role == "read" or role == "write":
                number = field(event, version)
                accesses.append(
                    Access(
                        kind="read" if role == "read" else "write",
                        key=frozen(field(event, key)),
                        version=_version(event, number),
                        seq=event.seq,
                    )
                )
            elif role in ("commit", "abort"):
                ending = "committed" if role == "commit" else "aborted"
                ended_seq = event.seq
    first = group[0]
    return Transaction(
        name=name,
        accesses=tuple(accesses),
        ending=ending,
        began_seq=first.seq,
        ended_seq=group[-1].seq if autocommit else ended_seq,
        began_s=first.time_s,
    )


def _version(event: Event, number: object) -> int:
    if number is None:
        return 0
    if isinstance(number, int):
        return number
    raise InvariantError(
        f"event #{event.seq} ({event.kind}) has the version {number!r}. Record whole numbers that "
        "grow with every write of the key; None or 0 for nothing there."
    )


def no_lost_update(of: Transactions | None = None, *, name: str | None = None) -> ReadyMade:
    """No committed write overwrites a committed version that its transaction did not read.

    That is: between the version of a key that a transaction last read or wrote and the version that
    it writes next, no other has committed one. A write of a key it had not looked at is let pass.
    Adya, *Weak consistency*, 1999, calls what is ruled out P4; write skew is not ruled out, for
    that see `serializable`.

    Args:
        of: Which transactions; by default `transactions()`.
        name: Another name to report it under.
    """
    select = transactions() if of is None else of

    def check(history: History) -> list[Judgement]:
        return lost_updates(select(history))

    what = getattr(select, "__name__", "transactions")
    return ReadyMade(
        name or f"no_lost_update({what})", check, lambda history: len(list(select(history)))
    )


def lost_updates(found: Iterable[Transaction]) -> list[Judgement]:
    """One finding for each committed write that hides another which it was not based on."""
    committed = [one for one in found if one.ending == "committed"]
    written = [
        (access, one) for one in committed for access in one.accesses if access.kind == "write"
    ]
    return [
        _lost(one, base, write, hidden, other)
        for one in committed
        for base, write in _based(one)
        for hidden, other in written
        if other is not one
        and hidden.key == write.key
        and base.version < hidden.version < write.version
    ]


def _based(one: Transaction) -> list[tuple[Access, Access]]:
    """Each write with what its transaction last knew of the key: what it had read, or written."""
    known: dict[Any, Access] = {}
    pairs: list[tuple[Access, Access]] = []
    for access in one.accesses:
        if access.kind == "write" and access.key in known:
            pairs.append((known[access.key], access))
        known[access.key] = access
    return pairs


def _lost(
    one: Transaction, base: Access, write: Access, hidden: Access, other: Transaction
) -> Broken:
    knew = "read" if base.kind == "read" else "wrote"
    return Broken(
        message=(
            f"the update of {hidden.key!r} by {other.name} is lost: {one.name} {knew} version "
            f"{base.version} (#{base.seq}), {other.name} wrote version {hidden.version} "
            f"(#{hidden.seq}), and {one.name} overwrote it with version {write.version} "
            f"(#{write.seq}) without having read it.\n  {one}\n  {other}"
        ),
        events=tuple(sorted((base.seq, hidden.seq, write.seq))),
    )
