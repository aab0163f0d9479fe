"""Each fault really strikes, has the effect that its table says, and looks as its table says."""

from collections.abc import Callable
from typing import Any, get_args

import pytest

from faultlab.dst import (
    FAULTS,
    CrashPolicy,
    Exhaustive,
    FaultRule,
    LatencyProfile,
    Simulation,
    SimulationConfig,
    SimulationError,
)
from faultlab.dst.befalling import CRASH, known_words
from faultlab.dst.faults import TRANSPORT, FaultKind
from faultlab.dst.workload import Call
from faultlab.kernel import History, Tape
from tests.dst.ports_of_own import TRAVEL_S, Opened, called, pay, saw, seen, send, struck

WAIT_S = 3.0
UNANSWERED = (
    "Unreachable: no reply from till/front/pay in time; whether it took effect is not known"
)


def strike(kind: FaultKind, **settings: Any) -> FaultRule:
    surface = "queue_command" if kind in ("drop", "duplicate") else "till"
    return FaultRule(
        kind=kind,
        surface=surface,
        at_call=1,
        timeout_s=WAIT_S,
        delay_s=WAIT_S,
        **settings,
    )


def struck_once(kind: FaultKind) -> tuple[History, Opened]:
    opened = Opened([Call(send if kind in ("drop", "duplicate") else pay)])
    attempt = opened.attempt(faults=[strike(kind)])
    assert struck(attempt.run.history) == [kind]
    assert attempt.exercised == {strike(kind).label}
    return attempt.run.history, opened


def happened_s(history: History) -> list[float]:
    return [round(event.time_s, 6) for event in history.of("happened")]


# -- the table, row by row ---------------------------------------------------------------


def error() -> None:
    history, opened = struck_once("error")
    assert opened.shop.till.coins == 0
    assert happened_s(history) == []
    assert saw(history) == [("CallFailed: till/front/pay failed; it had no effect", TRAVEL_S)]


def unreachable() -> None:
    history, opened = struck_once("unreachable")
    assert opened.shop.till.coins == 0
    assert happened_s(history) == []
    assert saw(history) == [(UNANSWERED, TRAVEL_S + WAIT_S)]


def timeout() -> None:
    history, opened = struck_once("timeout")
    assert opened.shop.till.coins == 1
    assert happened_s(history) == [TRAVEL_S + WAIT_S]
    assert saw(history) == [(UNANSWERED, TRAVEL_S + WAIT_S)]


def lost_reply() -> None:
    history, opened = struck_once("lost-reply")
    assert opened.shop.till.coins == 1
    assert happened_s(history) == [TRAVEL_S]
    assert saw(history) == [(UNANSWERED, TRAVEL_S + WAIT_S)]


def drop() -> None:
    history, opened = struck_once("drop")
    assert opened.shop.mailbox.letters == []
    assert happened_s(history) == []
    assert [took_s for _, took_s in saw(history)] == [2 * TRAVEL_S]
    assert history.of("raise") == []


def duplicate() -> None:
    history, opened = struck_once("duplicate")
    assert opened.shop.mailbox.letters == ["hello", "hello"]
    assert happened_s(history) == [TRAVEL_S, TRAVEL_S]
    assert saw(history) == [("put", 2 * TRAVEL_S)]


def delay() -> None:
    history, opened = struck_once("delay")
    assert opened.shop.till.coins == 1
    assert happened_s(history) == [TRAVEL_S + WAIT_S]
    assert saw(history) == [("paid", 2 * TRAVEL_S + WAIT_S)]


ROWS: dict[str, Callable[[], None]] = {
    "error": error,
    "unreachable": unreachable,
    "timeout": timeout,
    "lost-reply": lost_reply,
    "drop": drop,
    "duplicate": duplicate,
    "delay": delay,
}
"""A test for each row of the table."""


@pytest.mark.parametrize("kind", [row.kind for row in FAULTS])
def test_a_fault_does_to_the_effect_and_shows_the_caller_what_its_row_says(kind: str) -> None:
    ROWS[kind]()


def test_every_fault_has_one_row_and_every_row_a_test() -> None:
    kinds = [row.kind for row in FAULTS]
    assert sorted(kinds) == sorted(get_args(FaultKind))
    assert set(ROWS) == set(kinds)


def test_without_a_fault_the_effect_takes_place_once_and_is_answered() -> None:
    """The twin of all rows: what they see is the fault's doing."""
    opened = Opened([Call(pay)])
    history = opened.attempt().run.history
    assert (opened.shop.till.coins, struck(history)) == (1, [])
    assert saw(history) == [("paid", 2 * TRAVEL_S)]


def test_timeout_lost_reply_and_unreachable_are_the_same_to_the_caller() -> None:
    kinds: tuple[FaultKind, ...] = ("timeout", "lost-reply", "unreachable")
    runs = [struck_once(kind) for kind in kinds]
    assert len({tuple(saw(history)) for history, _ in runs}) == 1
    raises = [[event.fields for event in history.of("raise")] for history, _ in runs]
    assert raises[0] == raises[1] == raises[2]
    assert [opened.shop.till.coins for _, opened in runs] == [1, 1, 0]


@pytest.mark.parametrize("kind", ["timeout", "lost-reply"])
def test_a_refusal_is_a_reply_too_and_can_be_lost(kind: FaultKind) -> None:
    async def update_nothing(ctx: Any) -> None:
        await seen(ctx, lambda: ctx.port("document_command", "orders").update("o", {}))

    simulation = Simulation(calls=[Call(update_nothing)])
    rule = FaultRule(kind=kind, surface="document_command", at_call=1, timeout_s=WAIT_S)
    latency = LatencyProfile.constant(TRAVEL_S)
    told = []
    for faults in ([], [rule]):
        trial = simulation.trial(SimulationConfig(faults=faults, latency=latency))
        history = trial.attempt(seed=0).run.history
        ((text, took_s),) = saw(history)
        told.append((text.partition(":")[0], took_s, struck(history)))
    assert told == [
        ("DocumentError", 2 * TRAVEL_S, []),
        ("Unreachable", TRAVEL_S + WAIT_S, [kind]),
    ]


@pytest.mark.parametrize("kind", ["drop", "duplicate"])
@pytest.mark.parametrize("surface", ["", "till", "receiver", "document_command", "queue_query"])
def test_only_messages_are_lost_or_doubled_unnoticed(kind: FaultKind, surface: str) -> None:
    with pytest.raises(SimulationError, match="only a message can be lost or doubled unnoticed"):
        FaultRule(kind=kind, surface=surface)
    assert next(row.ports for row in FAULTS if row.kind == kind) == "transport"


def test_the_transport_surfaces_take_both() -> None:
    for surface in TRANSPORT:
        FaultRule(kind="drop", surface=surface)
        FaultRule(kind="duplicate", surface=surface)


# -- when a rule strikes -----------------------------------------------------------------


def test_at_call_strikes_that_matching_call_and_no_other() -> None:
    opened = Opened([Call(pay)] * 4, concurrency=1)
    history = opened.attempt(
        faults=[FaultRule(kind="error", surface="till", at_call=3)]
    ).run.history
    assert [text.partition(":")[0] for text, _ in saw(history)] == [
        "paid",
        "paid",
        "CallFailed",
        "paid",
    ]


def test_two_rules_for_two_calls_count_each_for_itself() -> None:
    rules = [FaultRule(kind="error", surface="till", at_call=nth) for nth in (2, 4)]
    opened = Opened([Call(pay)] * 5, concurrency=1)
    attempt = opened.attempt(faults=rules)
    texts = [text.partition(":")[0] for text, _ in saw(attempt.run.history)]
    assert texts == ["paid", "CallFailed", "paid", "CallFailed", "paid"]
    assert attempt.exercised == {rule.label for rule in rules}


def test_a_probability_strikes_about_so_often_and_certainty_always() -> None:
    def strikes(probability: float) -> int:
        rule = FaultRule(kind="error", surface="till", probability=probability, times_max=100)
        opened = Opened([Call(pay)] * 20, concurrency=1)
        attempts = [opened.attempt(seed, faults=[rule]) for seed in range(20)]
        calls = sum(len(called(attempt.run.history)) for attempt in attempts)
        faults = sum(len(struck(attempt.run.history)) for attempt in attempts)
        assert calls > 150
        return round(100 * faults / calls)

    assert strikes(1.0) == 100
    assert 20 <= strikes(0.3) <= 40


def test_times_max_bounds_the_strikes_of_one_run() -> None:
    rule = FaultRule(kind="error", surface="till", probability=1.0, times_max=2)
    opened = Opened([Call(pay)] * 5, concurrency=1)
    for _ in range(2):  # and the next run has all of them again
        assert struck(opened.attempt(faults=[rule]).run.history) == ["error", "error"]


def test_a_call_is_struck_by_the_first_rule_that_would_and_by_no_second() -> None:
    rules = [
        FaultRule(kind="lost-reply", surface="till", probability=1.0, timeout_s=WAIT_S),
        FaultRule(kind="unreachable", surface="till", probability=1.0, timeout_s=WAIT_S),
    ]
    opened = Opened([Call(pay)])
    attempt = opened.attempt(faults=rules)
    assert struck(attempt.run.history) == ["lost-reply"]
    assert attempt.exercised == {rules[0].label}
    assert opened.shop.till.coins == 1


def test_set_up_and_observation_are_not_struck() -> None:
    async def both(ctx: Any) -> None:
        await pay(ctx)

    opened = Opened([Call(send)], setup=both, observe=both)
    rule = FaultRule(kind="error", probability=1.0, times_max=10)
    history = opened.attempt(faults=[rule]).run.history
    assert struck(history) == ["error"]
    assert [text.partition(":")[0] for text, _ in saw(history)] == ["paid", "CallFailed", "paid"]


def test_a_report_counts_in_how_many_seeds_each_rule_struck() -> None:
    rule = FaultRule(kind="lost-reply", surface="till", probability=0.5)
    opened = Opened([Call(pay)])
    report = opened.simulation.run(SimulationConfig(seeds=range(40), faults=[rule]))
    trial = opened.simulation.trial(SimulationConfig(faults=[rule]))
    counted = sum(rule.label in trial.attempt(seed=seed).exercised for seed in range(40))
    assert report.verdict == "clean"
    assert 0 < counted < 40
    assert report.exercised == {rule.label: counted}


def test_a_rule_that_never_strikes_makes_a_sweep_unexercised() -> None:
    rules = [
        FaultRule(kind="error", surface="till", at_call=1),
        FaultRule(kind="error", surface="till", at_call=99),
    ]
    report = Opened([Call(pay)] * 3).simulation.run(SimulationConfig.quick(faults=rules))
    assert (report.verdict, report.exit_code) == ("unexercised", 3)
    assert report.unexercised == (rules[1].label,)


def test_a_route_that_no_call_uses_makes_a_sweep_unexercised() -> None:
    rule = FaultRule(kind="error", surface="till", route="back")
    report = Opened([Call(pay)]).simulation.run(SimulationConfig.quick(faults=[rule]))
    assert report.unexercised == ("error at till/back/*",)


def test_an_exhaustive_search_strikes_each_call_that_a_rule_could() -> None:
    def paid_thrice(history: History) -> str | None:
        lost = [event.fields["call"] for event in history.of("fault")]
        return "the third was lost" if lost and len(history.of("happened")) == 3 else None

    opened = Opened([Call(pay)] * 3, concurrency=1, invariants=[paid_thrice])
    rule = FaultRule(kind="lost-reply", surface="till", timeout_s=WAIT_S)
    config = SimulationConfig(search=Exhaustive(decisions_max=1), faults=[rule])
    report = opened.simulation.run(config)
    assert report.verdict == "violated"
    assert report.finding is not None
    assert [key[0] for key in report.finding.tape if key[0] != "call"] == ["fault"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kind": "lost_reply"}, "there is no fault 'lost_reply'. Did you mean 'lost-reply'?"),
        ({"kind": "error", "probability": 0.0}, "probability is 0.0; give one in \\(0, 1\\]"),
        ({"kind": "error", "probability": 1.5}, "probability is 1.5"),
        ({"kind": "error", "at_call": 0}, "at_call is 0; calls count from 1"),
        ({"kind": "error", "at_call": 1, "probability": 0.5}, "give one of them"),
        ({"kind": "error", "times_max": 0}, "times_max is 0; give at least 1"),
        ({"kind": "delay", "delay_s": 0.0}, "delay_s is 0.0; give positive, finite seconds"),
        ({"kind": "timeout", "timeout_s": float("inf")}, "timeout_s is inf"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_where_it_is_written(
    settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(SimulationError, match=says):
        FaultRule(**settings)


def test_two_rules_that_a_report_could_not_tell_apart_are_refused() -> None:
    rules = [FaultRule(kind="error", probability=p) for p in (0.1, 0.2)]
    with pytest.raises(SimulationError, match="two fault rules are both 'error at"):
        SimulationConfig(faults=rules)


# -- crashes -----------------------------------------------------------------------------


def crashes(history: History) -> list[tuple[str, int]]:
    """When, before or after, and at which port call of its process, from 1."""
    places = [event.seq for event in called(history)]
    return [
        (event.fields["when"], places.index(event.fields["call"]) + 1)
        for event in history.of("fault")
        if event.fields["fault"] == "crash"
    ]


def crashed_at(boundary: int, policy: CrashPolicy, *, calls: int = 3, **settings: Any) -> History:
    opened = Opened([Call(pay)] * calls, concurrency=1, **settings)
    trial = opened.simulation.trial(
        SimulationConfig(crash=policy, latency=LatencyProfile.constant(TRAVEL_S))
    )
    base = trial.prepared(0).base
    picks = {key: (base[key], base.alternatives(key)) for key in base}
    tape = Tape({**picks, (CRASH, "", "", 0): (boundary, 2**16)}) if boundary else base
    return trial.attempt(choices=tape).run.history


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (None, [("before", 1), ("after", 1), ("before", 2), ("after", 2)]),
        ("before", [("before", 1), ("before", 2), ("before", 3)]),
        ("after", [("after", 1), ("after", 2), ("after", 3)]),
    ],
)
def test_the_nth_boundary_is_before_or_after_the_calls_in_order(
    when: Any, expected: list[tuple[str, int]]
) -> None:
    policy = CrashPolicy(when=when)
    found = [crashes(crashed_at(nth, policy)) for nth in range(1, len(expected) + 1)]
    assert found == [[place] for place in expected]
    assert crashes(crashed_at(0, policy)) == []


def test_only_matching_calls_are_boundaries() -> None:
    async def both(ctx: Any) -> None:
        await ctx.port("queue_command", "letters").put("first")
        await ctx.port("till", "front").pay()

    opened = Opened([Call(both)])
    config = SimulationConfig(crash=CrashPolicy(surface="till"))
    for seed in range(40):
        attempt = opened.simulation.trial(config).attempt(seed=seed)
        for event in attempt.run.history.of("fault"):
            assert attempt.run.history[event.fields["call"]].fields["surface"] == "till"
            return
    pytest.fail("no seed crashed")


def test_before_has_no_effect_after_has_and_nothing_of_the_dead_runs_on() -> None:
    class Traces:
        finallys = 0

    async def careful(ctx: Any) -> None:
        try:
            await ctx.port("till", "front").pay()
        finally:
            Traces.finallys += 1
            ctx.record("finally")
            await ctx.port("till", "back").pay()

    for boundary, coins in ((1, 0), (2, 1)):
        opened = Opened([Call(careful), Call(pay)])
        trial = opened.simulation.trial(SimulationConfig(crash=CrashPolicy(surface="till")))
        base = trial.prepared(0).base
        picks = {key: (base[key], base.alternatives(key)) for key in base}
        history = trial.attempt(
            choices=Tape({**picks, (CRASH, "", "", 0): (boundary, 2**16)})
        ).run.history
        crash = history.of("fault")[0]
        assert opened.shop.till.coins == coins
        assert opened.shop.again.coins == 0
        assert history.of("finally", "saw", "end", "failed") == []
        assert all(
            event.process != "app" for event in history[crash.seq + 1 :] if event.kind != "crash"
        )


def test_after_a_crash_a_fresh_process_recovers_over_the_same_stores() -> None:
    async def recover(ctx: Any) -> None:
        ctx.record("recovering")
        await ctx.port("till", "back").pay()

    history = crashed_at(2, CrashPolicy(route="front"), recover=recover)
    kinds = [event.kind for event in history]
    assert kinds.index("fault") < kinds.index("recovering")
    assert [event.fields["route"] for event in called(history)] == ["front", "back"]


def test_it_may_crash_again_while_it_recovers_and_no_more_than_so_often() -> None:
    async def recover(ctx: Any) -> None:
        ctx.record("recovering")
        await ctx.port("till", "back").pay()

    policy = CrashPolicy(probability=0.9, times=2)
    opened = Opened([Call(pay)] * 2, recover=recover)
    trial = opened.simulation.trial(SimulationConfig(crash=policy))
    counts = set()
    in_recovery = 0
    for seed in range(60):
        history = trial.attempt(seed=seed).run.history
        counts.add(struck(history).count("crash"))
        began = len(history.of("recovering"))
        in_recovery += struck(history).count("crash") == 2 and began == 2
    assert counts <= {0, 1, 2}
    assert in_recovery > 10


def test_by_default_the_second_crash_is_a_pick_too_and_may_hit_recovery() -> None:
    async def recover(ctx: Any) -> None:
        ctx.record("recovering")
        await ctx.port("till", "back").pay()

    opened = Opened([Call(pay)] * 2, recover=recover)
    config = SimulationConfig(seeds=range(100), crash=CrashPolicy(times=2))
    trial = opened.simulation.trial(config).prepared(0)
    trial = trial.looked_at(trial.attempt(choices=trial.base))
    twice = [
        seed for seed in range(100) if struck(trial.attempt(seed=seed).run.history) == ["crash"] * 2
    ]
    assert twice


def test_an_open_transaction_rolls_back_and_committed_state_stays() -> None:
    async def setup(ctx: Any) -> None:
        await ctx.port("document_command", "orders").insert("o", {"n": 0})

    async def twice(ctx: Any) -> None:
        orders = ctx.port("document_command", "orders")
        await orders.update("o", {"n": 1})
        async with orders.transaction() as tx:
            await tx.update("o", {"n": 2})

    async def observe(ctx: Any) -> int:
        found: int = (await ctx.port("document_query", "orders").get("o")).body["n"]
        return found

    simulation = Simulation(calls=[Call(twice)], setup=setup, observe=observe)
    trial = simulation.trial(SimulationConfig(crash=CrashPolicy()))
    base = trial.prepared(0).base
    picks = {key: (base[key], base.alternatives(key)) for key in base}
    ends: dict[tuple[str, str], int] = {}
    for boundary in range(1, 9):
        tape = Tape({**picks, (CRASH, "", "", 0): (boundary, 2**16)})
        history = trial.attempt(choices=tape).run.history
        for event in history.of("fault"):
            at = history[event.fields["call"]]
            last = [e for e in called(history) if e.seq <= at.seq]
            nth = "first " if len(last) == 1 else ""
            ended = history.of("observed")[0].fields["value"]
            ends[nth + at.fields["op"], event.fields["when"]] = ended
    assert ends["first update", "before"] == 0
    assert ends["first update", "after"] == 1
    assert ends["begin", "after"] == 1
    assert ends["update", "after"] == 1
    assert ends["commit", "before"] == 1
    assert ends["commit", "after"] == 2


def test_minimizing_moves_a_crash_to_the_simplest_boundary_that_still_fails() -> None:
    async def observe(ctx: Any) -> None:
        ctx.record("over")

    def never_lost(history: History) -> str | None:
        ends = len(history.of("end"))
        happened = len([e for e in history.of("happened") if e.process == "app"])
        return f"{happened} coins, {ends} receipts" if happened > ends else None

    opened = Opened([Call(pay)] * 4, concurrency=1, observe=observe, invariants=[never_lost])
    report = opened.simulation.run(SimulationConfig(crash=CrashPolicy(surface="till")))
    assert report.finding is not None
    assert report.finding.minimality == "proven 1-minimal"
    assert [key[0] for key in report.finding.tape if key[0] != "call"] == [CRASH]
    assert report.finding.tape[CRASH, "", "", 0] == 2
    assert len(report.finding.calls) == 1


def test_a_crash_that_strikes_in_no_seed_makes_a_sweep_unexercised() -> None:
    policy = CrashPolicy(surface="queue_command")
    report = Opened([Call(pay)]).simulation.run(SimulationConfig.quick(crash=policy))
    assert (report.exit_code, report.unexercised) == (3, ("crash at queue_command/*/*",))


def test_an_exhaustive_search_crashes_at_every_boundary() -> None:
    opened = Opened([Call(pay)] * 2, concurrency=1)
    config = SimulationConfig(
        search=Exhaustive(decisions_max=1),
        crash=CrashPolicy(),
        latency=LatencyProfile.constant(TRAVEL_S),
    )
    report = opened.simulation.run(config)
    assert report.verdict == "clean", report.format()
    assert report.exercised["crash at */*/*"] == 4
    assert "crashes" in report.statement


def test_a_dead_process_is_not_struck_again() -> None:
    rule = FaultRule(kind="error", surface="till", probability=1.0, times_max=9)
    opened = Opened([Call(pay)])
    attempt = opened.attempt(faults=[rule], crash=CrashPolicy(probability=1.0, when="before"))
    assert struck(attempt.run.history) == ["crash"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"when": "during"}, "when is 'during'; give 'before', 'after' or None"),
        ({"times": 0}, "times is 0; give at least 1"),
        ({"probability": 2.0}, "probability is 2.0"),
    ],
)
def test_a_crash_that_makes_no_sense_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(SimulationError, match=says):
        CrashPolicy(**settings)


def test_decisions_are_told_in_words() -> None:
    latency = {"": LatencyProfile.exponential(0.005)}
    words = [
        known_words((stream, "app", call, 0), 1, latency)
        for stream, call in (
            ("fault", "error till/front/pay"),
            ("fault", "error@3 till/front/pay"),
            ("fault", "error#2 till/front/pay"),
            ("crash", "before till/front/pay"),
            ("step", "x"),
        )
    ]
    assert words == [
        "error at till/front/pay, call 1 of app",
        "error at till/front/pay, matching call 3 of app",
        "error at till/front/pay, call 1 of app",
        "crash before till/front/pay, call 1 of app",
        None,
    ]
