"""A sweep on a Dask cluster: two real worker processes and a scheduler, on this machine."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from faultlab.dst import SimulationConfig, check
from tests.dst import programs

dask = pytest.importorskip("dask", reason="the extra faultlab[dask] is not installed")
distributed = pytest.importorskip("distributed", reason="the extra faultlab[dask] is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def test_the_report_is_the_one_of_a_single_process(client: Any) -> None:
    workers = client.run(os.getpid)
    assert len({*workers.values(), os.getpid()}) == 3
    for program in (programs.lost_update, programs.locked_update):
        with client.get_executor() as executor:
            there = check(program, SimulationConfig(executor=executor))
        assert there.to_json() == check(program).to_json()


def test_seeds_that_kill_their_workers_are_named_and_the_others_run(client: Any) -> None:
    client.run(may_kill)
    with client.get_executor() as executor:
        report = check(
            programs.kills_its_worker, SimulationConfig(executor=executor, seeds=range(24))
        )
    assert report.verdict == "unexercised"
    assert report.lost
    assert all("the worker died (KilledWorker)" in lost for lost in report.lost)
    assert report.seeds_run == 24 - len(report.lost)


def may_kill() -> None:
    os.environ["FAULTLAB_TEST_KILL"] = "1"
