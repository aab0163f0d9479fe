"""What an invariant may say, and `judge`, which asks them all.

An invariant is a plain function over the history of a run. It returns None if it holds, and
otherwise the text that says how it is broken:

    def charged_once(history):
        charges = [e for e in history.of("applied") if e.fields["key"] == "order-42"]
        if len(charges) > 1:
            return f"order-42 was charged {len(charges)} times"

It may also fail an `assert`, return or yield several texts, or return `Broken`, which names the
events that prove it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import iscoroutine
from typing import TypeAlias

from faultlab.errors import FaultlabError
from faultlab.kernel import History


class InvariantError(FaultlabError):
    """An invariant is itself at fault: it crashed, or looks for what no event carries."""


@dataclass(frozen=True, kw_only=True)
class Broken:
    """An invariant does not hold in this run.

    Attributes:
        message: Who did what when, and why that must not be.
        events: The sequence numbers of the events that prove it, in order.
        name: The invariant's; `judge` fills it in.
    """

    message: str
    events: tuple[int, ...] = ()
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Undecided:
    """A check gave up before it could tell. It is no violation, and the run is not clean either.

    Attributes:
        message: What was too much, and what makes it less.
        events: The sequence numbers of the events up to which it came.
        name: The invariant's; `judge` fills it in.
    """

    message: str
    events: tuple[int, ...] = ()
    name: str = ""


Judgement: TypeAlias = Broken | Undecided
Said: TypeAlias = str | Judgement | Iterable[str | Judgement] | None
Invariant: TypeAlias = Callable[[History], Said]


class ReadyMade:
    """An invariant made by one of the factories here: a function with a telling name.

    Args:
        name: Says what it demands of what; stable between runs.
        check: The invariant itself.
        subjects: How many events or calls of a history it looks at.
    """

    def __init__(
        self,
        name: str,
        check: Callable[[History], list[Judgement]],
        subjects: Callable[[History], int],
    ) -> None:
        self.__name__ = name
        self._check = check
        self._subjects = subjects

    def __call__(self, history: History) -> list[Judgement]:
        """The findings; none if the invariant holds."""
        return self._check(history)

    def __repr__(self) -> str:
        return f"<invariant {self.__name__}>"

    def subjects(self, history: History) -> int:
        """How many events or calls of this history the invariant looks at.

        An invariant that looks at none holds, and proves nothing.
        """
        return self._subjects(history)


def name_of(invariant: Invariant) -> str:
    """The name under which an invariant is reported: its function's."""
    return str(getattr(invariant, "__name__", type(invariant).__name__))


def looked_at(invariant: Invariant, history: History) -> int | None:
    """How many events or calls an invariant looked at; None if it can't say: it is your own."""
    return invariant.subjects(history) if isinstance(invariant, ReadyMade) else None


def judge(history: History, invariants: Iterable[Invariant]) -> list[Judgement]:
    """What the invariants find wrong with a history, in their order. Empty: all of them hold.

    That all hold speaks of this one run, and of what the invariants look at.

    Raises:
        InvariantError: An invariant raised something other than AssertionError, or returned
            what is neither None, text, `Broken`, `Undecided` nor several of them.
    """
    return [finding for invariant in invariants for finding in _ask(invariant, history)]


def _ask(invariant: Invariant, history: History) -> list[Judgement]:
    if not callable(invariant):
        raise InvariantError(
            f"{invariant!r} is no invariant. Give a function that takes the history."
        )
    name = name_of(invariant)
    try:
        verdict: object = invariant(history)
        if iscoroutine(verdict):
            verdict.close()
            raise InvariantError(
                f"invariant {name} is async. It judges a run that is over: define it with `def`."
            )
        if isinstance(verdict, Iterable) and not isinstance(verdict, str):
            said: list[object] = list(verdict)
        else:
            said = [verdict]
    except AssertionError as error:
        said = [str(error) or "an assertion without a message failed"]
    except FaultlabError:
        raise
    except Exception as error:
        raise InvariantError(
            f"invariant {name} raised {type(error).__name__}: {error}. Mend it: only a returned "
            "text or an AssertionError says that an invariant is broken."
        ) from error
    return [_named(name, one) for one in said if one is not None]


def _named(name: str, said: object) -> Judgement:
    if isinstance(said, str):
        return Broken(name=name, message=said)
    if isinstance(said, Broken | Undecided):
        return said if said.name else replace(said, name=name)
    raise InvariantError(
        f"invariant {name} returned {said!r}. Return None if it holds, and otherwise the text that "
        "says how it is broken; a function that returns True or False goes into expect(…)."
    )
