"""How many nodes remain when a cluster's violation is made small, and how many seeds it took.

For each broken twin of the documentation, 20 searches over seeds of their own.

    python bench/nodes_that_remain.py
"""

import contextlib
import io
import runpy
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from faultlab import dst

MASTERS = 20
SNIPPETS = Path(__file__).parent.parent / "snippets"


def twins() -> dict[str, tuple[dst.Cluster, dst.SimulationConfig]]:
    """The broken twins by the snippet that they come from, each with at least three nodes."""
    forget, outbox, leaders, fenced = (
        _globals(name)
        for name in (
            "partition_fire_and_forget",
            "partition_outbox",
            "case_two_leaders",
            "case_leader_fenced",
        )
    )
    three = replace(fenced["nodes"], nodes=3)
    unfenced = dst.Cluster(
        node=fenced["node"],
        state_factory=lambda: fenced["state"](fenced["Plain"]),
        invariants=[fenced["never_back"]],
    )
    return {
        "fire and forget": (
            forget["cluster"],
            dst.SimulationConfig(cluster=forget["config"]),
        ),
        "relay without an inbox": (
            dst.Cluster(
                node=outbox["node"], observe=outbox["consume"], invariants=[outbox["once"]]
            ),
            outbox["config"],
        ),
        "two leaders": (leaders["leaders"](99), replace(leaders["swift"])),
        "an old leader writes": (unfenced, dst.SimulationConfig(cluster=three)),
    }


def main() -> None:
    """Prints a row for each twin."""
    print(f"Python {sys.version.split()[0]}, {MASTERS} searches each")
    for name, (cluster, config) in twins().items():
        seeds, nodes, decisions = [], Counter[int](), Counter[int]()
        for master in range(MASTERS):
            first = master * 1_000
            report = cluster.run(replace(config, seeds=range(first, first + 256)))
            if report.finding is not None:
                seeds.append(report.seeds_run)
                nodes[len(report.finding.calls)] += 1
                decisions[len(report.finding.decisions)] += 1
        print(
            f"{name}: found by {len(seeds)} of {MASTERS}, after {median(seeds):g} seeds "
            f"(median); nodes {dict(nodes)}, decisions {dict(decisions)}"
        )


def _globals(name: str) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(SNIPPETS / f"{name}.py"))


if __name__ == "__main__":
    main()
