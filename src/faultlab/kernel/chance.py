"""Chance: the randomness that simulated code finds in `random` and `os.urandom`.

Every incarnation of a process has its own, as real processes do: what one draws moves
no other's values, and a process that starts again does not repeat the keys that it drew
before. All derive from the one pick `World.chance_seed`, so that 'the randomness' of a
run is one decision on its tape.
"""

from hashlib import blake2b
from random import Random
from typing import Any

from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.process import OWNER, Process


class Chance:
    """The two sources of one process, apart: `random.seed(5)` must not make keys repeat."""

    __slots__ = ("entropy", "random", "uuid_memory")

    def __init__(self, process: Process) -> None:
        """Derives both from the seed of the run, the process's name and its incarnation."""
        whose = f"{process.world.chance_seed} {process.incarnation} {process.name}".encode()
        self.random = _derived(whose, b"random")
        """What the functions of the module `random` draw from."""
        self.entropy = _derived(whose, b"entropy")
        """What `os.urandom`, and generators without a seed, draw from."""
        self.uuid_memory: dict[str, Any] = {}
        """What the module `uuid` remembers, so that no identifier comes twice."""


def _derived(whose: bytes, purpose: bytes) -> Random:
    return Random(int.from_bytes(blake2b(whose, person=purpose).digest(), "little"))


def chance_of(loop: VirtualLoop) -> Chance:
    """The chance of the running code's process."""
    process = OWNER.get(loop.main)
    chance = process.chance
    if chance is None:
        chance = process.chance = Chance(process)
    return chance
