"""Under FIFO the kernel runs generated programs in the very order of asyncio's own loop."""

import asyncio
import sys
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stock import run_stock

from faultlab.kernel import Fifo, Tape, run

TICK_S = 0.125  # a power of two, so that sums of delays are exact in both loops

ticks = st.integers(0, 3)
some_ticks = st.integers(1, 3)
which = st.integers(0, 1)
LATER_WAIT_FOR = sys.version_info >= (3, 12)  # 3.11's own takes other steps: see NOT_PORTABLE


def op(kind, *arguments):
    return st.tuples(st.just(kind), *arguments)


leaves = st.one_of(
    op("sleep", ticks),
    op("sleep", ticks),
    op("set", which),
    op("wait", which, some_ticks),
    op("wait_for" if LATER_WAIT_FOR else "wait", which, ticks if LATER_WAIT_FOR else some_ticks),
    op("put", which),
    op("get", which, some_ticks),
    op("notify"),
    op("await notice", some_ticks),
    op("soon"),
    op("later", some_ticks),
    op("later cancelled", some_ticks),
    op("cancel child"),
    op("join"),
    op("first", some_ticks),
    op("resolve", which),
    op("future", which, some_ticks),
    op("raise"),
    op("generate", ticks),
)


def inner(ops):
    bodies = st.lists(ops, max_size=4)
    return st.one_of(
        op("spawn", bodies),
        op("spawn", bodies),
        op("lock", which, bodies),
        op("semaphore", bodies),
        op("timeout", some_ticks, bodies),
        op("shield", bodies),
        op("group", st.lists(bodies, max_size=3)),
        op("finally", bodies, bodies),
    )


programs = st.lists(st.recursive(leaves, inner, max_leaves=12), max_size=7)


@dataclass
class Machine:
    """Runs a generated program and logs everything it can observe."""

    def __post_init__(self):
        self.log = []
        self.names = 0
        self.locks = [asyncio.Lock(), asyncio.Lock()]
        self.events = [asyncio.Event(), asyncio.Event()]
        self.queues = [asyncio.Queue(1), asyncio.Queue()]
        self.condition = asyncio.Condition()
        self.semaphore = asyncio.Semaphore(2)
        loop = asyncio.get_running_loop()
        self.futures = [loop.create_future(), loop.create_future()]
        for number, future in enumerate(self.futures):
            future.add_done_callback(lambda _, n=number: self.note("callback", n))

    def note(self, *what):
        self.log.append((asyncio.get_running_loop().time() / TICK_S, *what))

    async def task(self, ops):
        self.names += 1
        me, children = self.names, []
        try:
            await self.ops(me, ops, children)
        except BaseException as error:
            self.note(me, "ended by", type(error).__name__)
            raise
        self.note(me, "ended")

    async def ops(self, me, ops, children):
        for kind, *arguments in ops:
            self.note(me, kind)
            try:
                await getattr(self, kind.replace(" ", "_") + "_")(me, children, *arguments)
            except TimeoutError:
                self.note(me, kind, "timed out")
            self.note(me, kind, "done")

    def child(self, ops):
        return asyncio.create_task(self.task(ops))

    async def sleep_(self, me, children, delay):
        await asyncio.sleep(delay * TICK_S)

    async def set_(self, me, children, number):
        self.events[number].set()

    async def wait_(self, me, children, number, delay):
        async with asyncio.timeout(delay * TICK_S):
            await self.events[number].wait()
        self.events[number].clear()

    async def wait_for_(self, me, children, number, delay):
        await asyncio.wait_for(self.events[number].wait(), delay * TICK_S)

    async def put_(self, me, children, number):
        try:
            self.queues[number].put_nowait(me)
        except asyncio.QueueFull:
            self.note(me, "full")

    async def get_(self, me, children, number, delay):
        async with asyncio.timeout(delay * TICK_S):
            self.note(me, "got", await self.queues[number].get())

    async def notify_(self, me, children):
        async with self.condition:
            self.condition.notify_all()

    async def await_notice_(self, me, children, delay):
        async with asyncio.timeout(delay * TICK_S), self.condition:
            await self.condition.wait()

    async def soon_(self, me, children):
        asyncio.get_running_loop().call_soon(self.note, me, "called soon")

    async def later_(self, me, children, delay):
        asyncio.get_running_loop().call_later(delay * TICK_S, self.note, me, "called later")

    async def later_cancelled_(self, me, children, delay):
        loop = asyncio.get_running_loop()
        handle = loop.call_later(delay * TICK_S, self.note, me, "never called")
        loop.call_later((delay - 1) * TICK_S + TICK_S / 2, handle.cancel)

    async def cancel_child_(self, me, children):
        if children:
            children[-1].cancel()

    async def join_(self, me, children):
        for result in await asyncio.gather(*children, return_exceptions=True):
            self.note(me, "joined", type(result).__name__)

    async def first_(self, me, children, delay):
        if children:
            done, pending = await asyncio.wait(
                children, timeout=delay * TICK_S, return_when=asyncio.FIRST_COMPLETED
            )
            self.note(me, "first", len(done), len(pending))

    async def resolve_(self, me, children, number):
        if not self.futures[number].done():
            self.futures[number].set_result(me)

    async def future_(self, me, children, number, delay):
        async with asyncio.timeout(delay * TICK_S):
            self.note(me, "future", await asyncio.shield(self.futures[number]))

    async def raise_(self, me, children):
        raise LookupError(me)

    async def generate_(self, me, children, delay):
        async def numbers():
            try:
                yield 1
                await asyncio.sleep(delay * TICK_S)
                yield 2
            finally:
                await asyncio.sleep(0)
                self.note(me, "generator closed")

        async for number in numbers():
            if number == 2 or delay == 0:
                break

    async def spawn_(self, me, children, ops):
        children.append(self.child(ops))

    async def lock_(self, me, children, number, ops):
        async with self.locks[number]:
            await self.ops(me, ops, children)

    async def semaphore_(self, me, children, ops):
        async with self.semaphore:
            await self.ops(me, ops, children)

    async def timeout_(self, me, children, delay, ops):
        async with asyncio.timeout(delay * TICK_S):
            await self.ops(me, ops, children)

    async def shield_(self, me, children, ops):
        children.append(self.child(ops))
        await asyncio.shield(children[-1])

    async def group_(self, me, children, bodies):
        try:
            async with asyncio.TaskGroup() as group:
                for ops in bodies:
                    group.create_task(self.task(ops))
        except* LookupError as caught:
            self.note(me, "group", len(caught.exceptions))

    async def finally_(self, me, children, ops, cleanup):
        try:
            await self.ops(me, ops, children)
        finally:
            await self.ops(me, cleanup, children)


def observed(ops, runner):
    """The log of the program, its end included, under one runner."""
    logs = []

    async def program():
        machine = Machine()
        logs.append(machine.log)
        try:
            async with asyncio.timeout(60 * TICK_S):  # ends what waits for ever
                await machine.task(ops)
        finally:
            # asyncio lets the rest of the batch run when the program ends, the kernel
            # does not: so let what can still happen happen before.
            await asyncio.sleep(60 * TICK_S)

    try:
        runner(program)
    except (LookupError, TimeoutError, asyncio.CancelledError) as error:
        return [*logs[0], type(error).__name__]
    return logs[0]


def by_kernel(program):
    made = run(program)
    assume(not any(violation.kind == "deadlock" for violation in made.violations))
    if made.error is not None:
        raise made.error


@settings(max_examples=250, deadline=None)
@given(programs)
@pytest.mark.filterwarnings("ignore")
def test_fifo_observes_what_asyncio_observes(ops):
    assert observed(ops, by_kernel) == observed(ops, run_stock)


class Newest:
    """A broken twin: runs the newest ready step first."""

    holds = False

    def chooser(self, agenda, choices):
        return lambda waiting: waiting - 1


def test_twin_another_order_is_told_apart():
    ops = [("spawn", [("sleep", 0)]), ("spawn", [("sleep", 0)]), ("sleep", 1)]
    assert observed(ops, lambda program: run(program, strategy=Newest())) != observed(
        ops, run_stock
    )


@settings(max_examples=100, deadline=None)
@given(programs, st.integers(0, 2**32))
def test_any_seed_is_reproduced_by_its_tape(ops, seed):
    logs = []

    def noting(**options):
        logs.append(observed(ops, lambda program: kept.append(run(program, **options))))

    kept = []
    noting(seed=seed)
    noting(choices=kept[0].choices)
    assert logs[0] == logs[1]
    assert kept[0].choices == kept[1].choices
    assert kept[0].steps == kept[1].steps


@settings(max_examples=50, deadline=None)
@given(programs, st.integers(0, 2**32))
def test_a_seed_only_says_which_tape_so_the_empty_tape_is_fifo(ops, seed):
    fifo = observed(ops, lambda program: run(program, seed=seed, strategy=Fifo()))
    assert fifo == observed(ops, lambda program: run(program, choices=Tape()))
