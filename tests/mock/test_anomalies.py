"""The table of isolation levels: each permitted anomaly happens, each prevented one never does."""

from collections.abc import Iterator

import pytest

from faultlab.kernel import Run, run
from faultlab.mock import ANOMALIES, LEVELS, Anomaly, Level, anomaly_table
from tests.mock.helpers import every_schedule

SEEDS = 400
"""For stories of three transactions, which have too many schedules to run them all."""

CELLS = pytest.mark.parametrize(
    ("anomaly", "level"),
    [(anomaly, level) for anomaly in ANOMALIES for level in LEVELS],
    ids=[f"{anomaly.name}/{level}" for anomaly in ANOMALIES for level in LEVELS],
)


def runs(anomaly: Anomaly, level: Level) -> Iterator[Run]:
    if len(anomaly.transactions) == 2:
        yield from every_schedule(lambda: anomaly.play(level), runs_max=2000)
    else:
        yield from (run(lambda: anomaly.play(level), seed=seed) for seed in range(SEEDS))


@CELLS
def test_an_anomaly_happens_exactly_where_the_table_permits_it(
    anomaly: Anomaly, level: Level
) -> None:
    outcomes = [made.result for made in runs(anomaly, level)]
    assert len(outcomes) >= 15
    happened = [outcome for outcome in outcomes if anomaly.happened(outcome)]
    assert bool(happened) == (level in anomaly.permitted)
    # Nothing is prevented by doing nothing: all can commit, and in every schedule somebody does.
    commits = [len(outcome.committed) for outcome in outcomes]
    willing = len(anomaly.transactions) - (anomaly.name == "dirty read")
    assert max(commits) == willing
    assert min(commits) >= 1


@pytest.mark.parametrize("anomaly", ANOMALIES, ids=lambda anomaly: anomaly.name)
def test_a_stronger_level_permits_nothing_that_a_weaker_one_prevents(anomaly: Anomaly) -> None:
    permitted = [level in anomaly.permitted for level in LEVELS]
    assert permitted == sorted(permitted, reverse=True)
    assert permitted[0], "the twin without transactions shows that the story can go wrong"
    assert not permitted[-1]


def test_every_level_prevents_more_than_the_one_before() -> None:
    counts = [sum(level in anomaly.permitted for anomaly in ANOMALIES) for level in LEVELS]
    assert counts == sorted(set(counts), reverse=True)


def test_the_table_can_be_printed() -> None:
    head, *rows = anomaly_table()
    assert head[0] == "anomaly"
    assert tuple(head[1:]) == LEVELS
    assert [row[0] for row in rows] == [anomaly.name for anomaly in ANOMALIES]
    assert rows[-1] == ["read-only anomaly", *["permitted"] * 4, "prevented"]
