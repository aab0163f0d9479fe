"""`faultlab checklist`: what it prints, and the exit code of every way to be open."""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from faultlab.cli import main
from faultlab.readiness import ITEMS
from faultlab.readiness_file import empty, to_json
from faultlab_docs import readiness_records
from faultlab_docs.places import DOCS, ROOT, SNIPPETS

Captured = pytest.CaptureFixture[str]
EXAMPLE = SNIPPETS / "readiness.json"
JOB = SNIPPETS / "faultlab_readiness.yml"


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(["checklist", *arguments])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answered(folder: Path, **changed: Any) -> str:
    """A file in which all is answered yes with evidence, but for what is given."""
    items: dict[str, Any] = {item.id: {"answer": "yes", "evidence": "a test"} for item in ITEMS}
    items |= {name.replace("_", "-"): answer for name, answer in changed.items()}
    path = folder / "readiness.json"
    whole = {"format": "faultlab-readiness/1", "operation": "Charge a card", "items": items}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return str(path)


def schema() -> Any:
    return json.loads((DOCS / "schemas/readiness.schema.json").read_text("utf-8"))


def test_list_names_every_item_with_its_question(capsys: Captured) -> None:
    code, out, err = run(capsys, "--list")
    assert (code, err) == (0, "")
    assert [re.split(r" {2,}", line, maxsplit=1) for line in out.splitlines()] == [
        [item.id, item.question] for item in ITEMS
    ]


def test_new_prints_an_empty_checklist_that_is_valid_and_open(
    capsys: Captured, tmp_path: Path
) -> None:
    code, out, err = run(capsys, "--new", "Charge a card")
    assert (code, err) == (0, "")
    assert json.loads(out) == to_json(empty("Charge a card"))
    jsonschema.validate(json.loads(out), schema())
    path = tmp_path / "readiness.json"
    path.write_text(out, encoding="utf-8")
    code, out, _ = run(capsys, "--check", str(path))
    assert code == 1
    assert sum(line.startswith("- ") for line in out.splitlines()) == len(ITEMS)


def test_check_passes_when_nothing_is_open(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = run(capsys, "--check", answered(tmp_path))
    assert (code, err) == (0, "")
    assert out == "## Replay readiness: Charge a card\n\nNo item is open.\n"


@pytest.mark.parametrize(
    "changed",
    [
        {"retention_by_time": {"answer": "no"}},
        {"retention_by_time": {}},
        {"retention_by_time": {"answer": "not-applicable"}},
        {"retention_by_time": {"answer": "no", "waived_until": "2026-12-01"}},
        {"retention_by_time": {"answer": "no", "waived_until": "2026-11-30", "reason": "x"}},
        {"retention_by_tim": {"answer": "yes"}},
    ],
    ids=["no", "not answered", "no reason", "no reason to waive", "expired", "unknown id"],
)
def test_check_exits_with_1_for_each_way_to_be_open(
    capsys: Captured, tmp_path: Path, changed: dict[str, Any]
) -> None:
    path = answered(tmp_path, **changed)
    code, out, err = run(capsys, "--check", path, "--today", "2026-12-01")
    assert (code, err) == (1, "")
    assert out.count("\n- ") == 1


def test_a_waiver_is_checked_on_the_day_that_is_given(capsys: Captured, tmp_path: Path) -> None:
    waived = {"answer": "no", "waived_until": "2026-12-01", "reason": "A pilot."}
    path = answered(tmp_path, retention_by_time=waived)
    assert run(capsys, "--check", path, "--today", "2026-12-01")[0] == 0
    assert run(capsys, "--check", path, "--today", "2026-12-02")[0] == 1


def test_without_a_day_a_waiver_is_checked_today(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tomorrow(datetime.date):
        """The day on which the command runs."""

        @classmethod
        def today(cls) -> "Tomorrow":
            return cls(2026, 12, 2)

    waived = {"answer": "no", "waived_until": "2026-12-01", "reason": "A pilot."}
    path = answered(tmp_path, retention_by_time=waived)
    monkeypatch.setattr(datetime, "date", Tomorrow)
    assert run(capsys, "--check", path)[0] == 1
    assert run(capsys, "--check", path, "--today", "2026-12-01")[0] == 0


def test_markdown_prints_the_whole_and_judges_nothing(capsys: Captured) -> None:
    code, out, err = run(capsys, "--markdown", str(EXAMPLE))
    assert (code, err) == (0, "")
    assert out.count("\n### ") == len(ITEMS)


def test_what_is_no_checklist_exits_with_2_and_names_file_and_place(
    capsys: Captured, tmp_path: Path
) -> None:
    path = tmp_path / "readiness.json"
    path.write_text('{\n  "format": <<<<\n}', encoding="utf-8")
    for option in ("--check", "--markdown"):
        code, out, err = run(capsys, option, str(path))
        assert (code, out) == (2, "")
        assert err.startswith(f"faultlab: {path}: this is no JSON.")
        assert err.endswith(" It stops being JSON in line 2, column 13.\n")


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"[]"], ids=["no file", "bytes", "a list"])
def test_what_cant_be_read_exits_with_2(
    capsys: Captured, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "readiness.json"
    if content is not None:
        path.write_bytes(content)
    code, out, err = run(capsys, "--check", str(path))
    assert (code, out) == (2, "")
    assert str(path) in err


def test_a_byte_order_mark_does_no_harm(capsys: Captured, tmp_path: Path) -> None:
    path = Path(answered(tmp_path))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert run(capsys, "--check", str(path))[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--new", " "],
        ["--list", "--new", "x"],
        ["--list", "--today", "2026-12-01"],
        ["--check", "x", "--today", "20261201"],
        ["--check", "x", "--today", "2026-13-01"],
    ],
)
def test_a_wrong_call_exits_with_2(capsys: Captured, arguments: list[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert "usage:" in err


# The schema


@pytest.mark.parametrize("text", readiness_records.samples())
def test_the_schema_takes_what_the_command_can_read_and_refuses_the_rest(text: str) -> None:
    told = readiness_records._told(text)
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError:
        assert "error" in told
        return
    errors = list(jsonschema.Draft202012Validator(schema()).iter_errors(value))
    strange = any(found["consequence"] == "" for found in told.get("findings", []))
    known_only_to_a_calendar = "2026-02-30" in text
    assert bool(errors) == (("error" in told and not known_only_to_a_calendar) or strange)


def test_the_example_is_valid_realistic_and_imperfect() -> None:
    value = json.loads(EXAMPLE.read_text("utf-8"))
    jsonschema.validate(value, schema())
    answers = [answer["answer"] for answer in value["items"].values()]
    assert len(answers) == len(ITEMS)
    assert set(answers) == {"yes", "no", "unknown", "not-applicable"}


# The job


def test_the_jobs_command_on_the_example_ends_as_the_page_shows(tmp_path: Path) -> None:
    job = yaml.safe_load(JOB.read_text("utf-8"))
    steps = job["jobs"]["readiness"]["steps"]
    assert job[True]  # `on:` in YAML
    assert job["permissions"] == {"contents": "read"}
    line = steps[-1]["run"]
    assert line == 'python -m faultlab checklist --check readiness.json >> "$GITHUB_STEP_SUMMARY"'
    (tmp_path / "readiness.json").write_bytes(EXAMPLE.read_bytes())
    told = tmp_path / "summary.md"
    done = subprocess.run(
        ["sh", "-c", line.replace("python ", f'"{sys.executable}" ', 1)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "GITHUB_STEP_SUMMARY": str(told),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert told.read_text("utf-8").startswith("## Replay readiness: An agent's tool charges")
    page = (DOCS / "review/checklist.md").read_text("utf-8")
    assert "$ faultlab checklist --check snippets/readiness.json --today 2026-12-01" in page
