"""Workflow, .ci/run and noxfile name the same sessions."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import nox.registry
import pytest
import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
CI: Final = ROOT / ".ci" / "run"
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROMISED: Final = {
    *("lint", "typing", "tests", "docs", "records", "browser", "mutants", "house"),
    *("serve", "verify"),
}


@pytest.fixture
def sessions(house_noxfile: ModuleType) -> set[str]:
    return set(nox.registry.get())


def named(text: str) -> set[str]:
    """The sessions that a script starts, without the Python version of one."""
    lists = re.findall(r"(?:nox --session|\"\$\{nox\[@\]\}\"|noxfile\.py) ([\w\" .${}-]+)", text)
    before_options = " ".join(words.partition(" -- ")[0] for words in lists)
    return {word.strip('"').partition("-")[0] for word in before_options.split()}


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_noxfile_has_the_promised_sessions(sessions: set[str]) -> None:
    assert sessions == PROMISED


def test_ci_names_only_sessions_that_exist_and_leaves_none_of_the_checks_out(
    sessions: set[str],
) -> None:
    script = CI.read_text(encoding="utf-8")
    found = named(script)
    assert found <= sessions
    assert found == {"lint", "typing", "tests", "docs", "mutants", "house"}
    assert re.search(r"grep .*python3 noxfile\\.py verify.* README\.md", script)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_names_only_sessions_that_exist(path: Path, sessions: set[str]) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = named("\n".join(step.get("run", "") for step in steps(workflow)))
    assert found <= sessions
    assert found == {"lint", "typing", "tests", "docs", "browser", "mutants", "house"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_may_write_only_where_it_publishes(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    writing = {
        job
        for job, body in workflow["jobs"].items()
        if "write" in body.get("permissions", {}).values()
    }
    assert writing == {"publish"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_pins_actions_by_major_version(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert len(used) >= 4
    assert [name for name in used if not re.fullmatch(r"actions/[a-z-]+@v\d+", name)] == []


def test_workflow_was_found() -> None:
    assert WORKFLOWS


def test_workflow_installs_the_nox_that_pyproject_names(house_noxfile: ModuleType) -> None:
    requirement = house_noxfile.nox_requirement()
    assert f'pip install "{requirement}"' in WORKFLOWS[0].read_text(encoding="utf-8")


def test_ci_can_be_run_and_has_no_syntax_error() -> None:
    assert os.access(CI, os.X_OK)
    bash = shutil.which("bash")
    assert bash
    assert subprocess.run([bash, "-n", str(CI)], check=False).returncode == 0


def test_contributing_explains_every_session_and_every_dependency(
    sessions: set[str], house_noxfile: ModuleType
) -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", guide, re.MULTILINE))))
    assert sessions <= table
    groups = house_noxfile.PYPROJECT["dependency-groups"].values()
    lines = [line for group in groups for line in group if isinstance(line, str)]
    names = {re.split(r"[^\w-]", line)[0] for line in lines}
    assert len(names) > 10
    unexplained = {name for name in names if f"**{name}**" not in guide}
    assert {name for name in unexplained if not name.startswith("types-")} == set()
