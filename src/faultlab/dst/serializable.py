"""Serializability: the transactions could have run one after the other.

Adya, *Weak consistency: a generalized theory and optimistic implementations*, 1999, whose names of
anomalies are used here. That versions make the search for an order a search for a cycle is also
what Elle rests on: Kingsbury and Alvaro, *Elle: inferring isolation anomalies from experimental
observations*, 2020.
"""

from collections.abc import Sequence
from typing import Any, Final

from faultlab.dst.dependencies import Edge, graph_of, worst_cycle
from faultlab.dst.judging import Broken, Judgement, ReadyMade, Undecided
from faultlab.dst.transactions import Access, Transaction, Transactions, transactions
from faultlab.kernel import History

GUESSES_MAX: Final = 1_000
"""How many ways to say which unknown transactions committed may be tried."""


def serializable(
    of: Transactions | None = None, *, strict: bool = False, name: str | None = None
) -> ReadyMade:
    """Some serial order of the committed transactions explains every version read and written.

    A transaction whose ending is unknown may have committed or not; it did if a committed one
    read from it. A broken history is reported with its worst anomaly: G1a (aborted read), G1b
    (intermediate read), G0 (dirty write), G1c (circular information flow), G-single (read skew),
    G2 (write skew). Predicates, and so phantoms, are not seen: only keys are.

    Args:
        of: Which transactions; by default `transactions()`.
        strict: Whether the order must also keep to real time: who had committed before another
            began comes first.
        name: Another name to report it under.
    """
    select = transactions() if of is None else of

    def check(history: History) -> list[Judgement]:
        finding = anomaly(list(select(history)), strict=strict)
        return [] if finding is None else [finding]

    what = getattr(select, "__name__", "transactions")
    kind = "strictly serializable" if strict else "serializable"
    return ReadyMade(name or f"{kind}({what})", check, lambda history: len(list(select(history))))


def anomaly(found: Sequence[Transaction], *, strict: bool = False) -> Judgement | None:
    """Why no serial order explains these transactions; None if one does."""
    first: Broken | None = None
    ahead = [frozenset(i for i, one in enumerate(found) if one.ending == "committed")]
    tried: set[frozenset[int]] = set()
    while ahead:
        committed = ahead.pop()
        if committed in tried:
            continue
        if len(tried) >= GUESSES_MAX:
            return _gave_up(len(found))
        tried.add(committed)
        candidates = _writers_needed(found, committed)
        if candidates:
            ahead += [committed | {number} for number in reversed(candidates)]
            continue
        broken = _judge(found, committed, strict=strict)
        if broken is None:
            return None
        first = first or broken
    return first


def _gave_up(count: int) -> Undecided:
    return Undecided(
        message=(
            f"gave up after {GUESSES_MAX} guesses which of the transactions with an unknown ending "
            f"have committed, among {count} transactions. Let fewer of them write the same version."
        )
    )


def _writers_needed(found: Sequence[Transaction], committed: frozenset[int]) -> list[int]:
    """The unknown transactions of which one must have committed, since its write was read."""
    written = {
        (access.key, access.version)
        for number in committed
        for access in found[number].accesses
        if access.kind == "write"
    }
    for number in sorted(committed):
        for read in found[number].accesses:
            if read.kind == "write" or (read.key, read.version) in written:
                continue
            candidates = [
                other
                for other, one in enumerate(found)
                if one.ending == "unknown" and other not in committed and _wrote(one, read)
            ]
            if candidates:
                return candidates
    return []


def _wrote(one: Transaction, read: Access) -> Access | None:
    """The write of the version that was read, if this transaction made it."""
    for access in one.accesses:
        if access.kind == "write" and (access.key, access.version) == (read.key, read.version):
            return access
    return None


def _judge(
    found: Sequence[Transaction], committed: frozenset[int], *, strict: bool
) -> Broken | None:
    chosen = [found[number] for number in sorted(committed)]
    aborted = [one for one in found if one.ending == "aborted"]
    return (
        _twice_written(chosen)
        or _own_writes(chosen)
        or _impossible_read(chosen, aborted)
        or _cycle(chosen, strict=strict)
    )


def _twice_written(chosen: Sequence[Transaction]) -> Broken | None:
    """Two transactions that made the same version of a key: then versions are no order."""
    made: dict[tuple[Any, int], tuple[Transaction, Access]] = {}
    for one in chosen:
        for write in one.accesses:
            if write.kind == "read":
                continue
            other, earlier = made.setdefault((write.key, write.version), (one, write))
            if other is not one:
                return _broken(
                    f"{other.name} (#{earlier.seq}) and {one.name} (#{write.seq}) both committed "
                    f"version {write.version} of {write.key!r}",
                    (other, one),
                    (earlier, write),
                )
    return None


def _own_writes(chosen: Sequence[Transaction]) -> Broken | None:
    """A transaction that does not see its own write, or whose versions do not grow."""
    for one in chosen:
        own: dict[Any, Access] = {}
        for access in one.accesses:
            last = own.get(access.key)
            if last is not None and access.kind == "read" and access.version != last.version:
                return _broken(
                    f"{one.name} read version {access.version} of {access.key!r} (#{access.seq}) "
                    f"after it had itself written version {last.version} (#{last.seq})",
                    (one,),
                    (last, access),
                )
            if last is not None and access.kind == "write" and access.version <= last.version:
                return _broken(
                    f"{one.name} wrote version {access.version} of {access.key!r} (#{access.seq}) "
                    f"after version {last.version} (#{last.seq}): versions must grow",
                    (one,),
                    (last, access),
                )
            if access.kind == "write":
                own[access.key] = access
    return None


def _impossible_read(
    chosen: Sequence[Transaction], aborted: Sequence[Transaction]
) -> Broken | None:
    """A read of what was aborted, replaced within its transaction, or never written: G1a, G1b."""
    lowest = _lowest_written(chosen)
    start: dict[Any, Access] = {}
    for one in chosen:
        for read in one.accesses:
            if read.kind == "write":
                continue
            writer = next((other for other in chosen if _wrote(other, read)), None)
            if writer is None:
                odd = _unwritten(one, read, aborted, lowest.get(read.key), start)
            elif writer is one:
                odd = _read_before_own_write(one, read)
            else:
                odd = _intermediate(one, read, writer)
            if odd is not None:
                return odd
    return None


def _lowest_written(chosen: Sequence[Transaction]) -> dict[Any, int]:
    lowest: dict[Any, int] = {}
    for one in chosen:
        for access in one.accesses:
            if access.kind == "write":
                lowest[access.key] = min(access.version, lowest.get(access.key, access.version))
    return lowest


def _read_before_own_write(one: Transaction, read: Access) -> Broken | None:
    write = _wrote(one, read)
    if write is None or one.accesses.index(write) < one.accesses.index(read):
        return None
    return _broken(
        f"{one.name} read version {read.version} of {read.key!r} (#{read.seq}) before it wrote "
        f"that version itself (#{write.seq})",
        (one,),
        (read, write),
    )


def _intermediate(one: Transaction, read: Access, writer: Transaction) -> Broken | None:
    last = max(a.version for a in writer.accesses if a.kind == "write" and a.key == read.key)
    if last == read.version:
        return None
    return _broken(
        f"G1b (intermediate read): {one.name} read version {read.version} of {read.key!r} "
        f"(#{read.seq}), which {writer.name} itself replaced with version {last}",
        (one, writer),
        (read,),
    )


def _unwritten(
    one: Transaction,
    read: Access,
    aborted: Sequence[Transaction],
    lowest: int | None,
    start: dict[Any, Access],
) -> Broken | None:
    """A version that no committed transaction wrote: what was there at first, or impossible."""
    for other in aborted:
        write = _wrote(other, read)
        if write is not None:
            return _broken(
                f"G1a (aborted read): {one.name} read version {read.version} of {read.key!r} "
                f"(#{read.seq}), which {other.name} wrote (#{write.seq}) and did not commit",
                (one, other),
                (read, write),
            )
    if lowest is not None and read.version > lowest:
        return _broken(
            f"{one.name} read version {read.version} of {read.key!r} (#{read.seq}), which no "
            "transaction wrote",
            (one,),
            (read,),
        )
    earlier = start.setdefault(read.key, read)
    if earlier.version != read.version:
        return _broken(
            f"versions {earlier.version} (#{earlier.seq}) and {read.version} (#{read.seq}) of "
            f"{read.key!r} were read, and no transaction wrote either",
            (one,),
            (earlier, read),
        )
    return None


def _cycle(chosen: Sequence[Transaction], *, strict: bool) -> Broken | None:
    worst = worst_cycle(graph_of(chosen, strict=strict))
    if worst is None:
        return None
    name, cycle = worst
    reasons = "\n".join(f"  {_reason(edge, chosen)}" for edge in cycle)
    involved = tuple(chosen[edge.before] for edge in cycle)
    accesses = tuple(a for edge in cycle for a in (edge.first, edge.second) if a is not None)
    names = " → ".join(one.name for one in (*involved, involved[0]))
    return _broken(
        f"{name}: no order puts {names} one after the other\n{reasons}", involved, accesses
    )


def _reason(edge: Edge, chosen: Sequence[Transaction]) -> str:
    before, after = chosen[edge.before].name, chosen[edge.after].name
    if edge.first is None or edge.second is None:
        return (
            f"{before} before {after}: it had committed (#{chosen[edge.before].ended_seq}) when "
            f"the other began (#{chosen[edge.after].began_seq})"
        )
    key, first, second = edge.first.key, edge.first, edge.second
    why = {
        "ww": f"{after} overwrote version {first.version} of {key!r} (#{first.seq}) with version "
        f"{second.version} (#{second.seq})",
        "wr": f"{after} read version {second.version} of {key!r} (#{second.seq}), which "
        f"{before} wrote (#{first.seq})",
        "rw": f"{before} read version {first.version} of {key!r} (#{first.seq}), not yet version "
        f"{second.version}, which {after} wrote (#{second.seq})",
    }[edge.kind]
    return f"{before} before {after}: {why}"


def _broken(message: str, involved: Sequence[Transaction], accesses: Sequence[Access]) -> Broken:
    lines = "\n".join(f"  {one}" for one in involved)
    return Broken(
        message=f"{message}\n{lines}",
        events=tuple(sorted({access.seq for access in accesses})),
    )
