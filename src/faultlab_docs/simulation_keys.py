"""What each key of a simulation's report stands for: for its schema, and the table on a page."""

from typing import Final

from faultlab.lab_runs import Kind

Keys = dict[str, tuple[Kind, str]]
"""Per key which of the four things it is, and its meaning."""

REPORT_KEYS: Final[Keys] = {
    "program": ("asked", "What was run, as `module:attribute`."),
    "verdict": (
        "known",
        "`violated`, else `unexercised` (something declared never struck), else `clean`.",
    ),
    "search": ("asked", "The search, in words."),
    "seeds": ("asked", "How many seeds; 0 for an exhaustive search or a token."),
    "seeds_run": ("reached", "How many of them were run: those up to the lowest violating one."),
    "runs": ("reached", "How many runs the search took."),
    "steps": ("reached", "How many steps these took."),
    "statement": (
        "known",
        "What an exhaustive search has proven, or what PCT guarantees; may be empty.",
    ),
    "exercised": (
        "reached",
        "What struck or was reached, with the number of runs in which it was.",
    ),
    "unexercised": ("reached", "What was declared and never struck, in words."),
    "lost": ("reached", "Seeds that went down with their worker, in words."),
    "escapes": ("happened", "Calls that reached the real clock or real chance."),
    "interrupted": ("happened", "Whether somebody stopped the search."),
    "warning": ("known", "What to know about this report besides; may be empty."),
    "finding": ("known", "The violation, made as small as it could be; null if there is none."),
}

FINDING_KEYS: Final[Keys] = {
    "rule": ("known", "What was broken. Runs that break the same rule show the same bug."),
    "message": ("happened", "What the exception says, or what the simulator found."),
    "seed": ("asked", "The lowest seed that broke it; null for an exhaustive search or a token."),
    "decisions": ("asked", "The few decisions that make it, in the order in which they were made."),
    "minimality": ("known", "How much the decisions explain."),
    "calls": ("reached", "The calls of a simulation, or the nodes of a cluster, in words."),
    "decisions_before": ("asked", "How many decisions the run had that was found first."),
    "reruns": ("reached", "How many runs it took to make it smaller."),
    "tasks": ("known", "What each task that had not ended was doing at the end."),
    "traceback": ("happened", "The program's own lines of the traceback, the innermost last."),
    "steps": ("reached", "The steps of the smallest run, with the lines that they ran."),
    "sources": ("known", "The source text of the functions involved."),
    "history": ("happened", "What the program recorded, in order."),
    "tape": ("asked", "The decisions as data: stream, process, call, nth, value, n."),
    "token": ("asked", "The run in one line of text, with the Python version that made it."),
}

DECISION_KEYS: Final[Keys] = {
    "key": ("asked", "Stream, process, call and number of the pick."),
    "value": ("asked", "What was picked; 0 would be the uneventful answer."),
    "n": ("asked", "Of how many alternatives."),
    "words": ("asked", "The decision as a sentence without its full stop."),
    "task": ("asked", "The task that it concerns; empty for what concerns no task."),
    "where": ("reached", "The line at which that task stood; null for what concerns no task."),
    "step": ("reached", "The step before which it was made; 0 where that means nothing."),
    "time_s": ("reached", "Virtual time at which it was made."),
}

STEP_KEYS: Final[Keys] = {
    "number": ("reached", "Counts the steps of the run, from 1."),
    "time_s": ("reached", "Virtual time."),
    "process": ("reached", "The process; empty for the program itself."),
    "task": ("reached", "The task that ran, or `callback`."),
    "function": ("reached", "Qualified name of its coroutine; empty for a callback."),
    "start": ("reached", "Where it stood before; null where that is no line."),
    "lines": ("reached", "The statements that it ran, each by its first line."),
}

LINE_KEYS: Final[Keys] = {
    "file": ("known", "Relative to the working directory, else its name alone."),
    "number": ("known", "From 1."),
    "function": ("known", "Qualified name of the function."),
    "source": ("known", "The line's text, stripped; empty where it cannot be read."),
}

SOURCE_KEYS: Final[Keys] = {
    "file": ("known", "As in a line."),
    "function": ("known", "Name of the function; empty for other lines."),
    "first": ("known", "Number of the first line."),
    "lines": ("known", "The text, without the indentation that all lines share."),
}

EVENT_KEYS: Final[Keys] = {
    "seq": ("happened", "Place in the order, from 0."),
    "time_s": ("happened", "Virtual time."),
    "process": ("happened", "The process; empty for the program itself."),
    "task": ("happened", "The task that recorded it."),
    "kind": ("happened", "What it is."),
    "fields": ("happened", "What else was recorded."),
}

RULE_KEYS: Final[Keys] = {
    "kind": ("known", "`exception`, or a kind that the simulator finds by itself."),
    "name": ("known", "An exception's type and the line that raised it; else the kind again."),
}

TASK_KEYS: Final[Keys] = {
    "name": ("known", "The task."),
    "doing": ("known", "Where it stood, and what it awaited there."),
}

ESCAPE_KEYS: Final[Keys] = {
    "call": ("happened", "What was called."),
    "where": ("happened", "From which line."),
    "why": ("known", "Why the simulation cannot see it."),
}


def table() -> str:
    """The keys of a report and of its finding, as a Markdown table."""
    rows = [
        f"| `{above}{name}` | {kind} | {meaning} |"
        for above, keys in (("", REPORT_KEYS), ("finding.", FINDING_KEYS))
        for name, (kind, meaning) in keys.items()
    ]
    return "\n".join(["| key | kind | meaning |", "| --- | --- | --- |", *rows])
