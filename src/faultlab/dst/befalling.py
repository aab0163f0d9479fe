"""What befalls port calls in one run: latency, faults, crashes, partitions, all by picks."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from faultlab.dst.faults import CallFailed, CrashPolicy, FaultRule, Unreachable
from faultlab.dst.latency import QUANTILES, LatencyProfile
from faultlab.kernel import Call, Choices, Process, record

CRASHES_MAX = 2**16
"""Alternatives of the pick that says at which boundary a crash lands."""

FAULT, LATENCY, CRASH = "fault", "latency", "crash"


class Cut(Protocol):
    """What cuts calls off, such as partitions."""

    def cuts(self, call: Call, leg: Literal["request", "reply"]) -> bool:
        """Whether this call does not get through now."""
        ...

    timeout_s: float


class Befalling:
    """A policy for `kernel.run`, made anew for each run.

    Args:
        choices: Of the run.
        rules: Faults that may strike.
        latency: Profiles by surface; the one under the empty name is for all others.
        crash: Where processes may crash.
        crash_points: Matching boundaries of an uneventful run; 0: not known.

    Attributes:
        exercised: Labels of what really struck.
        calls: Calls seen by (surface, route, op).
    """

    def __init__(
        self,
        *,
        rules: Sequence[FaultRule] = (),
        latency: Mapping[str, LatencyProfile],
        crash: CrashPolicy | None = None,
        crash_points: int = 0,
    ) -> None:
        self._rules = rules
        self._latency = latency
        self._crash = crash
        self._crash_points = crash_points
        self._cut: Cut | None = None
        self._choices: Choices | None = None
        self._channels: dict[tuple[str, str], Callable[[int], int]] = {}
        self._streams = _names_of(rules)
        self._matched = [0] * len(rules)
        self._struck = [0] * len(rules)
        self._replies_lost: dict[int, FaultRule] = {}
        self._arrived: set[int] = set()
        self._boundary = 0
        self._crash_at = 0
        self.crashes = 0
        """How often a process has crashed."""
        self._hostile = bool(rules or crash)
        self.quiet = True
        """While it is, nothing befalls calls but their latency."""
        self.crashable: Callable[[Process], bool] = lambda process: bool(process.name)
        self.exercised: set[str] = set()
        self.calls: dict[tuple[str, str, str], int] = {}
        self.boundaries = 0

    def begin(self, choices: Choices) -> None:
        """Takes the choices of the run. Called from inside of it, before the first call."""
        self._choices = choices

    def cut_by(self, cut: Cut | None) -> None:
        """From now on these cuts, or none, are in the way of calls."""
        self._cut = cut
        self._hostile = bool(self._rules or self._crash or cut)

    def aim_crash(self) -> None:
        """Picks the boundary at which the next crash lands; 0: none.

        With a probability instead, each boundary has a pick of its own.
        """
        self._boundary = self._crash_at = 0
        policy, choices = self._crash, self._choices
        if policy is None or choices is None or policy.probability is not None:
            return
        if self.crashes >= policy.times:
            return
        drawn = choices.draws
        most = max(1, self._crash_points)
        value = choices.chance("crash").randrange(most + 1) if drawn else 0
        known = self._crash_points > 0
        self._crash_at = choices.decide(CRASH, most + 1 if known else CRASHES_MAX, value)

    # -- the policy ------------------------------------------------------------------

    def latency_s(self, call: Call, leg: Literal["request", "reply"]) -> float:
        """One pick of 64 quantiles, unless the profile is constant.

        None is left for a reply that has been on its way already, to be cut off in flight.
        """
        if call.seq in self._arrived:
            self._arrived.remove(call.seq)
            return 0.0
        profile = self._latency.get(call.surface) or self._latency[""]
        quantiles = profile.quantiles_s
        if len(quantiles) == 1:
            return quantiles[0]
        key = (call.process.name, f"{leg} {call.surface}/{call.route}/{call.op}")
        channel = self._channels.get(key)
        if channel is None:
            choices = self._choices
            if choices is None:
                return profile.median_s
            channel = choices.channel(LATENCY, process=key[0], call=key[1])
            self._channels[key] = channel
        return profile.at(channel(QUANTILES))

    def before(self, call: Call) -> Awaitable[int | None] | None:
        """What may befall a request."""
        key = call[3:6]
        self.calls[key] = self.calls.get(key, 0) + 1
        return self._before(call, key) if self._hostile else None

    async def _before(self, call: Call, key: tuple[str, str, str]) -> int | None:
        cut = self._cut
        if cut is not None and cut.cuts(call, "request"):
            await asyncio.sleep(cut.timeout_s)
            raise Unreachable(_no_reply(call))
        if self.quiet:
            return None
        self._meet_crash(call, "before")
        if call.process.crashed:
            return None
        rule = self._first_to_strike(call, key)
        return None if rule is None else await self._befall(rule, call)

    def after(self, call: Call) -> Awaitable[None] | None:
        """What may befall a reply."""
        return self._after(call) if self._hostile else None

    async def _after(self, call: Call) -> None:
        rule = self._replies_lost.pop(call.seq, None)
        if not self.quiet:
            self._meet_crash(call, "after")
            if call.process.crashed:
                return
        cut = self._cut
        if cut is not None:
            await asyncio.sleep(self.latency_s(call, "reply"))
            if cut.cuts(call, "reply"):
                await asyncio.sleep(cut.timeout_s)
                raise Unreachable(_no_reply(call))
            self._arrived.add(call.seq)
        if rule is not None:
            if rule.kind == "lost-reply":
                self._note(rule, call)
                await asyncio.sleep(rule.timeout_s)
            raise Unreachable(_no_reply(call))

    # -- faults ----------------------------------------------------------------------

    def _first_to_strike(self, call: Call, key: tuple[str, str, str]) -> FaultRule | None:
        """The rule that strikes this call: the first of the config's, if several would."""
        first = None
        for number, rule in enumerate(self._rules):
            if rule.matches(*key) and self._strikes(number, rule, call) and first is None:
                first = rule
                self._struck[number] += 1
                if rule.kind != "lost-reply":  # whether there is a reply to lose is open yet
                    self._note(rule, call)
        return first

    def _note(self, rule: FaultRule, call: Call) -> None:
        self.exercised.add(rule.label)
        record("fault", fault=rule.kind, call=call.seq)

    def _strikes(self, number: int, rule: FaultRule, call: Call) -> bool:
        """Whether a rule would strike: one pick, in the calling process's own stream."""
        choices = self._choices
        self._matched[number] += 1
        if choices is None or self._struck[number] >= rule.times_max:
            return False
        where = f"{self._streams[number]} {call.surface}/{call.route}/{call.op}"
        name = call.process.name
        if rule.at_call is None:
            return choices.strikes(FAULT, rule.likely, process=name, call=where)
        if self._matched[number] != rule.at_call:
            return False
        return bool(choices.decide(FAULT, 2, 1, process=name, call=where))

    async def _befall(self, rule: FaultRule, call: Call) -> int | None:
        """Does what the table of faults says; returns how often the body is to run."""
        if rule.kind == "error":
            raise CallFailed(f"{_called(call)} failed; it had no effect")
        if rule.kind == "unreachable":
            await asyncio.sleep(rule.timeout_s)
            raise Unreachable(_no_reply(call))
        if rule.kind in ("timeout", "lost-reply"):
            self._replies_lost[call.seq] = rule
        if rule.kind == "timeout":
            await asyncio.sleep(rule.timeout_s)
        if rule.kind == "delay":
            await asyncio.sleep(rule.delay_s)
        return {"drop": 0, "duplicate": 2}.get(rule.kind)

    # -- crashes ---------------------------------------------------------------------

    def _meet_crash(self, call: Call, when: Literal["before", "after"]) -> None:
        """Crashes the calling process if this is the boundary that was picked."""
        policy, choices = self._crash, self._choices
        if policy is None or choices is None or not policy.matches(*call[3:6]):
            return
        if policy.when not in (None, when) or not self.crashable(call.process):
            return
        self.boundaries += 1
        self._boundary += 1
        where = f"{when} {call.surface}/{call.route}/{call.op}"
        if policy.probability is None:
            strikes = self._boundary == self._crash_at
        else:
            strikes = self.crashes < policy.times and choices.strikes(
                CRASH, policy.probability, process=call.process.name, call=where
            )
        if strikes:
            self.crashes += 1
            self.exercised.add(policy.label)
            record("fault", fault="crash", call=call.seq, when=when)
            call.process.crash()


def _names_of(rules: Sequence[FaultRule]) -> list[str]:
    """What names each rule's picks: its kind, at which call, and which rule of such a name."""
    names: list[str] = []
    for rule in rules:
        name = rule.kind if rule.at_call is None else f"{rule.kind}@{rule.at_call}"
        before = sum(other.partition("#")[0] == name for other in names)
        names.append(f"{name}#{before + 1}" if before else name)
    return names


def _called(call: Call) -> str:
    return f"{call.surface}/{call.route}/{call.op}"


def _no_reply(call: Call) -> str:
    return f"no reply from {_called(call)} in time; whether it took effect is not known"


def known_words(key: Any, value: int, latency: Mapping[str, LatencyProfile]) -> str | None:
    """A pick of these streams in words; None for another stream's."""
    stream, process, call, nth = key
    whose = f" of {process}" if process else ""
    ordinal = f"call {nth + 1}{whose}"
    if stream == LATENCY:
        leg, _, where = call.partition(" ")
        profile = latency.get(where.split("/")[0]) or latency[""]
        return (
            f"the {leg} of {where}, {ordinal}, takes {profile.at(value):.4g} s "
            f"instead of {profile.median_s:.4g} s"
        )
    if stream == FAULT:
        kind, _, where = call.partition(" ")
        kind, _, at_call = kind.partition("#")[0].partition("@")
        if at_call:
            ordinal = f"matching call {at_call}{whose}"
        return f"{kind} at {where}, {ordinal}"
    if stream == CRASH and call:
        return f"crash {call}, {ordinal}"
    if stream == CRASH:
        return f"crash at boundary {value}" + (f", after restart {nth}" if nth else "")
    return None
