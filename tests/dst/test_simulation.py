"""A simulation sets up, calls, recovers, observes and judges, and its report can be trusted."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from faultlab.cli import main
from faultlab.dst import (
    Call,
    Context,
    CrashPolicy,
    Exhaustive,
    FaultRule,
    LatencyProfile,
    Report,
    Simulation,
    SimulationConfig,
    SimulationError,
    SimulationFailed,
    Token,
)
from faultlab.dst.invariants import Undecided
from faultlab.kernel import History
from faultlab.mock import MockDepsModule, MockState
from faultlab.testing import assert_clean, assert_fixed
from tests.dst import payments
from tests.dst.ports_of_own import Opened, Shop, pay, send

ROOT = Path(__file__).parents[2]
QUICK = SimulationConfig.quick()


def marks(history: History) -> list[str]:
    return [event.fields["at"] for event in history.of("mark")]


def marking(at: str) -> Any:
    async def step(ctx: Context) -> str:
        ctx.record("mark", at=at)
        await ctx.port("till", "front").pay()
        return at

    step.__name__ = at
    return step


# -- the order of a run ------------------------------------------------------------------


def test_a_run_sets_up_calls_and_observes_in_this_order() -> None:
    opened = Opened(
        [Call(marking("call"))],
        setup=marking("setup"),
        recover=marking("recover"),
        observe=marking("observe"),
    )
    history = opened.attempt().run.history
    assert marks(history) == ["setup", "call", "observe"]
    assert history.of("observed")[0].fields["value"] == "observe"
    begin, end = history.of("begin", "end")
    assert (begin.fields["op"], begin.fields["call"]) == ("call", 1)
    assert (end.fields["op"], end.fields["result"]) == ("call", "call")


def test_it_recovers_after_a_crash_and_only_then() -> None:
    opened = Opened([Call(marking("call"))], recover=marking("recover"), observe=marking("observe"))
    crash = CrashPolicy(probability=1.0, when="after")
    assert marks(opened.attempt(crash=crash).run.history) == ["call", "recover", "observe"]


def test_every_run_has_a_state_of_its_own() -> None:
    opened = Opened([Call(pay)])
    opened.simulation.run(QUICK)
    assert len(opened.shops) > 64
    assert {shop.till.coins for shop in opened.shops} == {1}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_so_many_calls_run_at_once_and_no_more(concurrency: int) -> None:
    history = Opened([Call(pay)] * 9, concurrency=concurrency).attempt().run.history
    running = most = 0
    for event in history.of("begin", "end"):
        running += 1 if event.kind == "begin" else -1
        most = max(most, running)
    assert (most, running) == (concurrency, 0)


def test_ports_of_ones_own_come_from_a_mapping_or_from_anything_with_port() -> None:
    class Doors:
        def __init__(self, shop: Shop) -> None:
            self.ports = MockDepsModule(state=MockState())
            self.ports.state.put("till", "front", shop.till)

        def port(self, surface: str, route: str) -> Any:
            return self.ports.port(surface, route)

    for deps in (Shop.ports, Doors):
        shop = Shop()
        simulation = Simulation(
            calls=[Call(pay)],
            state_factory=lambda shop=shop: shop,  # type: ignore[misc]
            deps=deps,
        )
        attempt = simulation.trial(SimulationConfig()).attempt(seed=0)
        assert attempt.broken is None
        assert shop.till.coins == 1
        assert attempt.run.history.of("call")[0].fields["surface"] == "till"


def test_deps_that_give_no_ports_are_named() -> None:
    simulation = Simulation(calls=[Call(pay)], deps=lambda _: 5)
    finding = simulation.run(QUICK).finding
    assert finding is not None
    assert "deps returned int; return something with a method port" in finding.message


def test_an_unknown_port_of_a_mapping_is_named_with_the_nearest() -> None:
    async def misspelt(ctx: Context) -> None:
        await ctx.port("till", "frnt").pay()

    finding = Opened([Call(misspelt)]).simulation.run(QUICK).finding
    assert finding is not None
    assert "there is no port 'till/frnt'. Did you mean 'till/front'?" in finding.message


# -- what a run may end with -------------------------------------------------------------


class OutOfStock(Exception):
    """An error of the user's own."""


async def sold_out(ctx: Context) -> None:
    raise OutOfStock("none left")


def test_an_error_of_ones_own_is_a_violation_unless_it_is_expected() -> None:
    finding = Simulation(calls=[Call(sold_out)]).run(QUICK).finding
    assert finding is not None
    assert (finding.rule.kind, finding.message) == ("exception", "OutOfStock: none left")
    expected = Simulation(calls=[Call(sold_out)], expected_errors=(OutOfStock,))
    assert expected.run(QUICK).verdict == "clean"
    failed = expected.trial(QUICK).attempt(seed=0).run.history.of("failed")
    assert [event.fields["error"] for event in failed] == ["OutOfStock"]


@pytest.mark.parametrize("step", ["setup", "observe", "recover"])
def test_an_unexpected_error_of_a_step_is_a_violation(step: str) -> None:
    opened = Opened([Call(pay)], **{step: sold_out})
    finding = opened.simulation.run(SimulationConfig(crash=CrashPolicy())).finding
    assert finding is not None
    assert "OutOfStock: none left" in finding.message


def test_errors_of_faults_and_stores_are_expected() -> None:
    async def conflict(ctx: Context) -> None:
        orders = ctx.port("document_command", "orders")
        await orders.insert("o", {})
        await orders.update("o", {}, revision=99)

    rules = [FaultRule(kind="error", probability=0.1), FaultRule(kind="timeout", probability=0.1)]
    report = Simulation([conflict], calls=3).run(SimulationConfig.quick(faults=rules))
    assert report.verdict == "clean"
    assert set(report.exercised) == {rule.label for rule in rules}


def test_a_target_that_no_run_reaches_makes_a_sweep_unexercised() -> None:
    async def marked(ctx: Context) -> None:
        ctx.reached("paid")

    simulation = Simulation(calls=[Call(marked)], targets=["paid", "refunded"])
    report = simulation.run(QUICK)
    assert (report.exit_code, report.unexercised) == (3, ("reached refunded",))
    assert report.exercised["reached paid"] == 64
    assert Simulation(calls=[Call(marked)], targets=["paid"]).run(QUICK).exit_code == 0


@pytest.mark.parametrize("search", [SimulationConfig().search, Exhaustive(decisions_max=1)])
def test_what_no_check_could_decide_makes_a_sweep_unexercised(search: Any) -> None:
    def gives_up(history: History) -> Undecided:
        return Undecided(name="gives_up", message="too many orders")

    opened = Opened([Call(pay)], invariants=[gives_up])
    report = opened.simulation.run(SimulationConfig(seeds=range(8), search=search))
    assert report.verdict == "unexercised"
    assert "gives_up: too many orders" in report.unexercised[0]


def test_an_invariant_that_fails_is_the_rule_and_its_text_the_message() -> None:
    def nobody_pays(history: History) -> str | None:
        return "somebody paid" if history.of("saw") else None

    finding = Opened([Call(pay)], invariants=[nobody_pays]).simulation.run(QUICK).finding
    assert finding is not None
    assert (finding.rule.kind, finding.rule.name) == ("invariant", "nobody_pays")
    assert finding.message == "somebody paid"


# -- the race of two payments ------------------------------------------------------------


def test_two_payments_race_is_found_and_comes_down_to_two_calls() -> None:
    report = payments.racing.run()
    finding = report.finding
    assert finding is not None
    assert "was charged twice" in finding.message
    assert len(finding.calls) == 2
    assert all("order='order-1'" in call for call in finding.calls)
    assert len(finding.decisions) <= 3
    assert finding.minimality == "proven 1-minimal"
    assert finding.reruns <= 100


def test_no_decision_of_the_minimum_can_be_left_out() -> None:
    finding = payments.racing.run().finding
    assert finding is not None
    trial = payments.racing.trial(SimulationConfig())
    assert trial.attempt(choices=finding.tape).broken is not None
    for key in finding.tape:
        assert trial.attempt(choices=finding.tape.without(key)).broken is None


def test_its_repaired_twin_is_clean_over_a_thousand_seeds() -> None:
    assert payments.repaired.run(SimulationConfig(seeds=range(1_000))).verdict == "clean"


def test_an_exhaustive_search_over_explicit_calls_finds_it_and_clears_the_twin() -> None:
    def of(function: Any) -> Report:
        calls = [Call(function, order="order-1")] * 2
        simulation = Simulation(
            calls=calls, setup=payments.setup, invariants=[payments.charged_once]
        )
        latency = LatencyProfile.constant(0.005)
        search = Exhaustive(decisions_max=1)
        return simulation.run(SimulationConfig(search=search, latency=latency))

    assert of(payments.pay).verdict == "violated"
    report = of(payments.pay_claimed)
    assert report.verdict == "clean"
    assert report.statement.startswith("all ")


# -- the same again ----------------------------------------------------------------------


def test_two_runs_give_the_same_report_byte_for_byte() -> None:
    one, other = (json.dumps(payments.racing.run().to_json()) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("simulation", [payments.racing, payments.retrying])
def test_two_processes_give_the_same_report(simulation: Simulation) -> None:
    here, there = (
        simulation.run(SimulationConfig(seeds=range(48), faults=payments.LOST, jobs=jobs))
        for jobs in (1, 2)
    )
    assert there.to_json() == here.to_json()
    assert here.verdict == "violated"


def test_a_clean_or_unexercised_report_is_the_same_from_two_processes() -> None:
    rules = [FaultRule(kind="delay", surface="receiver", probability=0.2)]
    here, there = (
        payments.repaired.run(SimulationConfig(seeds=range(48), faults=rules, jobs=jobs))
        for jobs in (1, 2)
    )
    assert there.to_json() == here.to_json()
    assert here.exercised[rules[0].label] > 10


def test_a_simulation_that_workers_cannot_import_is_refused() -> None:
    with pytest.raises(SimulationError, match="workers can't import the simulation"):
        Simulation(calls=[Call(send)]).run(SimulationConfig.quick(jobs=2))


def violated(simulation: Simulation, **config: Any) -> str:
    finding = simulation.run(SimulationConfig(**config)).finding
    assert finding is not None
    return finding.token


def test_a_token_makes_the_run_again() -> None:
    token = violated(payments.racing)
    assert Token.parse(token).program == "tests.dst.payments:racing"
    again = payments.racing.run(SimulationConfig.reproduce(token)).finding
    found = payments.racing.run().finding
    assert again is not None
    assert found is not None
    assert again.history == found.history or again.history.encode() == found.history.encode()
    assert again.token == token


@pytest.mark.parametrize(
    "befalls",
    [
        {"faults": payments.LOST},
        {"faults": payments.LOST, "latency": LatencyProfile.pareto(0.02)},
        {"faults": payments.LOST, "latency": {"receiver": LatencyProfile.constant(0.5)}},
    ],
)
def test_a_token_carries_what_befell_its_run(befalls: Mapping[str, Any]) -> None:
    token = violated(payments.retrying, **befalls)
    report = payments.retrying.run(SimulationConfig.reproduce(token))
    assert report.finding is not None
    assert report.finding.history.of("fault")
    assert report.finding.token == token


def test_a_token_of_a_crash_crashes_again() -> None:
    def no_crash(history: History) -> str | None:
        return "it crashed" if history.of("fault") else None

    opened = Opened([Call(pay)] * 3, invariants=[no_crash])
    policy = CrashPolicy(surface="till", when="after")
    token = violated(opened.simulation, crash=policy)
    again = opened.simulation.run(SimulationConfig.reproduce(token)).finding
    assert again is not None
    assert [event.fields["when"] for event in again.history.of("fault")] == ["after"]


def test_a_token_whose_faults_make_no_sense_is_damaged() -> None:
    token = Token.parse(violated(payments.racing))
    for befalls in ({"faults": [{"knd": "error"}]}, {"latency": {"": 3}}, {"crash": "no"}):
        text = str(Token(**{**vars(token), "befalls": befalls}))
        with pytest.raises(SimulationError, match=r"the token .* is damaged"):
            payments.racing.run(SimulationConfig.reproduce(text))


# -- assertions and commands -------------------------------------------------------------


def test_assert_clean_takes_a_simulation() -> None:
    assert assert_clean(payments.repaired, QUICK).verdict == "clean"
    with pytest.raises(SimulationFailed, match="was charged twice"):
        assert_clean(payments.racing, QUICK)


def test_assert_fixed_takes_a_simulation_and_makes_its_run_again() -> None:
    token = violated(payments.retrying, faults=payments.LOST)
    with pytest.raises(SimulationFailed, match="was charged twice"):
        assert_fixed(payments.retrying, token)
    with pytest.raises(SimulationFailed, match="no longer meet the program"):
        assert_fixed(Simulation(calls=[Call(payments.setup)]), token)
    assert assert_fixed(payments.repaired, token).verdict == "clean"


def test_the_commands_take_a_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    name = "tests.dst.payments:racing"
    assert main(["run", name, "--seeds", "64"]) == 1
    out = capsys.readouterr().out
    assert "was charged twice" in out
    token = out.split("faultlab reproduce ")[1].strip()
    assert main(["reproduce", token]) == 1
    assert main(["run", "tests.dst.payments:repaired", "--seeds", "20"]) == 0
    assert main(["run", "tests.dst.payments:racin"]) == 2
    assert "Did you mean 'racing'?" in capsys.readouterr().err


def test_a_simulation_inside_of_a_function_is_asserted_by_hand() -> None:
    simulation = Simulation(calls=[Call(sold_out)])
    with pytest.raises(SimulationFailed, match=r"(assert_fixed\(simulation, '|token )faultlab1"):
        assert_clean(simulation, QUICK)


# -- every interpreter -------------------------------------------------------------------


DIGEST = "0a66be5a97057c3c8041fee869ef5c3981a09327ab5d979e31e97c46f0922d01"
"""Of 200 seeds of the program below, on every CPython from 3.11 on."""


def digest_of_200_seeds() -> str:
    config = SimulationConfig(faults=payments.LOST, crash=CrashPolicy(probability=0.01))
    trial = payments.racing.trial(config)
    digest = hashlib.sha256()
    for seed in range(200):
        digest.update(trial.attempt(seed=seed).run.digest.encode())
    return digest.hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_200_seeds_have_the_digest_that_every_interpreter_has(hash_seed: str) -> None:
    code = (
        "import tests.dst.test_simulation as t; "
        "from faultlab.kernel import virtual_world\n"
        "with virtual_world(): print(t.digest_of_200_seeds())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == DIGEST
