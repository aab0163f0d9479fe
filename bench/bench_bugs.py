"""How soon each planted bug is found, and how small its explanation gets.

    PYTHONPATH=src python bench/bench_bugs.py [--masters 20] [--seeds 2000] [--only NAME,NAME]

For each bug of tests/dst/bugs, from every master seed k * 1_000_003: the seeds up to the
first that breaks something, the decisions of that run, those that are left, and the runs it
took to get there. The table is Markdown; a bug that every run shows takes one master.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faultlab import dst
from tests.dst.bugs import BUGS, Bug

MASTER = 1_000_003

HEAD = """\
| bug | broken rule | seeds | at most | decisions found | left | re-runs | at most | minimality |
|---|---|---:|---:|---:|---:|---:|---:|---|"""


def reports(bug: Bug, masters: int, seeds: int) -> list[dst.Report]:
    """One report a master seed."""
    return [
        dst.check(bug.broken, bug.config(seeds=range(k * MASTER, k * MASTER + seeds)))
        for k in range(masters if bug.decides else 1)
    ]


def row(bug: Bug, found: Sequence[dst.Report]) -> str:
    """Medians, and the worst of all masters."""
    seeds = [report.seeds_run for report in found]
    findings = [report.finding for report in found if report.finding is not None]
    if len(findings) < len(found):
        return f"| {bug.name} | not found in {len(found) - len(findings)} of {len(found)} |"
    before = statistics.median(finding.decisions_before for finding in findings)
    left = sorted({len(finding.decisions) for finding in findings})
    reruns = [finding.reruns for finding in findings]
    cells = [
        bug.name.replace("_", " "),
        bug.kind,
        f"{statistics.median(seeds):g}",
        f"{max(seeds)}",
        f"{before:g}",
        " or ".join(map(str, left)),
        f"{statistics.median(reruns):g}",
        f"{max(reruns)}",
        ", ".join(sorted({finding.minimality for finding in findings})),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--masters", type=int, default=20)
    arguments.add_argument("--seeds", type=int, default=2_000)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    names = options.only.split(",") if options.only else [bug.name for bug in BUGS]
    print(HEAD)
    for bug in BUGS:
        if bug.name in names:
            print(row(bug, reports(bug, options.masters, options.seeds)), flush=True)


if __name__ == "__main__":
    main()
