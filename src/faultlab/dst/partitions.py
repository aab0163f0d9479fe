"""Partitions: which calls do not get through, when, and how surely."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final, Literal, TypeAlias

from faultlab.dst.errors import SimulationError
from faultlab.dst.faults import TIMEOUT_S
from faultlab.kernel import Call, Choices, Key, World, record

WINDOW, START, GROUP, LOSS = "window", "window start", "window group", "loss"

EIGHTHS: Final = 9
"""Alternatives of the pick that says how much of a window or a pause there is: none to all."""
SLOTS: Final = 64
"""At how many different times a drawn window may begin."""

NEVER_CUT: Final = frozenset({"clock"})
"""Surfaces that no partition cuts off: a node has its own clock."""

MESSAGE: Final = "message"

Direction: TypeAlias = Literal["both", "out", "in"]


@dataclass(frozen=True, kw_only=True)
class Partition:
    """A group of nodes is cut off for a half-open window [start, end) of virtual time.

    Attributes:
        start: Virtual seconds; calls from then on are cut off.
        end: Virtual seconds; calls from then on get through again.
        isolated: The nodes that are cut off, from the shared store and from all others.
        loss: How likely a call is lost, its request or its reply, in (0, 1]. Of windows that
            overlap the largest counts.
        direction: `both`; or only what goes `out` of the group (requests, messages), or only
            what comes `in` (replies, messages).
    """

    start: float
    end: float
    isolated: frozenset[int]
    loss: float = 1.0
    direction: Direction = "both"

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end < inf:
            raise SimulationError(
                f"a partition from {self.start} s to {self.end} s was given; it has to end "
                "after it starts"
            )
        if not self.isolated:
            raise SimulationError("a partition isolates no node; name at least one in isolated")
        if not 0 < self.loss <= 1:
            raise SimulationError(f"a partition has a loss of {self.loss}; give one in (0, 1]")
        if self.direction not in ("both", "out", "in"):
            raise SimulationError(
                f"a partition has the direction {self.direction!r}; give 'both', 'out' or 'in'"
            )
        object.__setattr__(self, "isolated", frozenset(self.isolated))

    @property
    def label(self) -> str:
        """`partition of node 1, 0.5 s to 1.5 s`."""
        nodes = ", ".join(str(node) for node in sorted(self.isolated))
        loss = "" if self.loss == 1 else f", loss {self.loss:g}"
        way = "" if self.direction == "both" else f", only {self.direction}"
        return f"partition of node {nodes}, {self.start:g} s to {self.end:g} s{loss}{way}"


@dataclass(frozen=True, kw_only=True)
class PartitionSchedule:
    """The partitions of a run: given windows, and windows drawn by picks.

    Attributes:
        windows: Given windows. How much of each there is is one pick, at first all of it.
        surfaces: Surfaces that are cut off; empty: all.
        drawn: How many windows are drawn besides, at most.
        within_s: Until when drawn windows begin.
        longest_s: How long drawn windows are at most.
        timeout_s: How long a caller waits in vain.
    """

    windows: tuple[Partition, ...] = ()
    surfaces: frozenset[str] = frozenset()
    drawn: int = 0
    within_s: float = 10.0
    longest_s: float = 5.0
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        object.__setattr__(self, "windows", tuple(self.windows))
        object.__setattr__(self, "surfaces", frozenset(self.surfaces))
        if self.drawn < 0:
            raise SimulationError(f"{self.drawn} drawn windows were asked for; give 0 or more")
        for name in ("within_s", "longest_s", "timeout_s"):
            if not 0 < getattr(self, name) < inf:
                raise SimulationError(
                    f"{name} is {getattr(self, name)}; give positive, finite seconds"
                )

    @property
    def drawn_label(self) -> str:
        """What all drawn windows together are called in counts."""
        return "drawn partitions"

    def cuts(self, surface: str) -> bool:
        """Whether a surface is one of those that can be cut off."""
        return surface not in NEVER_CUT and (not self.surfaces or surface in self.surfaces)

    def words(self, key: Key, value: int, nodes: int) -> str | None:
        """A pick in words; None for another stream's."""
        stream, process, call, nth = key
        if stream == WINDOW and call.isdigit():
            window = self.windows[int(call)]
            length = (window.end - window.start) * value / (EIGHTHS - 1)
            shorter = "" if value == EIGHTHS - 1 else f", but only for {length:g} s"
            return window.label + shorter
        if stream == WINDOW:
            return f"{call}: a partition of {self.longest_s * value / (EIGHTHS - 1):g} s"
        if stream == START:
            return f"{call} begins at {self.within_s * value / SLOTS:g} s"
        if stream == GROUP:
            names = ", ".join(str(node) for node in sorted(groups(nodes)[value]))
            return f"{call} isolates node {names}"
        if stream == LOSS:
            return f"{call}, call {nth + 1} of {process}, is lost in a partition"
        return None


def groups(nodes: int) -> list[frozenset[int]]:
    """Which groups a drawn window may isolate: each node, then pairs where more remain."""
    alone = [frozenset({node}) for node in range(nodes)]
    pairs = [
        frozenset({one, other})
        for one in range(nodes)
        for other in range(one + 1, nodes)
        if nodes > 3
    ]
    return alone + pairs


def node_name(node: int) -> str:
    """The name of a node's process."""
    return f"node {node}"


class Cuts:
    """The windows of one run, and which calls they cut off.

    Args:
        schedule: What is declared.
        nodes: How many nodes there are.
        exercised: Takes the label of every window that really cut a call off.
    """

    def __init__(self, schedule: PartitionSchedule, nodes: int, exercised: set[str]) -> None:
        self._schedule = schedule
        self._nodes = nodes
        self._exercised = exercised
        self._windows: list[tuple[Partition, str]] = []
        self._choices: Choices | None = None
        self.timeout_s = schedule.timeout_s

    def draw(self, choices: Choices) -> None:
        """Picks how much there is of each window, and the drawn ones."""
        self._choices = choices
        schedule = self._schedule
        for number, window in enumerate(schedule.windows):
            eighths = choices.decide(WINDOW, EIGHTHS, EIGHTHS - 1, call=str(number))
            self._add(window, window.end - window.start, eighths, window.label)
        for number in range(schedule.drawn):
            name = f"drawn window {number + 1}"
            eighths = choices.pick(WINDOW, EIGHTHS, call=name)
            start = choices.pick(START, SLOTS, call=name) * schedule.within_s / SLOTS
            isolated = groups(self._nodes)
            group = isolated[choices.pick(GROUP, len(isolated), call=name)]
            drawn = Partition(start=start, end=start + schedule.longest_s, isolated=group)
            self._add(drawn, schedule.longest_s, eighths, schedule.drawn_label)

    def _add(self, window: Partition, length_s: float, eighths: int, label: str) -> None:
        if eighths:
            whole = eighths == EIGHTHS - 1  # its end is then the very one that was given
            shorter = Partition(
                start=window.start,
                end=window.end if whole else window.start + length_s * eighths / (EIGHTHS - 1),
                isolated=window.isolated,
                loss=window.loss,
                direction=window.direction,
            )
            self._windows.append((shorter, label))

    def begin(self, world: World) -> None:
        """Has the history say when each window opens and heals."""
        now_s = world.loop.time()
        for window, _ in self._windows:
            nodes = sorted(window.isolated)
            for at_s, kind in ((window.start, "partition"), (window.end, "heal")):
                from_now_s = max(0.0, at_s - now_s)
                world.call_later(from_now_s, world.record, kind, {"isolated": nodes})

    def cuts(self, call: Call, leg: Literal["request", "reply"]) -> bool:
        """Whether this leg of a call is lost now, as it arrives: a window may open in flight."""
        if not self._windows or not self._schedule.cuts(call.surface):
            return False
        now = call.process.world.loop.time()
        sender = _number(call.process.name)
        receiver = _number(call.route) if call.surface == MESSAGE else None
        if call.surface == MESSAGE and leg == "reply":
            return False  # nobody answers a message
        open_now = [
            (window, label)
            for window, label in self._windows
            if window.start <= now < window.end and _meets(window, sender, receiver, leg)
        ]
        if not open_now:
            return False
        likely = max(_likely(window, call.surface) for window, _ in open_now)
        if likely < 1 and not self._lost(call, leg, likely):
            return False
        self._exercised.update(
            label for window, label in open_now if _likely(window, call.surface) == likely
        )
        record("fault", fault="partition", call=call.seq, leg=leg)
        return True

    def _lost(self, call: Call, leg: str, loss: float) -> bool:
        where = f"{leg} {call.surface}/{call.route}/{call.op}"
        choices = self._choices
        return choices is not None and choices.strikes(
            LOSS, loss, process=call.process.name, call=where
        )


def _likely(window: Partition, surface: str) -> float:
    """How likely one leg is lost, so that a call is as likely lost as the window says.

    Where a call can be lost both ways, each has the same part in it: 1 - (1 - leg)² = loss.
    """
    both_ways = window.direction == "both" and surface != MESSAGE
    return 1 - sqrt(1 - window.loss) if both_ways else window.loss


def _number(name: str) -> int | None:
    head, _, number = name.rpartition(" ")
    return int(number) if head == "node" and number.isdigit() else None


def _meets(window: Partition, sender: int | None, receiver: int | None, leg: str) -> bool:
    """Whether a window is in the way of a call's leg."""
    if sender is None:
        return False
    if receiver is None:  # a call to the shared store, which is outside of every group
        way = "out" if leg == "request" else "in"
        return sender in window.isolated and window.direction in ("both", way)
    inside = sender in window.isolated
    if inside == (receiver in window.isolated):
        return False
    return window.direction in ("both", "out" if inside else "in")
