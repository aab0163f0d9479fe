"""The JSON of a report: plain, read back, without paths, the same everywhere."""

import json
import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from faultlab.dst import Report, SimulationError, check
from tests.dst import report_programs as programs

ROOT = Path(__file__).parents[2]
EVERY = (
    programs.transfer_race,
    programs.lock_order,
    programs.slow_process,
    programs.shipments,
    programs.many_statements,
    programs.careful,
)
DIGESTS = {
    "transfer_race": "db158a3ef75a1945",
    "lock_order": "1e39290355f21ab3",
    "slow_process": "1f8cbe020d9ec790",
    "shipments": "82accbd50515d482",
    "many_statements": "68a84a698d3cac11",
    "careful": "7a5475fdbe418bf6",
}
"""Recorded on Python 3.13; each supported version gives the same."""


def without_token(report: Report) -> str:
    data = report.to_json()
    if data["finding"] is not None:
        assert data["finding"].pop("token").startswith("faultlab1.")
    return json.dumps(data, allow_nan=False)


def digest(program: Any) -> str:
    return blake2b(without_token(check(program)).encode(), digest_size=8).hexdigest()


def test_the_bytes_are_the_same_on_every_python() -> None:
    assert {program.__name__: digest(program) for program in EVERY} == DIGESTS


def test_the_bytes_are_the_same_under_any_hash_seed() -> None:
    program = (
        "from tests.dst.test_report_json import EVERY, digest\n"
        "print(*(digest(program) for program in EVERY))"
    )
    for seed in ("1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.stdout.split() == list(DIGESTS.values())


@pytest.mark.parametrize("program", EVERY, ids=lambda program: program.__name__)
def test_a_report_is_plain_json_is_read_back_and_names_no_folder_of_this_machine(
    program: Any,
) -> None:
    report = check(program)
    text = json.dumps(report.to_json(), allow_nan=False)
    data = json.loads(text)
    assert data == report.to_json()  # no tuple, no key that is no string
    again = Report.from_json(data)
    assert again.to_json() == data
    assert again.format() == report.format()
    assert str(ROOT) not in text
    assert str(Path.home()) not in text or str(Path.home()) == "/"


def test_what_is_no_report_is_refused_with_the_cause() -> None:
    report = check(programs.transfer_race).to_json()
    for broken in (
        {},
        {**report, "more": 1},
        {**report, "finding": {}},
        {**report, "finding": {**report["finding"], "tape": [["hold"]]}},
    ):
        with pytest.raises(SimulationError, match="not the JSON of a report"):
            Report.from_json(broken)


def test_a_statement_of_several_lines_is_told_by_its_first() -> None:
    found = check(programs.many_statements).finding
    assert found is not None
    assert found.traceback[-1].source == "assert ("
    ran = [line.source for step in found.steps for line in step.lines]
    assert "total = sum(" in ran
    assert "await queue.put(" in ran
    assert not {'"squares": [', "for item in got", "producer(),"} & set(ran)
