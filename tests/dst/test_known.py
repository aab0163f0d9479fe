"""Names in rules, crashes and latencies are compared with the ports before the first seed."""

from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from faultlab.dst import (
    Call,
    Context,
    CrashPolicy,
    FaultRule,
    LatencyProfile,
    Simulation,
    SimulationConfig,
    SimulationError,
)
from faultlab.dst.config import Progress
from faultlab.mock import SURFACES, MockDepsModule, MockState, port
from faultlab.mock.surfaces import operations_of
from tests.dst.ports_of_own import Mailbox as Letters
from tests.dst.ports_of_own import Opened, Shop, Till, pay


async def order(ctx: Context) -> None:
    await ctx.port("document_command", "orders").insert(f"o-{ctx.now_s()}", {})


MOCKED = Simulation(calls=[Call(order)])
MAPPED = Opened([Call(pay)]).simulation


def refused(simulation: Simulation, **config: Any) -> str:
    """What a simulation says to a config; no seed is run before it does."""
    progress: list[Progress] = []
    with pytest.raises(SimulationError) as caught:
        simulation.run(SimulationConfig.quick(progress=progress.append, **config))
    assert progress == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("simulation", "where", "says"),
    [
        (
            MOCKED,
            {"surface": "documents_command"},
            "there is no surface 'documents_command'. Did you mean 'document_command'? Known: ",
        ),
        (
            MOCKED,
            {"surface": "document_command", "op": "updaet"},
            "document_command has no operation 'updaet'. Did you mean 'update'? Known: begin, ",
        ),
        (
            MOCKED,
            {"surface": "document_query", "op": "update"},
            "document_query has no operation 'update'. It is one of document_command. Known: ",
        ),
        (MOCKED, {"op": "debti"}, "there is no operation 'debti'. Did you mean 'debit'?"),
        (MAPPED, {"surface": "tills"}, "there is no surface 'tills'. Did you mean 'till'?"),
        (
            MAPPED,
            {"surface": "till", "op": "pya"},
            "till has no operation 'pya'. Did you mean 'pay'? Known: pay.",
        ),
        (
            MAPPED,
            {"surface": "till", "route": "frnt"},
            "there is no route 'frnt'. Did you mean 'front'? Known: back, front.",
        ),
        (MAPPED, {"route": "leters"}, "there is no route 'leters'. Did you mean 'letters'?"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    simulation: Simulation, where: dict[str, Any], says: str
) -> None:
    for config in ({"faults": [FaultRule(kind="error", **where)]}, {"crash": CrashPolicy(**where)}):
        assert says in refused(simulation, **config)


def test_the_error_names_the_rule() -> None:
    rule = FaultRule(kind="lost-reply", surface="reciever")
    assert refused(MOCKED, faults=[rule]).startswith("lost-reply at reciever/*/*: there is no")
    assert refused(MOCKED, crash=CrashPolicy(op="x")).startswith("crash at */*/x: there is no")


def test_latencies_go_by_surfaces_that_there_are() -> None:
    latency = {"recevier": LatencyProfile.constant(1.0)}
    assert refused(MOCKED, latency=latency).startswith(
        "latency of recevier: there is no surface 'recevier'. Did you mean 'receiver'?"
    )


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_every_surface_and_operation_of_the_stores_is_known(surface: str) -> None:
    for op in SURFACES[surface]:
        rule = FaultRule(kind="error", surface=surface, op=op, at_call=9_999)
        report = MOCKED.run(SimulationConfig(seeds=range(1), faults=[rule]))
        assert report.unexercised == (rule.label,)


def test_a_route_is_made_on_first_use_and_unknown_only_when_it_never_was() -> None:
    rule = FaultRule(kind="error", surface="document_command", route="odrers")
    report = MOCKED.run(SimulationConfig.quick(faults=[rule]))
    assert (report.exit_code, report.unexercised) == (3, (rule.label,))


def test_a_store_of_ones_own_in_the_state_is_known() -> None:
    def state() -> MockState:
        made = MockState()
        made.put("till", "front", Till())
        return made

    simulation = Simulation(calls=[Call(pay)], state_factory=state)
    rule = FaultRule(kind="error", surface="till", op="pay")
    assert simulation.run(SimulationConfig.quick(faults=[rule])).verdict == "clean"
    misspelt = FaultRule(kind="error", surface="till", op="pya")
    assert "Did you mean 'pay'?" in refused(simulation, faults=[misspelt])


def test_what_the_first_look_saw_is_known_although_no_deps_declare_it() -> None:
    class Client:
        async def charge(self) -> None: ...

    client = port(Client(), surface="payments", route="stripe")

    async def charge(ctx: Context) -> None:
        await client.charge()

    simulation = Simulation(calls=[Call(charge)])
    rule = FaultRule(kind="error", surface="payments", op="charge")
    assert simulation.run(SimulationConfig.quick(faults=[rule])).verdict == "clean"
    assert "'payments'" in refused(simulation, faults=[FaultRule(kind="error", surface="paymets")])


class Ports:
    """Dependencies of the user's own, which say nothing."""

    def __init__(self, shop: Shop) -> None:
        self._ports = {
            key: port(it, surface=key[0], route=key[1]) for key, it in shop.ports().items()
        }

    def port(self, surface: str, route: str) -> Any:
        return self._ports[surface, route]


class Saying(Ports):
    """And that say what they have."""

    def surfaces(self) -> Mapping[str, Any]:
        return {"till": ["pay"], "queue_command": None}


class Muttering(Ports):
    surfaces = 5


def over(deps: Any) -> Simulation:
    return Simulation(calls=[Call(pay)], state_factory=Shop, deps=deps)


def test_deps_of_ones_own_say_what_they_have_or_nothing_is_refused() -> None:
    rule = FaultRule(kind="error", surface="tilt")
    assert over(Ports).run(SimulationConfig.quick(faults=[rule])).unexercised == (rule.label,)
    assert "Did you mean 'till'?" in refused(over(Saying), faults=[rule])
    unsaid = FaultRule(kind="error", surface="queue_command", op="anything")
    assert over(Saying).run(SimulationConfig.quick(faults=[unsaid])).verdict == "unexercised"


def test_what_they_say_has_a_shape() -> None:
    assert refused(over(Muttering)).startswith("Muttering.surfaces gives 5; give a mapping")


def test_operations_are_known_only_where_the_type_says_them_all() -> None:
    class Streaming:
        colour = "red"

        async def items(self) -> Any:
            yield 1

    class Handing:
        @asynccontextmanager
        async def open(self) -> Any:
            yield Till()

    class Catching:
        def __getattr__(self, name: str) -> Any:
            return name

    assert operations_of(Letters()) == frozenset({"put"})
    assert operations_of(Streaming()) == frozenset({"items"})
    assert operations_of(Handing()) is None
    assert operations_of(Catching()) is None


def test_the_stores_say_their_surfaces() -> None:
    assert MockDepsModule().surfaces() == SURFACES


def test_a_wrong_name_is_refused_for_an_exhaustive_search_too() -> None:
    from faultlab.dst import Exhaustive

    text = refused(
        MOCKED,
        faults=[FaultRule(kind="error", surface="recevier")],
        search=Exhaustive(decisions_max=1),
    )
    assert "Did you mean 'receiver'?" in text
