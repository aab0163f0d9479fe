"""Stores against plain models: drawn commands, the same answers; and a twin that must differ."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from faultlab.kernel import run
from faultlab.mock import (
    DocumentError,
    Documents,
    Isolation,
    LockError,
    Locks,
    Outbox,
    OutboxEntry,
    Queue,
    QueueDelivery,
    QueueError,
    Transaction,
    relay,
)
from faultlab.mock.common import now_s
from tests.mock.helpers import simulate

BOUNDS = settings(max_examples=60, deadline=None, derandomize=True)
IDS = st.sampled_from("abc")
SHORT = st.sampled_from([0.5, 1.0, 2.0])


async def answer(call: Awaitable[Any]) -> Any:
    """What a call gives: its result, or its error's name."""
    try:
        return await call
    except (DocumentError, QueueError, LockError) as error:
        return type(error).__name__


# -- documents, one transaction after another -----------------------------------------

WRITE = st.one_of(
    st.tuples(st.just("insert"), IDS, st.integers(0, 3)),
    st.tuples(st.just("update"), IDS, st.integers(0, 3), st.sampled_from([None, 1, 2])),
    st.tuples(st.just("delete"), IDS, st.sampled_from([None, 1, 2])),
    st.tuples(st.just("get"), IDS),
    st.tuples(st.just("find"), st.integers(0, 3)),
)
GROUP = st.tuples(st.sampled_from(["alone", "commit", "roll back"]), st.lists(WRITE, max_size=5))


class PlainDocuments:
    """A dict, and how often each id was written."""

    def __init__(self) -> None:
        self.there: dict[str, int] = {}
        self.revisions: dict[str, int] = {}

    def perform(self, op: str, *args: Any) -> Any:
        """What an operation answers that stands alone."""
        if op == "find":
            return sorted(id_ for id_, value in self.there.items() if value == args[0])
        id_, *rest = args
        if op == "get":
            return (self.there[id_], self.revisions[id_]) if id_ in self.there else None
        if op == "insert":
            return "DocumentError" if id_ in self.there else self._write(id_, rest[0])
        expected = rest[-1]
        if expected is not None and (id_ not in self.there or self.revisions[id_] != expected):
            return "RevisionConflict"
        if id_ not in self.there:
            return "DocumentError"
        if op == "update":
            return self._write(id_, rest[0])
        del self.there[id_]
        return None

    def _write(self, id_: str, value: int) -> tuple[int, int]:
        self.there[id_] = value
        self.revisions[id_] = self.revisions.get(id_, 0) + 1
        return value, self.revisions[id_]


async def perform(documents: Documents | Transaction, op: str, *args: Any) -> Any:
    """The same operation on documents, its answer in the model's words."""
    if op == "find":
        return [each.id for each in await documents.find(value=args[0])]
    if op == "get":
        got = await documents.get(args[0])
    elif op == "insert":
        got = await answer(documents.insert(args[0], {"value": args[1]}))
    elif op == "update":
        got = await answer(documents.update(args[0], {"value": args[1]}, revision=args[2]))
    else:
        got = await answer(documents.delete(args[0], revision=args[1]))
    return got if got is None or isinstance(got, str) else (got.body["value"], got.revision)


@BOUNDS
@given(groups=st.lists(st.lists(WRITE, max_size=6), max_size=3))
def test_documents_answer_like_a_dict(groups: list[list[Any]]) -> None:
    async def program() -> None:
        documents, model = Documents(), PlainDocuments()
        for op in (op for group in groups for op in group):
            assert await perform(documents, *op) == model.perform(*op), op

    simulate(program)


@BOUNDS
@given(
    groups=st.lists(GROUP, max_size=4),
    isolation=st.sampled_from(["read-committed", "snapshot", "serializable"]),
)
def test_transactions_one_after_another_leave_what_a_dict_holds(
    groups: list[Any], isolation: Isolation
) -> None:
    """Values only: within a transaction a revision counts once, however often it writes."""

    async def program() -> None:
        documents, model = Documents(), PlainDocuments()
        for kind, ops in groups:
            scratch = PlainDocuments()
            scratch.there, scratch.revisions = dict(model.there), dict(model.revisions)
            values = [unguarded(op) for op in ops]
            if kind == "alone":
                answers = [await perform(documents, *op) for op in values]
            else:
                answers = await grouped(documents, isolation, values, commit=kind == "commit")
            expected = [scratch.perform(*op) for op in values]
            assert [value_of(each) for each in answers] == [value_of(each) for each in expected]
            if kind != "roll back":
                model = scratch
        found = {each.id: each.body["value"] for each in await documents.find()}
        assert found == model.there

    simulate(program)


def unguarded(op: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*op[:-1], None) if op[0] in ("update", "delete") else op


def value_of(answered: Any) -> Any:
    return answered[0] if isinstance(answered, tuple) else answered


async def grouped(
    documents: Documents, isolation: Isolation, ops: list[Any], *, commit: bool
) -> list[Any]:
    answers = []
    try:
        async with documents.transaction(isolation) as tx:
            answers += [await perform(tx, *op) for op in ops]
            if not commit:
                raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    return answers


# -- documents, transactions at the same time -----------------------------------------

STEP = st.one_of(
    st.tuples(st.just("get"), IDS),
    st.tuples(st.just("find"), st.integers(0, 3)),
    st.tuples(st.just("put"), IDS, st.integers(0, 3)),
    st.tuples(st.just("copy"), IDS, IDS),
)
STORIES = st.lists(st.lists(STEP, min_size=1, max_size=4), min_size=2, max_size=3)


async def tell(tx: Any, steps: list[Any], *, pause: Callable[[], Awaitable[None]]) -> list[Any]:
    """One transaction's reads. `copy` writes what was read plus one, so that reads matter."""
    reads: list[Any] = []
    for op, *args in steps:
        await pause()
        if op == "find":
            reads.append([each.id for each in await tx.find(value=args[0])])
            continue
        found = await tx.get(args[0])
        reads.append(None if found is None else found.body["value"])
        if op == "get":
            continue
        target, value = (args[0], args[1]) if op == "put" else (args[1], (reads[-1] or 0) + 1)
        if await tx.get(target) is None:
            await tx.insert(target, {"value": value})
        else:
            await tx.update(target, {"value": value})
    return reads


def differs_from_its_serial_order(
    stories: list[list[Any]], isolation: Isolation, seed: int
) -> bool:
    """Whether a run gave other reads or another end than the same transactions one by one.

    In the order of their commits; one that wrote nothing has its place where it began.
    """
    done: list[tuple[float, int, list[Any]]] = []
    commits = 0

    async def at_the_same_time() -> dict[str, Any]:
        documents = Documents()

        async def one(steps: list[Any]) -> None:
            nonlocal commits
            try:
                async with documents.transaction(isolation) as tx:
                    began = commits
                    reads = await tell(tx, steps, pause=lambda: asyncio.sleep(0))
                    await asyncio.sleep(0)
            except DocumentError:
                return
            if any(step[0] in ("put", "copy") for step in steps):
                commits += 1
                done.append((commits, stories.index(steps), reads))
            else:
                done.append((began + 0.5, stories.index(steps), reads))

        await asyncio.gather(*(one(steps) for steps in stories))
        return {each.id: each.body["value"] for each in await documents.find()}

    async def one_by_one() -> dict[str, Any]:
        documents = Documents()
        for _, nth, reads in sorted(done):
            async with documents.transaction() as tx:
                again.append(reads == await tell(tx, stories[nth], pause=lambda: asyncio.sleep(0)))
        return {each.id: each.body["value"] for each in await documents.find()}

    again: list[bool] = []
    final = simulate(at_the_same_time, seed=seed).result
    assert done, "somebody always commits"
    return bool(final != simulate(one_by_one).result or not all(again))


@settings(BOUNDS, max_examples=200)
@given(stories=STORIES, seed=st.integers(0, 10**6))
def test_serializable_transactions_can_be_told_one_after_another(
    stories: list[list[Any]], seed: int
) -> None:
    assert not differs_from_its_serial_order(stories, "serializable", seed)


def test_twin_snapshot_transactions_can_not() -> None:
    crossing = [[("copy", "a", "b")], [("copy", "b", "a")]]
    assert any(differs_from_its_serial_order(crossing, "snapshot", seed) for seed in range(20))
    assert not any(
        differs_from_its_serial_order(crossing, "serializable", seed) for seed in range(20)
    )


# -- the queue ------------------------------------------------------------------------

QUEUE = st.one_of(
    st.tuples(st.just("put"), SHORT),
    st.tuples(st.just("receive")),
    st.tuples(st.sampled_from(["acknowledge", "negative_acknowledge"]), st.integers(0, 4)),
    st.tuples(st.just("extend"), st.integers(0, 4), SHORT),
    st.tuples(st.just("sleep"), SHORT),
)
TIMEOUT_S = 2.0


class PlainQueue:
    """For each message when it is visible, who has it, and how often it was delivered."""

    def __init__(self) -> None:
        self.visible_at: dict[int, float] = {}
        self.latest: dict[int, int] = {}
        self.counts: dict[int, int] = {}
        self.receipts = 0

    def receive(self, now: float) -> tuple[int, int, int] | None:
        ready = [nth for nth, at in self.visible_at.items() if at <= now]
        if not ready:
            return None
        self.receipts += 1
        self.visible_at[ready[0]] = now + TIMEOUT_S
        self.latest[ready[0]] = self.receipts
        self.counts[ready[0]] = self.counts.get(ready[0], 0) + 1
        return ready[0], self.receipts, self.counts[ready[0]]

    def holds(self, held: QueueDelivery) -> bool:
        return held.message_id in self.visible_at and self.latest[held.message_id] == held.receipt


@BOUNDS
@given(commands=st.lists(QUEUE, max_size=20))
def test_a_queue_answers_like_a_list_of_times(commands: list[Any]) -> None:
    async def program() -> None:
        queue, model = Queue(visibility_timeout_s=TIMEOUT_S), PlainQueue()
        held: list[QueueDelivery] = []
        for op, *args in commands:
            now = now_s()
            if op == "put":
                number = await queue.put("m", delay_s=args[0])
                model.visible_at[number] = now + args[0]
            elif op == "sleep":
                await asyncio.sleep(args[0])
            elif op == "receive":
                got = await queue.receive()
                expected = model.receive(now)
                assert expected == (got and (got.message_id, got.receipt, got.count))
                held += [got] if got else []
            elif held:
                given_back = held[args[0] % len(held)]
                got_error = await answer(getattr(queue, op)(given_back, *args[1:]))
                expect_held(model, op, given_back, args[1:], now, got_error)
        assert len(queue.messages) == len(model.visible_at)

    simulate(program)


def expect_held(
    model: PlainQueue, op: str, held: QueueDelivery, rest: list[float], now: float, got: Any
) -> None:
    holds = model.holds(held)
    if op == "acknowledge":
        assert got is None
        if holds:
            del model.visible_at[held.message_id]
        return
    if not holds or model.visible_at[held.message_id] <= now:
        assert got == "QueueError"
        return
    assert got is None
    model.visible_at[held.message_id] = now + (rest[0] if rest else 0.0)


# -- locks ----------------------------------------------------------------------------

LOCKS = st.one_of(
    st.tuples(st.just("acquire"), IDS, SHORT),
    st.tuples(st.just("renew"), st.integers(0, 3), SHORT),
    st.tuples(st.just("release"), st.integers(0, 3)),
    st.tuples(st.just("sleep"), SHORT),
)


@BOUNDS
@given(commands=st.lists(LOCKS, max_size=20))
def test_locks_answer_like_a_dict_of_ends(commands: list[Any]) -> None:
    async def program() -> None:
        locks, leases, tokens = Locks(), [], []
        ends: dict[str, tuple[int, float]] = {}
        for op, *args in commands:
            now = now_s()
            if op == "sleep":
                await asyncio.sleep(args[0])
            elif op == "acquire":
                lease = await locks.acquire(args[0], "me", lease_s=args[1])
                assert (lease is None) == (args[0] in ends and now < ends[args[0]][1])
                if lease is not None:
                    leases.append(lease)
                    tokens.append(lease.token)
                    ends[args[0]] = (lease.token, now + args[1])
            elif leases:
                lease = leases[args[0] % len(leases)]
                token, end = ends.get(lease.name, (0, 0.0))
                holds = token == lease.token and now < end
                if op == "release":
                    assert await locks.release(lease) == holds
                    if holds:
                        del ends[lease.name]
                else:
                    got = await answer(locks.renew(lease, lease_s=args[1]))
                    assert (got == "LockError") == (not holds)
                    if holds:
                        ends[lease.name] = (token, now + args[1])
        assert tokens == sorted(set(tokens))

    simulate(program)


# -- the outbox -----------------------------------------------------------------------


@BOUNDS
@given(
    groups=st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=5),
    fails=st.sets(st.integers(0, 20), max_size=6),
    seed=st.integers(0, 10**6),
)
def test_what_is_committed_is_published_at_least_once_and_first_in_order(
    groups: list[tuple[bool, int]], fails: set[int], seed: int
) -> None:
    published: list[str] = []
    committed: list[str] = []
    attempts = 0

    async def publish(entry: OutboxEntry) -> None:
        nonlocal attempts
        attempts += 1
        before = attempts % 2
        if attempts in fails and before:
            raise ConnectionError
        published.append(entry.id)
        if attempts in fails:
            raise TimeoutError

    async def program() -> None:
        documents = Documents()
        outbox = Outbox(database=documents.database)

        async def write() -> None:
            for commit, n in groups:
                added = await grouped_messages(documents, outbox, n, commit=commit)
                committed.extend(added if commit else [])
                await asyncio.sleep(0)

        await asyncio.gather(write(), relay(outbox, publish, passes=10, every_s=0.0))
        await relay(outbox, publish, passes=len(fails) + 1)
        assert await outbox.pending() == []

    assert run(program, seed=seed).error is None
    assert list(dict.fromkeys(published)) == committed


async def grouped_messages(
    documents: Documents, outbox: Outbox, n: int, *, commit: bool
) -> list[str]:
    added = []
    try:
        async with documents.transaction() as tx:
            added += [await outbox.add("m", tx=tx) for _ in range(n)]
            if not commit:
                raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    return added
