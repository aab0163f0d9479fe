"""How soon each broken twin of a cluster is found, and how small it becomes.

    PYTHONPATH=src python bench/bench_cluster.py [--masters 20] [--seeds 256] [--repaired 1000]

For each story of tests/dst/cluster_stories.py, from every master seed k * 1_000_003: the seeds
up to the first that breaks the rule, the nodes (or calls), windows and other decisions that are
left, and the runs it took to get there. Then the repaired twin, over as many seeds. Markdown.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faultlab.dst import Report
from tests.dst.cluster_stories import STORIES, Story

MASTER = 1_000_003

HEAD = """\
| twin | seeds | at most | nodes or calls left | windows | other decisions | re-runs | minimality \
| repaired: seeds | false alarms | fault struck in |
|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|"""


def reports(story: Story, masters: int, seeds: int) -> list[Report]:
    """One report a master seed."""
    return [
        story.broken.run(story.config(seeds=range(k * MASTER, k * MASTER + seeds)))
        for k in range(masters)
    ]


def listed(counts: Sequence[int]) -> str:
    """Different counts, with how often each came up where there are several."""
    found = sorted(set(counts))
    if len(found) == 1:
        return str(found[0])
    return ", ".join(f"{count} ({counts.count(count)}×)" for count in found)


def row(story: Story, found: Sequence[Report], repaired: Report) -> str:
    """Medians, and the worst of all masters."""
    findings = [report.finding for report in found if report.finding is not None]
    if len(findings) < len(found):
        return f"| {story.name} | not found by {len(found) - len(findings)} of {len(found)} |"
    streams = [[key[0] for key in finding.tape] for finding in findings]
    seeds = [report.seeds_run for report in found]
    cells = [
        story.name,
        f"{statistics.median(seeds):g}",
        f"{max(seeds)}",
        listed([len(finding.calls) for finding in findings]),
        listed([each.count("window") for each in streams]),
        listed([len([s for s in each if s not in ("node", "call", "window")]) for each in streams]),
        f"{statistics.median(finding.reruns for finding in findings):g}",
        ", ".join(sorted({finding.minimality for finding in findings})),
        f"{repaired.seeds_run}",
        "0" if repaired.finding is None else f"seed {repaired.finding.seed}",
        f"{repaired.exercised.get(story.fault, 0)}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--masters", type=int, default=20)
    arguments.add_argument("--seeds", type=int, default=256)
    arguments.add_argument("--repaired", type=int, default=1_000)
    options = arguments.parse_args()
    print(HEAD)
    for story in STORIES:
        repaired = story.repaired.run(story.config(seeds=range(options.repaired)))
        found = reports(story, options.masters, options.seeds)
        print(row(story, found, repaired), flush=True)


if __name__ == "__main__":
    main()
