"""Holds, releases and pauses: what schedules can say, and what one decision reaches."""

import asyncio
import itertools
from dataclasses import dataclass

import pytest

from faultlab.kernel import Choices, Fifo, RandomStep, Spoken, Tape, TapeError, record, run

HOLDS = 8  # none, hold, six pauses


async def stalled():
    """a1 < b1..b5 < a2 needs one task held for five steps of the other."""
    log = []

    async def a():
        log.append("a1")
        await asyncio.sleep(0)
        log.append("a2")

    async def b():
        for number in range(1, 6):
            await asyncio.sleep(0)
            log.append(f"b{number}")

    async with asyncio.TaskGroup() as group:
        group.create_task(a(), name="a")
        group.create_task(b(), name="b")
    return log


STALL = ["a1", "b1", "b2", "b3", "b4", "b5", "a2"]


def test_fifo_does_not_stall():
    assert run(stalled).result != STALL


def test_one_hold_reaches_a_stall_of_any_length():
    one = run(stalled, choices=Tape({("hold", "", "a", 1): (1, HOLDS)}))
    assert one.result == STALL
    assert len(one.choices) == 1


def test_a_hold_that_struck_is_on_the_tape_and_one_that_did_not_is_not():
    tape = Tape({("hold", "", "a", 1): (1, HOLDS), ("hold", "", "nobody", 0): (1, HOLDS)})
    assert list(run(stalled, choices=tape).choices) == [("hold", "", "a", 1)]


@dataclass(frozen=True, kw_only=True)
class ShuffleTheBatch:
    """What other tools do: shuffle each tick's ready batch, and run all of it."""

    order: tuple[bool, ...]
    holds: bool = False

    def chooser(self, agenda, choices):
        batch = set()
        flips = iter(self.order)

        def choose(waiting):
            ids = [id(entry) for entry in agenda.ready]
            if not batch & set(ids):
                batch.clear()
                batch.update(ids)
            inside = [index for index, key in enumerate(ids) if key in batch]
            index = inside[-1] if next(flips, False) else inside[0]
            batch.discard(ids[index])
            return index

        return choose


def test_twin_shuffling_ready_batches_never_reaches_the_stall():
    for order in itertools.product((False, True), repeat=8):
        assert run(stalled, strategy=ShuffleTheBatch(order=order)).result != STALL


def test_random_steps_reach_the_stall_sooner_or_later():
    assert any(run(stalled, seed=seed).result == STALL for seed in range(300))


def test_a_release_ends_a_hold_early():
    tape = {("hold", "", "a", 1): (1, HOLDS), ("release", "", "", 2): (1, 2)}
    released = run(stalled, choices=Tape(tape)).result
    assert released.index("b1") < released.index("a2") < released.index("b5")


def test_a_hold_ends_when_nothing_else_is_ready():
    async def program():
        log = []

        async def worker(name):
            await asyncio.sleep(0)
            log.append((name, asyncio.get_running_loop().time()))

        async def later():
            await asyncio.sleep(1)
            log.append(("later", asyncio.get_running_loop().time()))

        async with asyncio.TaskGroup() as group:
            for name in "ab":
                group.create_task(worker(name), name=name)
            group.create_task(later(), name="later")
        return log

    held = run(program, choices=Tape({("hold", "", "a", 1): (1, HOLDS)}))
    assert held.result == [("b", 0.0), ("a", 0.0), ("later", 1.0)]


def test_a_pause_lasts_across_time():
    paused = run(stalled, choices=Tape({("hold", "", "a", 1): (5, HOLDS)}))
    assert paused.result == STALL
    assert paused.time_s == 1.0


def test_a_decision_about_one_task_does_not_depend_on_another():
    def crowded(extra):
        async def program():
            async def noise():
                for _ in range(4):
                    await asyncio.sleep(0)

            others = [asyncio.create_task(noise(), name=f"n{i}") for i in range(extra)]
            log = await stalled()
            await asyncio.gather(*others)
            return log

        return program

    tape = Tape({("hold", "", "a", 1): (1, HOLDS)})
    for extra in range(4):
        log = run(crowded(extra), choices=tape).result
        assert log.index("b5") < log.index("a2")


def test_what_random_steps_chose_is_the_same_run_when_fed_back():
    async def program():
        for entry in await stalled():
            record("log", entry=entry)

    for seed in range(40):
        first = run(program, seed=seed)
        again = run(program, choices=first.choices)
        assert again.history.encode() == first.history.encode()
        assert again.choices == first.choices


@dataclass(frozen=True, kw_only=True)
class Priorities:
    """PCT's inner loop in the kernel's words: always run the task that is listed first."""

    order: str
    holds: bool = True

    def chooser(self, agenda, choices):
        def rank(entry):
            return self.order.find(agenda.whose(entry)[1])

        def choose(waiting):
            if agenda.held:
                held = [rank(entry) for entry in agenda.held]
                ready = [rank(entry) for entry in agenda.ready]
                best = held.index(min(held)) + 1 if min(held) < min(ready) else 0
                if choices.decide("release", 1 + len(agenda.held), best):
                    agenda.release(best - 1)
                    waiting += 1
            best = min(rank(entry) for entry in agenda.ready)
            while waiting > 1:
                oldest = agenda.ready[0]
                process, task = agenda.whose(oldest)
                behind = int(rank(oldest) > best)
                if not choices.decide("hold", HOLDS, behind, process=process, call=task):
                    break
                agenda.hold(0)
                waiting -= 1
            return 0

        return choose


def test_priorities_written_as_holds_are_fed_back_without_their_strategy():
    for order in ("ab", "ba"):
        first = run(stalled, seed=1, strategy=Priorities(order=order))
        again = run(stalled, choices=first.choices)
        assert again.result == first.result
        assert again.choices == first.choices
    assert first.result == ["b1", "b2", "b3", "b4", "b5", "a1", "a2"]


def test_only_tasks_overtake_and_callbacks_keep_their_order():
    async def program():
        log = []
        loop = asyncio.get_running_loop()

        async def task(name):
            log.append(name)

        tasks = [asyncio.create_task(task(f"t{i}")) for i in range(3)]
        for number in range(5):
            loop.call_soon(log.append, number)
        await asyncio.sleep(1)
        await asyncio.gather(*tasks)
        return log

    orders = {tuple(run(program, seed=seed).result) for seed in range(40)}
    assert len(orders) > 10
    for order in orders:
        assert [entry for entry in order if isinstance(entry, int)] == [0, 1, 2, 3, 4]


def test_a_tape_without_schedule_decisions_costs_no_chooser():
    assert Spoken.of(Tape({("fault", "", "", 0): (1, 2)})).chooser(None, None) is None
    assert Fifo().chooser(None, None) is None


@pytest.mark.parametrize("strategy", [Fifo(), RandomStep()])
def test_a_strategy_is_a_value(strategy):
    assert strategy == type(strategy)()
    assert hash(strategy) == hash(type(strategy)())


async def two_tasks_and_a_deadline():
    """A lease of one second: whoever is slower than that comes too late."""
    late = []

    async def owner():
        await asyncio.sleep(0)
        record("works", late=bool(late))

    async def lapse():
        await asyncio.sleep(1.0)
        late.append(True)

    await asyncio.gather(owner(), lapse())


def test_a_step_that_waits_alone_can_be_paused_past_a_timer():
    paused = Tape({("hold", "", "Task-2", 1): (6, 8)})
    fifo, slow = run(two_tasks_and_a_deadline), run(two_tasks_and_a_deadline, choices=paused)
    assert [e.fields["late"] for e in fifo.history.of("works")] == [False]
    assert [e.fields["late"] for e in slow.history.of("works")] == [True]
    assert (slow.choices, slow.time_s) == (paused, 10.0)


def test_a_step_that_waits_alone_cannot_be_held():
    held = run(two_tasks_and_a_deadline, choices=Tape({("hold", "", "Task-2", 1): (1, 8)}))
    assert [e.fields["late"] for e in held.history.of("works")] == [False]


def test_all_that_was_asked_for_is_told_and_names_the_decisions_there_could_be():
    asked = []
    run(two_tasks_and_a_deadline, choices=Tape(), strategy=Spoken(streams={"hold"}), asked=asked)
    assert (("hold", "", "Task-2", 1), 8) in asked
    for key, n in asked:
        assert run(two_tasks_and_a_deadline, choices=Tape({key: (n - 1, n)})).choices


def test_a_watcher_is_told_of_each_step_and_changes_none():
    seen = []
    watched = run(two_tasks_and_a_deadline, seed=3, watch=lambda *step: seen.append(step[:2]))
    plain = run(two_tasks_and_a_deadline, seed=3)
    assert len(seen) == watched.steps == plain.steps
    assert watched.choices == plain.choices
    assert ("", "Task-2") in seen


def test_a_strategy_has_chance_of_its_own_that_is_on_no_tape():
    one, same, other = (Choices(seed=seed).chance("pct").random() for seed in (1, 1, 2))
    assert one == same != other
    with pytest.raises(TapeError, match="seed"):
        Choices().chance("pct")
