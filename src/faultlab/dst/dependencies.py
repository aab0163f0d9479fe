"""Which transaction must come before which: the edges of Adya's direct serialization graph.

ww: overwrites what the other wrote. wr: reads what the other wrote. rw: overwrites what the other
read. rt: began after the other had committed.
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

from faultlab.dst.transactions import Access, Transaction

EdgeKind: TypeAlias = Literal["ww", "wr", "rw", "rt"]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One transaction must come before another in every serial order, and why.

    Attributes:
        before: The number of the earlier transaction.
        after: The number of the later one.
        first: What the earlier one did; None for rt.
        second: What the later one did; None for rt.
    """

    kind: EdgeKind
    before: int
    after: int
    first: Access | None = None
    second: Access | None = None


Graph: TypeAlias = Mapping[int, Sequence[Edge]]

_Version: TypeAlias = tuple[int, int, Access]
"""A version of a key, the number of its transaction, the write."""

LEVELS: Final[tuple[tuple[str, frozenset[EdgeKind], bool], ...]] = (
    ("G0 (dirty write)", frozenset({"ww"}), False),
    ("G1c (circular information flow)", frozenset({"ww", "wr"}), False),
    ("G-single (read skew)", frozenset({"ww", "wr"}), True),
    ("G2 (write skew)", frozenset({"ww", "wr", "rw"}), False),
)
"""The anomalies, the worst first: which edges make the cycle, and whether one more, rw, does."""


def graph_of(committed: Sequence[Transaction], *, strict: bool) -> Graph:
    """All edges between these transactions, by the number of the earlier one."""
    written = _written(committed)
    edges: dict[int, list[Edge]] = {number: [] for number in range(len(committed))}
    for versions in written.values():
        for (_, before, first), (_, after, second) in pairwise(versions):
            _link(edges, "ww", (before, first), (after, second))
    for number, one in enumerate(committed):
        for access in one.accesses:
            if access.kind == "read":
                _link_read(edges, number, access, written.get(access.key, []))
    if strict:
        for before, after in _real_time(committed):
            edges[before].append(Edge(kind="rt", before=before, after=after))
    return edges


def _written(committed: Sequence[Transaction]) -> dict[Any, list[_Version]]:
    """The versions of each key in their order."""
    written: dict[Any, list[_Version]] = {}
    for number, one in enumerate(committed):
        for access in one.accesses:
            if access.kind == "write":
                written.setdefault(access.key, []).append((access.version, number, access))
    for versions in written.values():
        versions.sort(key=lambda version: version[:2])
    return written


def _link_read(
    edges: dict[int, list[Edge]], number: int, read: Access, versions: Sequence[_Version]
) -> None:
    """After whoever wrote the version that was read, before whoever wrote the next one."""
    for version, writer, write in versions:
        if version == read.version:
            _link(edges, "wr", (writer, write), (number, read))
        elif version > read.version:
            _link(edges, "rw", (number, read), (writer, write))
            return


def _link(
    edges: dict[int, list[Edge]],
    kind: EdgeKind,
    earlier: tuple[int, Access],
    later: tuple[int, Access],
) -> None:
    (before, first), (after, second) = earlier, later
    if before != after:
        edges[before].append(
            Edge(kind=kind, before=before, after=after, first=first, second=second)
        )


def _real_time(committed: Sequence[Transaction]) -> Iterable[tuple[int, int]]:
    for before, one in enumerate(committed):
        for after, other in enumerate(committed):
            if one.ended_seq is not None and one.ended_seq < other.began_seq:
                yield before, after


def worst_cycle(graph: Graph) -> tuple[str, list[Edge]] | None:
    """The name of the worst anomaly in the graph with a shortest cycle that shows it, or None.

    A cycle that holds only because of real time is named so, after all others.
    """
    for real_time in (False, True):
        more: frozenset[EdgeKind] = frozenset({"rt"}) if real_time else frozenset()
        for name, kinds, one_rw in LEVELS:
            cycle = _shortest(graph, kinds | more, one_rw=one_rw)
            if cycle:
                return (f"{name}, against real time" if real_time else name), cycle
    return None


def _shortest(graph: Graph, kinds: Collection[EdgeKind], *, one_rw: bool) -> list[Edge]:
    """A shortest cycle of these edges, or of these and one rw; empty if there is none."""
    best: list[Edge] = []
    for edges in graph.values():
        for edge in edges:
            if (edge.kind == "rw") if one_rw else (edge.kind in kinds):
                back = _path(graph, edge.after, edge.before, kinds)
                if back is not None and (not best or len(back) + 1 < len(best)):
                    best = [edge, *back]
    return best


def _path(graph: Graph, start: int, goal: int, kinds: Collection[EdgeKind]) -> list[Edge] | None:
    """A shortest path, breadth first; None if there is none."""
    came: dict[int, Edge | None] = {start: None}
    ahead = deque([start])
    while ahead:
        here = ahead.popleft()
        if here == goal:
            path: list[Edge] = []
            edge = came[here]
            while edge is not None:
                path.append(edge)
                edge = came[edge.before]
            return path[::-1]
        for edge in graph[here]:
            if edge.kind in kinds and edge.after not in came:
                came[edge.after] = edge
                ahead.append(edge.after)
    return None
