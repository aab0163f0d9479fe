"""The call gate: what a call records, and what may befall it."""

import asyncio

import pytest

from faultlab.kernel import KernelError, current, run


async def body():
    await asyncio.sleep(1)
    return 7


def events(made):
    return [(event.kind, event.time_s, dict(event.fields)) for event in made.history]


def calling(policy=None, body=body, **options):
    async def program():
        return await current().gate.call("store", "orders", "read", body, **options)

    return run(program, policy=policy)


def test_a_call_is_called_happens_and_returns():
    made = calling(asked={"key": "k"})
    assert made.result == 7
    assert events(made) == [
        ("call", 0.0, {"surface": "store", "route": "orders", "op": "read", "asked": {"key": "k"}}),
        ("happened", 1.0, {"call": 0}),
        ("return", 1.0, {"call": 0, "known": 7}),
    ]


def test_what_is_known_of_a_result_can_be_said_by_the_port():
    async def answers():
        return {"set", "of"}

    assert events(calling(body=answers))[-1][2]["known"] is None
    assert events(calling(body=answers, known=sorted))[-1][2]["known"] == ["of", "set"]


def test_a_body_that_raises_did_not_happen():
    async def fails():
        raise LookupError("detail")

    made = calling(body=fails)
    assert isinstance(made.error, LookupError)
    assert [event[0] for event in events(made)] == ["call", "raise"]
    assert made.history[1].fields == {"call": 0, "error": "LookupError"}


class Befalls:
    """A policy made of what it raises, and where."""

    def __init__(self, **raises):
        self.raises = raises
        self.calls = []

    def latency_s(self, call, leg):
        return 0.25 if leg == "request" else 0.5

    async def before(self, call):
        self.calls.append(call)
        if "before" in self.raises:
            raise self.raises["before"]

    async def after(self, call):
        if "after" in self.raises:
            raise self.raises["after"]


def test_latency_is_waited_both_ways():
    made = calling(Befalls())
    assert [(kind, time) for kind, time, _ in events(made)] == [
        ("call", 0.0), ("happened", 1.25), ("return", 1.75),
    ]  # fmt: skip


def test_an_error_before_the_body_is_a_call_without_effect():
    made = calling(Befalls(before=ConnectionError()))
    assert isinstance(made.error, ConnectionError)
    assert [kind for kind, *_ in events(made)] == ["call", "raise"]


def test_a_lost_reply_looks_the_same_to_the_caller_and_only_the_history_knows():
    made = calling(Befalls(after=ConnectionError()))
    assert isinstance(made.error, ConnectionError)
    assert [kind for kind, *_ in events(made)] == ["call", "happened", "raise"]


def test_a_policy_is_told_whose_call_it_is():
    policy = Befalls()

    async def program():
        async def node():
            await current().gate.call("store", "orders", "read", body)

        await current().start("node", node).ended()

    run(program, policy=policy)
    (call,) = policy.calls
    assert (call.process.name, call.task, call.surface, call.route, call.op) == (
        "node", "node", "store", "orders", "read",
    )  # fmt: skip


def test_a_cancelled_call_raises_and_says_so():
    async def program():
        task = asyncio.create_task(current().gate.call("store", "orders", "read", body))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])

    assert [event.kind for event in run(program).history] == ["call", "raise"]


def test_a_call_from_outside_of_a_run_is_an_error():
    kept = []

    async def program():
        kept.append(current().gate)

    run(program)
    call = kept[0].call("store", "orders", "read", body)
    with pytest.raises(KernelError, match="no simulated process"):
        call.send(None)


def test_twin_a_port_that_bypasses_the_gate_is_in_no_history():
    async def program():
        return await body()

    assert list(run(program).history) == []
