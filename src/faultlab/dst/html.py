"""A report as one page, for a stranger who was sent it.

The page is made of the report alone: nothing is read from the machine on which it is made,
and the page asks for nothing when it is read. All of it is there without its script, which
only steps through the rows.
"""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING

from faultlab.dst.event_rows import rows_of
from faultlab.dst.html_run import run_figure
from faultlab.dst.html_script import SCRIPT
from faultlab.dst.html_style import STYLE
from faultlab.dst.html_text import code, many, text
from faultlab.dst.lanes import Row

if TYPE_CHECKING:
    from faultlab.dst.report import Finding, Report

EVENTS_MAX = 400
"""How many events of the history are shown, the last ones."""

FIELD_MAX = 400
"""How many characters of an event's fields are shown."""

SIGNS = {"violated": "✕", "unexercised": "◇", "clean": "●"}

LIMITS = {
    "violated": (
        "It shows one run in which the program fails, with the decisions that it takes. It does "
        "not say how often this happens in production, that it is the only bug, or where the "
        "mistake is: the line that raised is where it was noticed."
    ),
    "clean": (
        "It says that these runs, with this search, broke nothing. It does not say that nothing "
        "can: other schedules were not run, and what the simulator does not model was not tried."
    ),
    "unexercised": (
        "It says neither that the program is broken nor that it holds. Something that was asked "
        "for never struck, so that a part of the question was never put."
    ),
}


def page(report: "Report") -> str:
    """The whole page."""
    found = report.finding
    rows = [] if found is None else rows_of(found)
    run, lanes = ("", "") if found is None else run_figure(found, rows)
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    body = "".join(
        [
            _head(report),
            "<main>",
            _verdict(report),
            "" if found is None else "".join(_told(report, found, rows, run)),
            _searched(report),
            _limits(report),
            "</main>",
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(report.verdict)}: {text(report.program)}</title>\n"
        f"<style>{STYLE}{lanes}</style>\n</head>\n<body>\n{body}\n"
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _head(report: "Report") -> str:
    return (
        '<header><p class="name"><svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">'
        '<path d="M7 2V22M17 2V8M17 16V22"/><path class="d" d="M17 8l4 4l-4 4l-4 -4z"/></svg>'
        f"faultlab</p><p>simulation report of {code(report.program)}</p></header>"
    )


def _verdict(report: "Report") -> str:
    found = report.finding
    sign = f'<span class="sign" aria-hidden="true">{SIGNS[report.verdict]}</span>'
    lead = report.statement
    where = ""
    if found is not None:
        lead = found.message
        where = "".join(
            f'<p class="at">{code(line)}<br>{code(line.source)}</p>'
            for line in found.traceback[-1:]
        )
    elif report.verdict == "unexercised":
        lead = "; ".join(report.unexercised)
    elif not lead:
        lead = f"{many(report.runs, 'run')} broke nothing."
    return (
        f'<section class="verdict {text(report.verdict)}" aria-labelledby="verdict">'
        f'<h1 id="verdict">{sign} {text(report.verdict)}</h1>'
        f'<p class="lead">{text(lead)}</p>{where}</section>'
    )


def _told(report: "Report", found: "Finding", rows: list[Row], run: str) -> Iterator[str]:
    yield _decisions(found, rows)
    yield run
    yield _ends(found)
    yield _traceback(found)
    yield _history(found)
    yield _again(report, found)


def _decisions(found: "Finding", rows: list[Row]) -> str:
    seed = "" if found.seed is None else f"Seed {found.seed:,} found it. "
    if not found.decisions:
        told = f"<p>{seed}It takes no decision: it fails in asyncio’s own order.</p>"
        return _section("decisions", "What it takes", told)
    count = many(len(found.decisions), "decision")
    if found.decisions_before > len(found.decisions):
        count += f", out of {found.decisions_before:,} in the run that was found first"
    told = f"<p>{seed}{count}; {text(found.minimality)}{_why(found)}</p>"
    drawn = {row.decision for row in rows if row.decision}
    items = []
    for number, made in enumerate(found.decisions, 1):
        source = f"<br>{code(made.where.source)}" if made.where else ""
        link = f' <a href="#d{number}">show in the run</a>' if number in drawn else ""
        items.append(f"<li><p>{text(made.words)}{source}{link}</p></li>")
    return _section("decisions", "What it takes", f'{told}<ol class="made">{"".join(items)}</ol>')


def _why(found: "Finding") -> str:
    """What a minimality means."""
    one = "it" if len(found.decisions) == 1 else "any one of them"
    return {
        "proven 1-minimal": f": without {one}, the program does not fail in this way.",
        "smallest found, budget spent": ": fewer may do.",
    }.get(found.minimality, ".")


def _ends(found: "Finding") -> str:
    if not found.tasks:
        return ""
    items = "".join(
        f"<div><dt>{text(task.name)}</dt><dd>{code(task.doing)}</dd></div>" for task in found.tasks
    )
    told = "<p>These tasks had not ended when the run had.</p>"
    return _section("ends", "At the end", f"{told}<dl>{items}</dl>")


def _traceback(found: "Finding") -> str:
    if not found.traceback:
        return ""
    items = "".join(f"<li>{code(line)}<br>{code(line.source)}</li>" for line in found.traceback)
    told = f'<p class="raised">{text(found.message)}</p>'
    head = "<p>The program’s own lines of the traceback, the innermost last:</p>"
    return _section("exception", "The exception", f'{told}{head}<ol class="plain">{items}</ol>')


def _history(found: "Finding") -> str:
    events = found.history[-EVENTS_MAX:]
    if not events:
        return ""
    left = len(found.history) - len(events)
    note = f"<p>The first {many(left, 'event')} are left out here.</p>" if left else ""
    rows = []
    for event in events:
        fields = dumps(dict(event.fields), ensure_ascii=False, default=str)
        short = fields if len(fields) <= FIELD_MAX else f"{fields[:FIELD_MAX]}…"
        whose = "/".join(part for part in (event.process, event.task) if part)
        rows.append(
            f'<tr><th scope="row">{event.seq}</th><td>{event.time_s:.3f} s</td>'
            f"<td>{text(whose)}</td><td>{text(event.kind)}</td><td>{code(short)}</td></tr>"
        )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("event", "time", "task", "kind", "fields")
    )
    table = (
        '<div class="wide" role="region" tabindex="0" aria-label="Events"><table class="events">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    return _section("history", "History", note + table)


def _again(report: "Report", found: "Finding") -> str:
    name = report.program.rpartition(":")[2]
    function = name if name.isidentifier() else "program"
    lines = (
        ("On the command line", f"faultlab reproduce {found.token}"),
        (
            "In Python",
            f'dst.check({function}, dst.SimulationConfig.reproduce("{found.token}"))',
        ),
    )
    parts = "".join(
        f'<div class="copied"><h3 id="again{number}">{label}</h3>'
        f"<pre>{code(line)}</pre>"
        f'<button type="button" data-copy aria-describedby="again{number}" hidden>'
        "Copy</button></div>"
        for number, (label, line) in enumerate(lines)
    )
    return _section("again", "The same run again", parts)


def _searched(report: "Report") -> str:
    facts = [
        ("Program", code(report.program)),
        ("Search", text(report.search)),
        ("Runs", f"{report.runs:,}"),
        ("Steps", f"{report.steps:,}"),
    ]
    if report.seeds:
        facts.append(("Seeds", f"{report.seeds_run:,} of {report.seeds:,}"))
    if report.finding is not None and report.finding.reruns:
        facts.append(("Minimizing", many(report.finding.reruns, "run")))
    if report.statement:
        facts.append(("Statement", text(report.statement)))
    if report.interrupted:
        facts.append(("Ended", "stopped by hand before all of it was run"))
    if report.warning:
        facts.append(("Warning", text(report.warning)))
    facts += [("Never struck", text(what)) for what in report.unexercised]
    facts += [
        ("Struck", f"{text(what)}: in {count:,} of {many(report.runs, 'run')}")
        for what, count in sorted(report.exercised.items())
    ]
    facts += [
        ("Escapes", f"{code(one.call)} at {code(one.where)}: {text(one.why)}")
        for one in report.escapes
    ]
    items = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return _section("searched", "What was searched", f"<dl>{items}</dl>")


def _limits(report: "Report") -> str:
    return _section("limits", "What this report does not say", f"<p>{LIMITS[report.verdict]}</p>")


def _section(name: str, title: str, body: str) -> str:
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{body}</section>'
