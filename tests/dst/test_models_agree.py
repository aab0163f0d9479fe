"""Three models of one failure agree: the two labs' outcomes come out of simulations.

The Async Failure Lab's handlers run here over a queue, a receiver and a journal with latencies,
restarts and the simulator's own faults; the Failure Lab's worker is written anew over ports. What
each run left behind is compared with what the labs say when they are run.
"""

from itertools import product
from typing import Any, Final

import pytest

from faultlab import Lab
from faultlab.async_lab import FAULTS, MODES, durable, naive, saved_run
from faultlab.async_lab.story import DEBIT
from faultlab.dst import Call, Context, Simulation, SimulationConfig
from faultlab.dst.attempt import Attempt
from faultlab.dst.faults import CrashPolicy, FaultRule
from faultlab.kernel import Fifo, History, virtual_world
from faultlab.lab import CANCELLATIONS, OBSERVATIONS
from faultlab.lab import FAULTS as LAB_FAULTS
from faultlab.mock import MockState

HANDLERS: Final[dict[str, Any]] = {"naive": naive.handle, "durable": durable.handle}
SEEDS = range(3)
"""Other latencies with each."""


def ran(simulation: Simulation, seed: int, **befalls: Any) -> Attempt:
    """One run of a simulation under what befalls it."""
    config = SimulationConfig(**befalls)
    with virtual_world():
        return simulation.trial(config).attempt(seed=seed, strategy=Fifo())


# -- the Async Failure Lab ---------------------------------------------------------------


def story(mode: str) -> Simulation:
    """One debit, put into a queue and worked off by one consumer, which starts again."""

    async def consume(ctx: Context) -> None:
        queue = ctx.port("queue_query", "tasks")
        while (delivery := await queue.receive(wait_s=60.0)) is not None:
            try:
                await HANDLERS[mode](
                    delivery.message,
                    delivery.receipt,
                    receiver=ctx.port("receiver", "debits"),
                    journal=ctx.port("journal", "results"),
                )
            except TimeoutError:
                continue
            await ctx.port("queue_command", "tasks").acknowledge(delivery)

    async def publish_and_consume(ctx: Context) -> None:
        await ctx.port("queue_command", "tasks").put(DEBIT)
        await consume(ctx)

    return Simulation(calls=[Call(publish_and_consume)], recover=consume)


def crash(surface: str, op: str, when: Any) -> dict[str, Any]:
    return {"crash": CrashPolicy(surface=surface, op=op, when=when, probability=1.0)}


BEFALLS: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "crash-before-effect": crash("receiver", "debit", "before"),
    "crash-after-effect": crash("receiver", "debit", "after"),
    "response-lost": {
        "faults": [FaultRule(kind="lost-reply", surface="receiver", op="debit", at_call=1)]
    },
    "duplicate-delivery": {
        "faults": [FaultRule(kind="duplicate", surface="queue_command", op="put", at_call=1)]
    },
    "crash-after-record": crash("journal", "append", "after"),
}


def counts(history: History) -> dict[str, int]:
    """Deliveries, dispatch attempts, effects and results recorded, apart."""
    return {
        "deliveries": len(history.of("delivered")),
        "dispatch_attempts": sum(e.fields["op"] == "debit" for e in history.of("call")),
        "effects": len(history.of("applied")),
        "results_recorded": len(history.of("recorded")),
    }


def test_every_fault_of_the_async_failure_lab_is_told_as_a_simulation() -> None:
    assert set(BEFALLS) == set(FAULTS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("fault", "mode"), list(product(FAULTS, MODES)))
def test_the_async_failure_lab_and_the_simulator_count_the_same(
    fault: str, mode: str, seed: int
) -> None:
    lab = saved_run(fault, mode)
    attempt = ran(story(mode), seed, **BEFALLS[fault])
    assert attempt.broken is None
    history = attempt.run.history
    assert counts(history) == {name: lab[name] for name in counts(history)}  # type: ignore[literal-required]
    assert bool(attempt.exercised) is lab["fault_exercised"], "the fault struck in both, or none"
    answered = bool(history.of("reused"))
    assert answered is (lab["headline"] == "Recovered by operation key")
    (acknowledged,) = {event.fields["message"] for event in history.of("acknowledged")} - {2}
    assert acknowledged == 1, "in the end the task is done"


def test_without_its_fault_a_story_is_told_differently() -> None:
    """The comparison can fail: each fault but none changes what naive counts."""
    quiet = counts(ran(story("naive"), 0).run.history)
    for fault in set(FAULTS) - {"none"}:
        assert counts(ran(story("naive"), 0, **BEFALLS[fault]).run.history) != quiet


# -- the Failure Lab ---------------------------------------------------------------------


class Statement:
    """What a read finds: what was debited, something else, or nothing."""

    def __init__(self, observation: str) -> None:
        self._found = {"match": "1200", "mismatch": "2400", "unavailable": "unavailable"}[
            observation
        ]

    async def read(self) -> str:
        return self._found


class NotVerified(Exception):
    """The read did not find what was meant."""


async def worker(ctx: Context) -> None:
    """Prepare, note the dispatch, send once, read back, write the receipt."""
    journal = ctx.port("journal", "checkpoints")
    await journal.append("prepared", None)
    await journal.append("dispatched", None)
    await ctx.port("receiver", "debits").debit(key="once", fingerprint=("tenant-a", "once", 1200))
    found = await ctx.port("statement", "bank").read()
    if found != "1200":
        raise NotVerified
    await journal.append("succeeded", None)


def lab_simulation(observation: str) -> Simulation:
    def state() -> MockState:
        made = MockState()
        made.put("statement", "bank", Statement(observation))
        return made

    return Simulation(calls=[Call(worker)], state_factory=state, expected_errors=(NotVerified,))


def write_fails(at_call: int) -> FaultRule:
    return FaultRule(kind="error", surface="journal", op="append", at_call=at_call)


RULES: Final[dict[str, FaultRule]] = {
    "prepare_write": write_fails(1),
    "dispatch_write": write_fails(2),
    "native_reply": FaultRule(kind="lost-reply", surface="receiver", op="debit", at_call=1),
    "verification": FaultRule(kind="lost-reply", surface="statement", op="read", at_call=1),
    "final_write": write_fails(3),
}
STOPS: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "after_prepare": crash("journal", "append", "after"),
    "before_send": crash("receiver", "debit", "before"),
    "after_send": crash("receiver", "debit", "after"),
}
"""A worker that is cancelled and one whose power is cut leave the same behind."""


def left_behind(attempt: Attempt) -> dict[str, Any]:
    """What a run of the worker did, and what it could know, in the Failure Lab's words."""
    history = attempt.run.history
    ops = {event.seq: event.fields["op"] for event in history.of("call")}
    happened = [ops[event.fields["call"]] for event in history.of("happened")]
    reads = [
        event.fields["known"]
        for event in history.of("return")
        if ops[event.fields["call"]] == "read"
    ]
    checkpoints = [event.fields["operation"] for event in history.of("recorded")]
    sent, stopped = happened.count("debit"), bool(history.of("crash"))
    outcome = "unknown" if sent else "not_dispatched"
    if reads:
        outcome = {"1200": "observed_match", "2400": "observed_mismatch"}.get(reads[0], outcome)
    unsent = "cancelled" if stopped else "failed"
    return {
        "send_count": sent,
        "simulated_effect_count": len(history.of("applied")),
        "read_count": list(ops.values()).count("read"),
        "memory_checkpoints": checkpoints,
        "final_receipt_written": "succeeded" in checkpoints,
        "expected_result_observed": outcome == "observed_match",
        "cancellation_observed": stopped,
        "outcome": outcome,
        "status": "succeeded" if "succeeded" in checkpoints else "needs_review" if sent else unsent,
    }


@pytest.mark.parametrize(
    ("fault", "cancel_at", "observation"), list(product(LAB_FAULTS, CANCELLATIONS, OBSERVATIONS))
)
def test_the_failure_lab_and_the_simulator_leave_the_same_behind(
    fault: Any, cancel_at: Any, observation: Any
) -> None:
    lab = Lab(fault=fault, cancel_at=cancel_at, observation=observation).run()
    faults = [] if fault == "none" else [RULES[fault]]
    attempt = ran(lab_simulation(observation), 0, faults=faults, **STOPS[cancel_at])
    assert attempt.broken is None
    found = left_behind(attempt)
    assert found == {name: lab[name] for name in found}  # type: ignore[literal-required]
    struck = bool(faults) and faults[0].label in attempt.exercised
    assert struck is lab["fault_exercised"]


def test_the_combinations_compared_have_sends_and_unknown_outcomes() -> None:
    """The comparison looks at something: most of its cells have a send nobody can vouch for."""
    cells = [
        Lab(fault=fault, cancel_at=cancel_at, observation=observation).run()  # type: ignore[arg-type]
        for fault, cancel_at, observation in product(LAB_FAULTS, CANCELLATIONS, OBSERVATIONS)
    ]
    assert len(cells) == 72
    assert sum(cell["send_count"] for cell in cells) == 24
    assert sum(cell["send_count"] and cell["outcome"] == "unknown" for cell in cells) == 20
