"""The schema of a simulation's report: it takes each kind of report, and no broken one."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from faultlab.dst import Exhaustive, Report, SimulationConfig, check
from faultlab.kernel import History
from faultlab_docs import simulation_keys as keys
from faultlab_docs import simulation_schema
from faultlab_docs.places import DOCS
from faultlab_docs.schemas import KIND
from tests.dst import report_programs as programs

SCHEMA = json.loads((DOCS / "schemas" / "simulation-report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
EXHAUSTIVE = SimulationConfig(search=Exhaustive(decisions_max=1))


def plain(report: Report) -> Any:
    return json.loads(json.dumps(report.to_json(), allow_nan=False))


@pytest.fixture(scope="module")
def race() -> Report:
    return check(programs.transfer_race)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert simulation_schema.simulation_report() == SCHEMA


@pytest.mark.parametrize(
    "program",
    [
        programs.transfer_race,
        programs.lock_order,
        programs.slow_process,
        programs.shipments,
        programs.many_statements,
    ],
)
def test_a_violation_validates(program: Any) -> None:
    report = plain(check(program))
    assert report["verdict"] == "violated"
    VALIDATOR.validate(report)


def test_clean_unexercised_exhaustive_and_reproduced_reports_validate(race: Report) -> None:
    assert race.finding is not None
    clean = check(programs.careful, SimulationConfig.quick())
    few = SimulationConfig(search=Exhaustive(decisions_max=3, runs_max=2))
    reports = {
        "clean": clean,
        "unexercised": check(programs.careful, few),
        "violated": check(programs.transfer_race, SimulationConfig.reproduce(race.finding.token)),
    }
    assert {verdict: report.verdict for verdict, report in reports.items()} == {
        verdict: verdict for verdict in reports
    }
    for report in [*reports.values(), check(programs.careful, EXHAUSTIVE)]:
        VALIDATOR.validate(plain(report))


def test_a_history_validates(race: Report) -> None:
    assert race.finding is not None
    history = History(lambda: 0.5)
    history.record("node 1", "Task-2", "effect", {"amount": 30})
    report = plain(replace(race, finding=replace(race.finding, history=history)))
    assert len(report["finding"]["history"]) == 1
    VALIDATOR.validate(report)


def test_every_key_is_there_in_order_and_marked_as_one_of_four_things(race: Report) -> None:
    report = race.to_json()
    found = report["finding"]
    parts = {
        "": (SCHEMA, report, keys.REPORT_KEYS),
        "finding": (SCHEMA["$defs"]["finding"], found, keys.FINDING_KEYS),
        "line": (SCHEMA["$defs"]["line"], found["traceback"][0], keys.LINE_KEYS),
    }
    for name, made, told in (
        ("decisions", found["decisions"][0], keys.DECISION_KEYS),
        ("steps", found["steps"][0], keys.STEP_KEYS),
        ("sources", found["sources"][0], keys.SOURCE_KEYS),
    ):
        parts[name] = (SCHEMA["$defs"]["finding"]["properties"][name]["items"], made, told)
    for schema, made, told in parts.values():
        assert sorted(made) == sorted(told) == sorted(schema["properties"])
        for key in schema["properties"].values():
            assert key[KIND] in ("asked", "reached", "happened", "known")
            assert key["description"]


def _without(report: Any) -> None:
    del report["finding"]["sources"]


def _more(report: Any) -> None:
    report["python"] = "3.13"


def _clean(report: Any) -> None:
    report["verdict"] = "clean"


def _no_finding(report: Any) -> None:
    report["finding"] = None


def _verdict(report: Any) -> None:
    report["verdict"] = "fine"


def _negative(report: Any) -> None:
    report["runs"] = -1


def _absolute(report: Any) -> None:
    report["finding"]["traceback"][0]["file"] = "/home/somebody/bank.py"


def _uneventful(report: Any) -> None:
    report["finding"]["decisions"][0]["value"] = 0


def _pick(report: Any) -> None:
    report["finding"]["tape"][0].append(1)


def _token(report: Any) -> None:
    report["finding"]["token"] = "faultlab1."


def _line_zero(report: Any) -> None:
    report["finding"]["steps"][0]["lines"][0]["number"] = 0


BREAKS: list[Callable[[Any], None]] = [
    _without,
    _more,
    _clean,
    _no_finding,
    _verdict,
    _negative,
    _absolute,
    _uneventful,
    _pick,
    _token,
    _line_zero,
]


@pytest.mark.parametrize("spoil", BREAKS, ids=lambda spoil: spoil.__name__.strip("_"))
def test_a_broken_report_does_not_validate(race: Report, spoil: Callable[[Any], None]) -> None:
    report = copy.deepcopy(plain(race))
    VALIDATOR.validate(report)
    spoil(report)
    assert not VALIDATOR.is_valid(report)
