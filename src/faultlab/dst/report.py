"""The report of a search: the verdict, and for a violation what a stranger needs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from faultlab.dst.attempt import Rule
from faultlab.dst.errors import SimulationFailed
from faultlab.dst.event_rows import rows_of, tells_events
from faultlab.dst.minimize import Minimality
from faultlab.dst.places import Line
from faultlab.dst.sources import Source
from faultlab.dst.timeline import timeline
from faultlab.dst.watch import Step, TaskAt
from faultlab.dst.words import Decision
from faultlab.kernel import Escape, History, Tape

Verdict: TypeAlias = Literal["violated", "unexercised", "clean"]

EXIT_CODES: dict[Verdict, int] = {"clean": 0, "violated": 1, "unexercised": 3}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One violation, found, made smaller, and told.

    Attributes:
        rule: What was broken.
        message: What the exception says, or what the kernel found.
        seed: The lowest seed that broke it; None for an exhaustive search or a token.
        decisions: The few that make it, in words, in the order in which they were made.
        minimality: `proven 1-minimal`: without any one of them the rule holds; `smallest
            found, budget spent`; or `as the token has them`.
        decisions_before: How many decisions the run had that was found first.
        reruns: How many runs minimizing took.
        steps: The steps of the smallest run, with the lines they ran.
        tasks: What each task was doing at the end.
        traceback: The program's own lines of the exception's traceback, the innermost last.
        calls: The calls of a simulation's workload; empty for a program.
        tape: The decisions as data.
        token: The run in one line of text.
        history: What the program recorded.
        sources: The source text of the functions involved.
    """

    rule: Rule
    message: str
    seed: int | None
    decisions: tuple[Decision, ...]
    minimality: Minimality
    decisions_before: int
    reruns: int
    steps: tuple[Step, ...]
    tasks: tuple[TaskAt, ...]
    traceback: tuple[Line, ...]
    calls: tuple[str, ...]
    tape: Tape
    token: str
    history: History
    sources: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "rule": asdict(self.rule),
            "message": self.message,
            "seed": self.seed,
            "decisions": [decision.to_json() for decision in self.decisions],
            "minimality": self.minimality,
            "calls": list(self.calls),
            "decisions_before": self.decisions_before,
            "reruns": self.reruns,
            "tasks": [task.to_json() for task in self.tasks],
            "traceback": [line.to_json() for line in self.traceback],
            "steps": [step.to_json() for step in self.steps],
            "sources": [source.to_json() for source in self.sources],
            "history": self.history.to_json(),
            "tape": self.tape.to_json(),
            "token": self.token,
        }


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a search found, or did not.

    A clean report says that these seeds, with this search, broke nothing. It does not say
    that nothing can.

    Attributes:
        program: `module:attribute` of what was run.
        verdict: `violated`, else `unexercised` (something that was declared never struck, or
            seeds were lost), else `clean`.
        search: The search, in words.
        seeds: How many seeds were asked for; 0 for an exhaustive search or a token.
        seeds_run: How many were run: those up to the lowest violating one.
        runs: How many runs the search took, without first look and minimizing.
        steps: How many steps these took.
        finding: The violation, or None.
        statement: What an exhaustive search has proven, or what PCT guarantees; may be empty.
        exercised: What struck or was reached, with the number of runs in which it was.
        unexercised: What was declared and never struck, in words.
        lost: Seeds that went down with their worker, in words.
        escapes: Calls that reached the real clock or real chance, from the first run.
        interrupted: Whether somebody stopped the search.
        warning: What to know about this report besides; may be empty.
    """

    program: str
    verdict: Verdict
    search: str
    seeds: int
    seeds_run: int
    runs: int
    steps: int
    finding: Finding | None = None
    statement: str = ""
    exercised: dict[str, int] = field(default_factory=dict)
    unexercised: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    escapes: tuple[Escape, ...] = ()
    interrupted: bool = False
    warning: str = ""

    @property
    def exit_code(self) -> int:
        """0 clean, 1 violated, 3 unexercised."""
        return EXIT_CODES[self.verdict]

    def format(self) -> str:
        """The whole report as text."""
        return "\n".join([*self._lines(), *self._again()]) + "\n"

    def explain(self) -> str:
        """The report without the token: the same text on every Python version."""
        return "\n".join(self._lines()) + "\n"

    def timeline(self) -> str:
        """The interleaving as lanes, time running down; empty if nothing was violated."""
        return "" if self.finding is None else timeline(self.finding)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, as docs/schemas/simulation-report.schema.json describes it."""
        return {
            "program": self.program,
            "verdict": self.verdict,
            "search": self.search,
            "seeds": self.seeds,
            "seeds_run": self.seeds_run,
            "runs": self.runs,
            "steps": self.steps,
            "statement": self.statement,
            "exercised": dict(sorted(self.exercised.items())),
            "unexercised": list(self.unexercised),
            "lost": list(self.lost),
            "escapes": [asdict(escape) for escape in self.escapes],
            "interrupted": self.interrupted,
            "warning": self.warning,
            "finding": None if self.finding is None else self.finding.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Report":
        """The report of which `to_json` made this; raises SimulationError for anything else."""
        from faultlab.dst.reading import report_from_json  # it imports this module

        return report_from_json(data)

    def to_html(self) -> str:
        """The report as one page, whole in itself: it asks for no other file and no network.

        Write it with `Path("report.html").write_text(report.to_html(), encoding="utf-8")`.
        """
        from faultlab.dst.html import page  # only those who want a page pay for it

        return page(self)

    def assert_clean(self) -> None:
        """Raises SimulationFailed with the report's text unless the verdict is clean.

        Raises:
            SimulationFailed: The verdict is violated or unexercised, or somebody stopped
                the search.
        """
        if self.verdict != "clean" or self.interrupted:
            raise SimulationFailed("\n" + self.format())

    def _lines(self) -> list[str]:
        lines = [f"{self.verdict}: {self.program}"]
        if self.finding is not None:
            lines += _found(self.finding)
        lines += ["", f"Searched: {self._searched()}"]
        lines += [f"  {part}" for part in (self.statement, self.warning) if part]
        lines += [f"  unexercised: {what}" for what in self.unexercised]
        lines += [f"  lost: {what}" for what in self.lost]
        lines += [
            f"  {what}: in {count} of {self.runs} runs"
            for what, count in sorted(self.exercised.items())
        ]
        for escape in self.escapes:
            lines.append(f"  escapes the simulation: {escape.call} at {escape.where}: {escape.why}")
        return lines

    def _searched(self) -> str:
        text = f"{self.search}, {_many(self.runs, 'run')}, {_many(self.steps, 'step')}"
        if self.seeds:
            text += f", {self.seeds_run} of {_many(self.seeds, 'seed')}"
        return text + (", then stopped by hand" if self.interrupted else "")

    def _again(self) -> list[str]:
        if self.finding is None:
            return []
        return ["", "The same run again:", f"  faultlab reproduce {self.finding.token}"]


def _found(finding: Finding) -> list[str]:
    lines = [f"  {line}".rstrip() for line in finding.message.split("\n")]
    lines += [f"  at {line}: {line.source}" for line in finding.traceback[-1:]]
    seed = "" if finding.seed is None else f"Seed {finding.seed} found it. "
    if finding.calls:
        what = "node" if finding.calls[0].startswith("node ") else "call"
        lines += ["", f"{_many(len(finding.calls), what)}:"]
        lines += [f"  {call}" for call in finding.calls]
    if finding.decisions:
        count = _many(len(finding.decisions), "decision")
        if finding.decisions_before > len(finding.decisions):
            count += f" of {finding.decisions_before} left"
        lines += ["", f"{seed}{count}, {finding.minimality}:"]
        for number, decision in enumerate(finding.decisions, 1):
            lines.append(f"  {number}. {decision.words}")
            lines += [f"     {decision.where.source}"] if decision.where else []
    else:
        way = "although nothing befalls it" if finding.calls else "in asyncio's own order"
        lines += ["", f"{seed}It takes no decision: it fails {way}."]
    rows = rows_of(finding)
    if rows:
        what = "an event" if tells_events(rows) else "a line of source"
        lines += ["", f"What ran, time running down, {what} a row:"]
        lines += timeline(finding).splitlines()
    if finding.tasks:
        lines += ["", "At the end:"]
        lines += [f"  {task.name}: {task.doing}" for task in finding.tasks]
    return lines


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"
