"""Counts what `verify` ran: each skip with its reason, then one line. Standard library alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One command of `verify`, after it ended.

    Attributes:
        name: What it checks.
        succeeded: Whether it exited with 0.
        report: Its JUnit file. A command that writes none is one check.
    """

    name: str
    succeeded: bool
    report: Path


def summary(stages: Sequence[Stage]) -> str:
    """Skips and broken stages, a line each; last, 'N passed, N failed, N skipped'."""
    lines: list[str] = []
    totals: Counter[str] = Counter()
    for stage in stages:
        counts, skips = _read(stage.report)
        if not stage.succeeded and not counts["failed"]:
            # It broke outside a test: while collecting, or it is no run of pytest at all.
            counts["failed"] = 1
            lines.append(f"failed: {stage.name}: see its output above")
        elif not counts.total():
            counts["passed"] = 1
        lines.extend(skips)
        totals += counts
    lines.append(
        f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped"
    )
    return "\n".join(lines)


def _read(report: Path) -> tuple[Counter[str], list[str]]:
    counts: Counter[str] = Counter()
    skips = []
    if report.is_file():
        for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314  (pytest wrote it)
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                counts["failed"] += 1
            elif skip is not None:
                counts["skipped"] += 1
                name = f"{case.get('classname')}.{case.get('name')}"
                skips.append(f"skipped: {name}: {skip.get('message')}")
            else:
                counts["passed"] += 1
    return counts, skips
