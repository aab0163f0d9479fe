"""Everything that could be otherwise is one pick from a finite list.

A pick is named by its key `(stream, process, call, nth)`: what is decided, for whom,
in the course of what, and the how-manieth time. A tape is a sparse map from keys to
values: **missing means 0, and 0 is always the uneventful answer**. Because `nth` is
counted separately for every `(stream, process, call)`, dropping one call, process or
pick from a program moves no other pick.

Every (stream, process, call) is a channel with random words of its own, derived from
its name by a blake2b hash that is keyed with the master seed; a pick takes one word. A
draw therefore depends on its key and the seed alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from random import Random
from struct import Struct
from typing import TypeAlias

from faultlab.kernel.errors import TapeError

Key: TypeAlias = tuple[str, str, str, int]
"""(stream, process, call, nth), nth counted from 0."""

Channel: TypeAlias = Callable[[int], int]
"""Asks for the next pick of one (stream, process, call): n alternatives in, value out."""

ALTERNATIVES_MAX = 2**32
"""The longest list to pick from; one pick of this size makes a seed."""

_words = Struct("<16I").unpack


class Tape(Mapping[Key, int]):
    """The non-zero picks of one run: a sparse map from key to value, iterated in key order."""

    __slots__ = ("_picks",)

    def __init__(self, picks: Mapping[Key, tuple[int, int]] | None = None) -> None:
        """Takes {key: (value, n)}; drops zeros, refuses values outside 0..n-1."""
        for key, (value, n) in (picks or {}).items():
            if not 0 <= value < n <= ALTERNATIVES_MAX:
                raise TapeError(
                    f"the pick {key} has value {value} of {n} alternatives; "
                    f"a value lies in 0..n-1 and n is at most 2**32"
                )
        self._picks = {key: pick for key, pick in (picks or {}).items() if pick[0]}

    def __getitem__(self, key: Key) -> int:
        """The value of a pick that is on the tape; KeyError for one that is not, so 0."""
        return self._picks[key][0]

    def __iter__(self) -> Iterator[Key]:
        """Keys in order."""
        return iter(sorted(self._picks))

    def __len__(self) -> int:
        """The number of decisions."""
        return len(self._picks)

    def __repr__(self) -> str:
        """The decisions, readable."""
        return f"Tape({dict(self)!r})"

    def __hash__(self) -> int:
        """Tapes are values."""
        return hash(tuple(self.items()))

    def alternatives(self, key: Key) -> int:
        """The length of the list that a decision was picked from."""
        return self._picks[key][1]

    def streams(self) -> frozenset[str]:
        """The streams that have at least one decision."""
        return frozenset(key[0] for key in self._picks)

    def without(self, *keys: Key) -> "Tape":
        """The same tape with these picks set back to 0."""
        return Tape({key: pick for key, pick in self._picks.items() if key not in keys})

    def to_json(self) -> list[list[str | int]]:
        """Plain JSON: [stream, process, call, nth, value, n] per decision, in key order."""
        return [[*key, *pick] for key, pick in sorted(self._picks.items())]

    @classmethod
    def from_json(cls, rows: Iterable[object]) -> "Tape":
        """Reads what `to_json` wrote; raises TapeError for any other shape."""
        picks: dict[Key, tuple[int, int]] = {}
        for row in rows:
            match row:
                case [str(stream), str(process), str(call), int(nth), int(value), int(n)]:
                    picks[stream, process, call, nth] = (value, n)
                case _:
                    raise TapeError(
                        f"{row!r} is no pick; each is [stream, process, call, nth, value, n]"
                    )
        return cls(picks)


def simplicity(tape: Mapping[Key, int]) -> tuple[int, tuple[int, ...], tuple[Key, ...]]:
    """Sorts tapes so that the simpler comes first: shortlex.

    Fewer decisions are simpler, whatever they are, for each decision is one sentence
    of the explanation. Of equally many, smaller values are simpler, compared in key
    order, for alternatives are listed from harmless to violent. Remaining ties go to
    the earlier keys. The order is total and has no infinite descent, so that a search
    which only ever accepts a simpler tape ends.
    """
    decisions = sorted((key, value) for key, value in tape.items() if value)
    keys = tuple(key for key, _ in decisions)
    return len(decisions), tuple(value for _, value in decisions), keys


class Choices:
    """The one object that is asked for every pick of a run.

    With a `seed` picks are drawn evenly; with a `tape` they are fed back, and what is
    not on the tape is 0. With neither, every pick is 0. A fed value that is no longer
    among the alternatives (because an edit to the tape changed the run) reads as 0:
    the decision has lost its object, so it is not made. The tape of such a run says
    what was done, not what was asked for.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        tape: Mapping[Key, int] | None = None,
        asked: list[tuple[Key, int]] | None = None,
    ) -> None:
        """Takes a master seed to draw from, or a tape to feed back, or neither.

        To `asked` every (key, n) is appended that is asked for, unless picks are drawn.
        """
        if seed is not None and tape is not None:
            raise TapeError("a seed and a tape were given; draw from one or feed back the other")
        self._root = blake2b(str(seed).encode(), digest_size=32).digest()
        self._drawn = seed is not None
        self._asked = asked
        self._fed: dict[tuple[str, str, str], dict[int, int]] = {}
        for (stream, process, call, nth), value in (tape or {}).items():
            self._fed.setdefault((stream, process, call), {})[nth] = value
        self._channels: dict[tuple[str, str, str], Channel] = {}
        self._picked: dict[tuple[str, str, str], list[tuple[int, int, int]]] = {}
        self._rare: dict[tuple[str, str, str], Iterator[int]] = {}
        self._decided: dict[tuple[str, str, str], int] = {}

    def channel(self, stream: str, *, process: str = "", call: str = "") -> Channel:
        """The picks of one (stream, process, call), to be asked one after another.

        The same arguments always give the same channel. It checks nothing: for the hot
        path, where the asker knows that it has between 1 and 2**32 alternatives.
        """
        name = (stream, process, call)
        known = self._channels.get(name)
        if known is not None:
            return known
        picked = self._picked[name] = []
        if self._drawn:
            made = _drawn(self._words_of(name), picked)
        else:
            made = _fed(self._fed.get(name, {}), picked)
            if self._asked is not None:
                made = _noted(name, made, self._asked)
        self._channels[name] = made
        return made

    def pick(self, stream: str, n: int, *, process: str = "", call: str = "") -> int:
        """Picks one of n alternatives: a value in 0..n-1, 0 being the uneventful one."""
        if not 1 <= n <= ALTERNATIVES_MAX:
            raise TapeError(
                f"the stream {stream!r} was asked to pick from {n} alternatives; "
                f"give it between 1 and 2**32"
            )
        return self.channel(stream, process=process, call=call)(n)

    def decide(self, stream: str, n: int, value: int, *, process: str = "", call: str = "") -> int:
        """Makes a pick whose value the asker chose itself, or the tape's if one is fed back.

        For strategies that do not draw evenly: what they decide is on the tape in the
        same words, so that feeding the tape back needs no strategy at all. A name is
        either picked or decided, never both, for each has its own count.
        """
        if not self._drawn:
            return self.pick(stream, n, process=process, call=call)
        if not 0 <= value < n <= ALTERNATIVES_MAX:
            raise TapeError(f"the decision {value} is not one of {n}; give a value in 0..n-1")
        name = (stream, process, call)
        nth = self._decided.get(name, 0)
        self._decided[name] = nth + 1
        if value:
            self._picked.setdefault(name, []).append((nth, value, n))
        return value

    def strikes(
        self, stream: str, probability: float, *, process: str = "", call: str = ""
    ) -> bool:
        """A pick of two with uneven odds: whether something rare happens now.

        It draws from the key's own words, as `pick` does. A name is used with one of
        `pick`, `decide` and `strikes`, for each has its own count.
        """
        if not self._drawn:
            return bool(self.pick(stream, 2, process=process, call=call))
        name = (stream, process, call)
        words = self._rare.get(name)
        if words is None:
            words = self._rare[name] = self._words_of(name)
        return bool(
            self.decide(
                stream, 2, int(next(words) < probability * 2**32), process=process, call=call
            )
        )

    @property
    def draws(self) -> bool:
        """Whether picks are drawn from a seed, rather than fed back."""
        return self._drawn

    def chance(self, stream: str) -> Random:
        """Randomness for a strategy to decide with: from the seed, and on no tape.

        Raises TapeError without a seed, for then there is nothing to draw from.
        """
        if not self._drawn:
            raise TapeError("there is no seed to draw from; give the run a seed")
        return Random(int.from_bytes(self._digest_of(("", stream, "")), "little"))

    def tape(self) -> Tape:
        """The non-zero picks made so far."""
        return Tape(
            {
                (*name, nth): (value, n)
                for name, picked in self._picked.items()
                for nth, value, n in picked
            }
        )

    def _words_of(self, name: tuple[str, str, str]) -> Iterator[int]:
        """The channel's endless random words, 32 bits each; one word per pick.

        Most channels are asked a few times only, for which the 16 words of the hash
        do. Setting up a generator costs as much as 50 picks, so only busy channels do.
        """
        digest = self._digest_of(name)
        yield from _words(digest)
        bits = Random(int.from_bytes(digest, "little")).getrandbits
        while True:
            yield bits(32)

    def _digest_of(self, name: tuple[str, str, str]) -> bytes:
        parts = [part.encode() for part in name]
        message = b"".join(len(part).to_bytes(4, "little") + part for part in parts)
        return blake2b(message, key=self._root).digest()


def _drawn(words: Iterator[int], picked: list[tuple[int, int, int]]) -> Channel:
    nth = -1
    draw = words.__next__
    record = picked.append

    def channel(n: int) -> int:
        nonlocal nth
        nth += 1
        value = draw() * n >> 32
        if value:
            record((nth, value, n))
        return value

    return channel


def _fed(values: dict[int, int], picked: list[tuple[int, int, int]]) -> Channel:
    nth = -1

    def channel(n: int) -> int:
        nonlocal nth
        nth += 1
        value = values.get(nth, 0)
        if not 0 <= value < n:
            return 0
        if value:
            picked.append((nth, value, n))
        return value

    return channel


def _noted(name: tuple[str, str, str], fed: Channel, asked: list[tuple[Key, int]]) -> Channel:
    nth = -1

    def channel(n: int) -> int:
        nonlocal nth
        nth += 1
        asked.append(((*name, nth), n))
        return fed(n)

    return channel
