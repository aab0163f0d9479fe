"""Decisions in words: what the simulator did otherwise, for whom, and where in the source."""

from asyncio import Task
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from faultlab.dst.places import Line
from faultlab.kernel import PAUSES_S, Key
from faultlab.kernel.strategy import HOLD, RELEASE, STEP


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One decision of a run, in words.

    Attributes:
        key: Of the pick on the tape.
        value: What was picked; 0 would be the uneventful answer.
        n: Of how many.
        words: A sentence without its full stop.
        task: The lane of the task that it concerns; empty for what concerns no task.
        where: The line before which the task stood; None for what concerns no task.
        step: Number of the step before which it was made; 0 where that means nothing.
        time_s: Virtual time at which it was made.
    """

    key: Key
    value: int
    n: int
    words: str
    task: str = ""
    where: Line | None = None
    step: int = 0
    time_s: float = 0.0

    def __str__(self) -> str:
        """The words."""
        return self.words

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "key": list(self.key)}


def named(process: str, name: str, task: "Task[Any] | None") -> str:
    """A task as reports name it: `node 1/Task-2 (transfer)`."""
    if task is None:
        return f"a callback of {process}" if process else "a callback"
    function = getattr(task.get_coro(), "__name__", "")
    whole = f"{process}/{name}" if process else name
    return f"{whole} ({function})" if function and function != name else whole


def in_words(
    key: Key,
    value: int,
    n: int,
    *,
    who: str = "",
    task: str = "",
    rivals: Sequence[str] = (),
    where: Line | None = None,
    inside: str = "",
    started: bool = True,
    step: int = 0,
    time_s: float = 0.0,
    known: str | None = None,
) -> Decision:
    """Puts one decision into words.

    Args:
        key: Of the pick.
        value: Picked.
        n: Alternatives.
        who: The task that it concerns, as `named` names it.
        task: Its lane.
        rivals: The tasks that could run instead.
        where: The line at which the task waits.
        inside: The library function that it awaits there.
        started: Whether it has run a step already.
        step: Before which it was made.
        time_s: Virtual time at which it was made.
        known: The words, for a pick that is not the schedule's.
    """
    words = known or _words(key, value, who, rivals, _place(who, where, inside, started=started))
    return Decision(
        key=key, value=value, n=n, words=words, task=task, where=where, step=step, time_s=time_s
    )


def _words(key: Key, value: int, who: str, rivals: Sequence[str], place: str) -> str:
    stream, process, call, nth = key
    if stream == HOLD and value == 1:
        return f"hold {who}{place} until nothing else can run"
    if stream == HOLD:
        return f"pause {who}{place} for {PAUSES_S[value - 2]:g} s"
    if stream == RELEASE:
        return f"let {who} go on{place}"
    if stream == STEP:
        others = ", ".join(rivals)
        return f"run {who}{place} before {others}, which waited longer"
    if stream == "random":
        return f"seed the program's own randomness with {value} instead of 0"
    whose = "/".join(part for part in (process, call) if part)
    return f"pick {value} for {stream} {whose} (number {nth + 1})".replace("  ", " ")


def _place(who: str, where: Line | None, inside: str, *, started: bool) -> str:
    if where is None:
        return ""
    at = f" at {where.file}:{where.number}"
    if not started:
        return f" before it starts{at}"
    awaiting = "" if not inside or inside.startswith("_") else f" (in {inside})"
    function = where.function.rpartition("<locals>.")[2]
    its_own = function.rpartition(".")[2] in who  # then the task's name says it already
    return f"{'' if its_own else f' in {function}'}{at}{awaiting}"
