"""The history: what happened in one run, in order, and nothing else.

Oracles order events by their sequence number, never by time alone: many things happen
at one instant of virtual time. Nothing enters that differs between Python versions or
hash seeds: no addresses, no positions in source, no interpreter messages.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from json import JSONEncoder
from typing import Any, TypeAlias

from faultlab.kernel.errors import HistoryError

Row: TypeAlias = tuple[float, str, str, str, dict[str, Any]]
"""An event as it is kept: time, process, task, kind, fields."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened: its place in the order, when, where and what."""

    seq: int
    time_s: float
    process: str
    task: str
    kind: str
    fields: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, the event's own keys first."""
        return {
            "seq": self.seq,
            "time_s": self.time_s,
            "process": self.process,
            "task": self.task,
            "kind": self.kind,
            "fields": dict(self.fields),
        }


class History(Sequence[Event]):
    """An append-only list of events, sealed once the run is over.

    Recording costs one tuple; events and JSON are made when they are asked for. Fields
    are kept as given, so give plain values and do not change them afterwards.
    """

    __slots__ = ("_clock", "_rows", "_sealed")

    def __init__(self, clock: Callable[[], float]) -> None:
        """Takes the virtual clock."""
        self._clock = clock
        self._rows: list[Row] = []
        self._sealed = False

    def record(self, process: str, task: str, kind: str, fields: dict[str, Any]) -> int:
        """Appends an event and returns its sequence number; -1 and nothing once sealed."""
        if self._sealed:
            return -1
        rows = self._rows
        rows.append((self._clock(), process, task, kind, fields))
        return len(rows) - 1

    def seal(self) -> None:
        """Closes the history: whatever is still running can no longer add to it."""
        self._sealed = True
        self._clock = float

    @property
    def sealed(self) -> bool:
        """Whether the history is complete."""
        return self._sealed

    def __len__(self) -> int:
        """The number of events."""
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        """The event with that sequence number, or a list of events for a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self._rows)))]
        seq = range(len(self._rows))[index]
        time_s, process, task, kind, fields = self._rows[seq]
        return Event(
            seq=seq, time_s=time_s, process=process, task=task, kind=kind, fields=dict(fields)
        )

    def __iter__(self) -> Iterator[Event]:
        """The events in order."""
        return (self[seq] for seq in range(len(self._rows)))

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds, in order."""
        return [self[seq] for seq, row in enumerate(self._rows) if row[3] in kinds]

    def to_json(self) -> list[dict[str, Any]]:
        """Plain JSON, one object an event."""
        return [event.to_json() for event in self]

    def encode(self) -> bytes:
        """The canonical bytes: a line of JSON per event, keys sorted, no spaces, ASCII.

        Raises HistoryError if a field is no plain JSON, naming the event.
        """
        return b"".join(_line(seq, row) for seq, row in enumerate(self._rows))

    def digest(self) -> str:
        """The blake2b hash of the canonical bytes, 32 hexadecimal digits."""
        return blake2b(self.encode(), digest_size=16).hexdigest()


_to_json = JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def _line(seq: int, row: Row) -> bytes:
    time_s, process, task, kind, fields = row
    event: dict[str, Any] = {"seq": seq, "time_s": time_s, "process": process}
    event |= {"task": task, "kind": kind, "fields": fields}
    try:
        return _to_json(event).encode("ascii") + b"\n"
    except (TypeError, ValueError) as error:
        raise HistoryError(
            f"event {seq} ({kind!r}) has a field without canonical JSON ({error}); record "
            f"strings, finite numbers, booleans, None, and lists and dicts of them"
        ) from error
