"""Running a small program, and making one fault strike."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

from faultlab.kernel import Run, current, run
from faultlab.kernel.agenda import Agenda
from faultlab.kernel.choices import Choices
from faultlab.kernel.strategy import Chooser
from faultlab.mock import Crash, Fault, LostReply, OneFault

Program = Callable[[], Coroutine[Any, Any, Any]]


def simulate(program: Program, **options: Any) -> Run:
    """A run of a program that has to end well."""
    made = run(program, **options)
    if made.error is not None:
        raise made.error
    assert made.violations == ()
    return made


def struck(program: Program, fault: Fault, *, op: str, when: Any = "after", surface: str) -> Run:
    """A run in which the fault struck the first call of this operation."""
    policy = OneFault(fault, surface=surface, op=op, when=when)
    made = simulate(program, policy=policy)
    assert policy.exercised, f"{fault.name} met no {surface}.{op}"
    assert [event.fields["fault"] for event in made.history.of("fault")] == [fault.name]
    if isinstance(fault, Crash):
        assert len(made.history.of("crash")) == 1
    if isinstance(fault, LostReply):
        assert [event.fields["error"] for event in made.history.of("raise")] == ["TimeoutError"]
    return made


async def process(name: str, program: Program) -> str:
    """How a process ended that ran this program."""
    return await current().start(name, program).ended()


async def at_once(*waiting: Awaitable[Any]) -> list[Any]:
    """The results of what runs at the same time, errors included."""
    return await asyncio.gather(*waiting, return_exceptions=True)


class _Script:
    """Follows a script, then takes the oldest step; notes how many steps were ready."""

    holds = False

    def __init__(self, script: list[int]) -> None:
        self._script = script
        self.widths: list[int] = []

    def chooser(self, agenda: Agenda, choices: Choices) -> Chooser:
        def choose(waiting: int) -> int:
            nth = len(self.widths)
            self.widths.append(waiting)
            return self._script[nth] if nth < len(self._script) else 0

        return choose


def every_schedule(program: Program, *, runs_max: int) -> Iterator[Run]:
    """One run for each order in which the steps of a program can be run."""
    script: list[int] = []
    for _ in range(runs_max):
        strategy = _Script(script)
        yield simulate(program, strategy=strategy)
        script = script + [0] * (len(strategy.widths) - len(script))
        while script and script[-1] == strategy.widths[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1
    raise AssertionError(f"there are more than {runs_max} schedules")
