"""What is to befall port calls: rules, and the table of what each fault does where.

Timeout, lost reply and an unreachable port look the same to the caller: after the same
delay the same `Unreachable` is raised. Only the history knows which it was.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from faultlab.dst.errors import SimulationError
from faultlab.errors import FaultlabError
from faultlab.naming import nearest

FaultKind: TypeAlias = Literal[
    "error", "unreachable", "timeout", "lost-reply", "drop", "duplicate", "delay"
]
When: TypeAlias = Literal["before", "after"]

TIMEOUT_S: Final = 5.0
"""How long a caller waits for a reply that does not come, in virtual seconds."""


class Unreachable(FaultlabError, TimeoutError):
    """No reply came in time. Whether the call took effect is not known."""


class CallFailed(FaultlabError):
    """The port refused the call: it had no effect, and the caller knows that."""


@dataclass(frozen=True, kw_only=True)
class FaultKindRow:
    """One row of the table.

    Attributes:
        kind: The fault.
        ports: `any`, or `transport`: ports that carry messages (queue_command, message).
        effect: What happens to the call's effect.
        caller: What the caller sees.
    """

    kind: FaultKind
    ports: Literal["any", "transport"]
    effect: str
    caller: str


FAULTS: Final[tuple[FaultKindRow, ...]] = (
    FaultKindRow(kind="error", ports="any", effect="none", caller="CallFailed, at once"),
    FaultKindRow(
        kind="unreachable", ports="any", effect="none", caller="Unreachable, after timeout_s"
    ),
    FaultKindRow(
        kind="timeout",
        ports="any",
        effect="takes place, as late as the caller gives up",
        caller="Unreachable, after timeout_s",
    ),
    FaultKindRow(
        kind="lost-reply", ports="any", effect="takes place", caller="Unreachable, after timeout_s"
    ),
    FaultKindRow(kind="drop", ports="transport", effect="none", caller="success"),
    FaultKindRow(kind="duplicate", ports="transport", effect="takes place twice", caller="success"),
    FaultKindRow(
        kind="delay", ports="any", effect="takes place, delay_s later", caller="the reply, later"
    ),
)
"""Fault by fault: on which ports, what happens, what the caller sees."""

TRANSPORT: Final = frozenset({"queue_command", "message"})
"""Surfaces whose calls hand over a message, so that it can be dropped or doubled unnoticed."""


@dataclass(frozen=True, kw_only=True)
class FaultRule:
    """A fault that may strike port calls that match.

    One call is struck by one rule, the first of the config's that would.

    Attributes:
        kind: One of `FAULTS`.
        surface: Surface of the calls; empty: any.
        route: Route of the calls; empty: any.
        op: Operation of the calls; empty: any.
        probability: How often it strikes a matching call, in (0, 1]; each is one pick.
        at_call: Or: it strikes exactly the nth matching call, from 1.
        times_max: How often it strikes in one run, at most.
        delay_s: For `delay`: how much longer the call takes.
        timeout_s: How long the caller waits in vain.
    """

    kind: FaultKind
    surface: str = ""
    route: str = ""
    op: str = ""
    probability: float | None = None
    at_call: int | None = None
    times_max: int = 3
    delay_s: float = 1.0
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        if self.kind not in get_args(FaultKind):
            raise SimulationError(
                f"there is no fault {self.kind!r}.{nearest(self.kind, get_args(FaultKind))} "
                f"Allowed: {', '.join(get_args(FaultKind))}."
            )
        if self.probability is not None and self.at_call is not None:
            raise SimulationError(f"{self.label} has a probability and at_call; give one of them")
        _check_probability(self.label, self.probability)
        if self.at_call is not None and self.at_call < 1:
            raise SimulationError(f"{self.label}: at_call is {self.at_call}; calls count from 1")
        if self.times_max < 1:
            raise SimulationError(f"{self.label}: times_max is {self.times_max}; give at least 1")
        for name in ("delay_s", "timeout_s"):
            if not 0 < getattr(self, name) < float("inf"):
                raise SimulationError(
                    f"{self.label}: {name} is {getattr(self, name)}; give positive, finite seconds"
                )
        if self.kind in ("drop", "duplicate") and self.surface not in TRANSPORT:
            raise SimulationError(
                f"{self.label}: only a message can be lost or doubled unnoticed; give it a "
                f"surface of {', '.join(sorted(TRANSPORT))}"
            )

    @property
    def label(self) -> str:
        """`lost-reply at receiver/payments/debit`, for counts and reports."""
        nth = "" if self.at_call is None else f", matching call {self.at_call}"
        return f"{self.kind} at {target(self.surface, self.route, self.op)}{nth}"

    @property
    def likely(self) -> float:
        """The probability, by default 0.1."""
        return 0.1 if self.probability is None else self.probability

    def matches(self, surface: str, route: str, op: str) -> bool:
        """Whether a call is one of those it may strike."""
        return _among(self, surface, route, op)


@dataclass(frozen=True, kw_only=True)
class CrashPolicy:
    """A crash of the process at a port call, then a restart over the same stores.

    Which of the matching boundaries it is, before or after which call, is one pick.

    Attributes:
        surface: Surface of the calls at which it may crash; empty: any.
        route: Route of the calls; empty: any.
        op: Operation of the calls; empty: any.
        probability: Instead of one pick: how likely it crashes at each boundary.
        when: Only `before` the call takes effect, or only `after` it has; None: either.
        times: How often it may crash in one run. The second time it may be recovering.
    """

    surface: str = ""
    route: str = ""
    op: str = ""
    probability: float | None = None
    when: When | None = None
    times: int = 1

    def __post_init__(self) -> None:
        _check_probability(self.label, self.probability)
        if self.when not in (None, "before", "after"):
            raise SimulationError(
                f"{self.label}: when is {self.when!r}; give 'before', 'after' or None"
            )
        if self.times < 1:
            raise SimulationError(f"{self.label}: times is {self.times}; give at least 1")

    @property
    def label(self) -> str:
        """`crash at document_command/orders/update`."""
        return f"crash at {target(self.surface, self.route, self.op)}"

    def matches(self, surface: str, route: str, op: str) -> bool:
        """Whether it may crash at a call."""
        return _among(self, surface, route, op)


def target(surface: str, route: str, op: str) -> str:
    """`surface/route/op`, with `*` for any."""
    return "/".join(part or "*" for part in (surface, route, op))


def _check_probability(label: str, probability: float | None) -> None:
    if probability is not None and not 0 < probability <= 1:
        raise SimulationError(f"{label}: probability is {probability}; give one in (0, 1]")


def _among(where: FaultRule | CrashPolicy, surface: str, route: str, op: str) -> bool:
    """Whether a call is one of those that are named; an empty name is any."""
    return where.surface in ("", surface) and where.route in ("", route) and where.op in ("", op)
