"""Both code blocks of the page on crashes and partitions run, and their runs are portable."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.dst import source_blocks as page

ROOT = Path(__file__).parents[2]

SEEDS = 300
RECORDED = {
    "crash": "763dd1edd6371110767c543d17cc97ac",
    "transaction": "5608cdf928dfa47903f7f711b6b3177a",
    "cluster": "a37574a84141824a88027d496a7aeaac",
}
"""What bench/digest_examples.py --seeds 300 prints, on each Python."""


def test_an_orphan_charge_survives_a_crash_and_a_restart() -> None:
    report = page.simulation.run(page.crash_config)
    assert report.exit_code == 1
    assert report.finding is not None
    assert report.finding.message == "order-42 is charged and not paid"
    assert report.finding.minimality == "proven 1-minimal"
    assert [decision.words for decision in report.finding.decisions] == ["crash at boundary 1"]
    assert report.finding.history.of("crash"), "the fault struck"


def test_the_same_operation_in_a_transaction_leaves_none() -> None:
    report = page.simulation_in_transaction.run(page.crash_config)
    assert report.exit_code == 0
    assert report.exercised[page.crash_config.crash.label] > 10  # type: ignore[union-attr]


def test_fire_and_forget_loses_an_event_in_a_partition() -> None:
    report = page.cluster.run(page.cluster_config)
    assert report.exit_code == 1
    assert report.finding is not None
    assert report.finding.message.startswith("lost: 1-")
    assert report.finding.calls == ("node 1",), "the others are beside the point"
    assert report.finding.minimality == "proven 1-minimal"
    history = report.finding.history
    assert [event.fields["fault"] for event in history.of("fault")] == ["partition"]


def test_an_outbox_heals_through_the_same_partition() -> None:
    report = page.cluster_with_outbox.run(page.cluster_config)
    assert report.exit_code == 0
    assert report.exercised["partition of node 1, 0.5 s to 1.5 s"] > 16


@pytest.fixture(scope="module")
def bench() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "bench" / "digest_examples.py"))


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_runs_are_the_same_on_each_python(bench: dict[str, Any], name: str) -> None:
    assert bench["digest_of"](name, range(SEEDS)) == RECORDED[name]


def test_other_seeds_give_another_digest(bench: dict[str, Any]) -> None:
    assert bench["digest_of"]("crash", range(1, SEEDS + 1)) != RECORDED["crash"]
