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
    """

    key: Key
    value: int
    n: int
    words: str
    task: str = ""
    where: Line | None = None
    step: int = 0

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
    step: int = 0,
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
        step: Before which it was made.
    """
    words = _words(key, value, who, rivals, _place(where, inside))
    return Decision(key=key, value=value, n=n, words=words, task=task, where=where, step=step)


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


def _place(where: Line | None, inside: str) -> str:
    if where is None:
        return ""
    awaiting = "" if not inside or inside.startswith("_") else f" (in {inside})"
    return f" at {where.file}:{where.number}{awaiting}"
