"""Seeded chance: `random`, `os.urandom`, `secrets` and `uuid` draw from the run's own seed."""

import random
import uuid
from asyncio import _get_running_loop
from typing import Any

from faultlab.kernel.chance import chance_of
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.process import OWNER
from faultlab.kernel.stand_ins import Function, Maker, Outside, instead, rows

_MULTICAST = 1 << 40  # marks a node number that belongs to no network card

_UUID_MEMORY = {
    "_last_timestamp": None,
    "_last_timestamp_v6": None,
    "_last_timestamp_v7": None,
    "_last_counter_v7": 0,
}
"""What the module `uuid` remembers, as it is when nothing has been made yet."""


def _draw(original: Function) -> Function:
    """A function of `random`: the method of that name, on the generator of the process.

    As `instead`, but with one call less: randomness is drawn often.
    """
    name = original.__name__

    def stand_in(_: object, /, *args: Any, **kwargs: Any) -> Any:
        loop = _get_running_loop()
        if type(loop) is VirtualLoop and loop.virtual:
            chance = OWNER.get(loop.main).chance or chance_of(loop)
            method = getattr(chance.random, name)
            return method(*args, **kwargs) if kwargs else method(*args)
        return original(*args, **kwargs)

    return stand_in


def _seed_the_process(loop: VirtualLoop, _: Function, *args: Any, **kwargs: Any) -> None:
    chance_of(loop).random.seed(*args, **kwargs)  # which may be without a seed: see `_seed`


def _seed(
    loop: VirtualLoop, original: Function, self: Any, a: Any = None, *args: Any, **kwargs: Any
) -> None:
    """`Random.seed`: without a seed, from what stands for the system's entropy."""
    original(self, chance_of(loop).entropy.getrandbits(256) if a is None else a, *args, **kwargs)


def _entropy(loop: VirtualLoop, _: Function, size: int, *_flags: Any, **__: Any) -> bytes:
    if size < 0:
        raise ValueError("negative argument not allowed")
    return chance_of(loop).entropy.randbytes(size)


def _node(loop: VirtualLoop, _: Function) -> int:
    memory = chance_of(loop).uuid_memory
    if "node" not in memory:
        memory["node"] = chance_of(loop).entropy.getrandbits(48) | _MULTICAST
    return int(memory["node"])


def _remembering(loop: VirtualLoop, original: Function, *args: Any, **kwargs: Any) -> Any:
    """A function of `uuid` that looks at the last one made: each process has its own last."""
    chance, module = chance_of(loop), vars(uuid)
    known = [name for name in _UUID_MEMORY if name in module]
    outer = {name: module[name] for name in known}
    module.update({name: chance.uuid_memory.get(name, _UUID_MEMORY[name]) for name in known})
    try:
        return original(*args, **kwargs)
    finally:
        chance.uuid_memory.update({name: module[name] for name in known})
        module.update(outer)


def _time_based(
    loop: VirtualLoop, original: Function, node: int | None = None, clock_seq: int | None = None
) -> Any:
    """uuid1 and uuid6; with a sequence given, uuid1 asks no library of the system."""
    if clock_seq is None:
        clock_seq = chance_of(loop).entropy.getrandbits(14)
    return _remembering(loop, original, node, clock_seq)


def _names(maker: Maker, *, of: Any) -> tuple[Outside, ...]:
    """The module's functions: the methods of its one hidden generator."""
    calls = (
        f"random.{name}"
        for name in random.__all__
        if name != "seed" and getattr(getattr(random, name), "__self__", None) is of
    )
    return rows(
        "seeded", "drawn from the run's seed, for each process apart", maker, " ".join(calls)
    )


CHANCE: tuple[Outside, ...] = (
    *_names(_draw, of=random.seed.__self__),  # type: ignore[attr-defined]
    *rows("seeded", "seeds the process's own", instead(_seed_the_process), "random.seed"),
    *rows(
        "seeded",
        "without a seed, from the run's; with one, as always",
        instead(_seed),
        "random.Random.seed",
    ),
    *rows("seeded", "without a seed, from the run's", None, "random.Random"),
    *rows("seeded", "through os.urandom", None, "random.SystemRandom"),
    *rows(
        "seeded",
        "drawn from the run's seed, and not moved by random.seed()",
        instead(_entropy),
        "os.urandom os.getrandom",
    ),
    *rows(
        "seeded",
        "through os.urandom",
        None,
        "secrets.token_bytes secrets.token_hex secrets.token_urlsafe secrets.randbits "
        "secrets.randbelow secrets.choice",
    ),
    *rows("seeded", "through os.urandom", None, "uuid.uuid4"),
    *rows(
        "seeded",
        "drawn from the run's seed, once for each process",
        instead(_node),
        "uuid.getnode",
    ),
    *rows(
        "seeded",
        "virtual time, and the rest drawn from the run's seed",
        instead(_time_based),
        "uuid.uuid1 uuid.uuid6",
    ),
    *rows("seeded", "virtual time and os.urandom", instead(_remembering), "uuid.uuid7"),
    *rows("seeded", "through random.getrandbits", None, "uuid.uuid8"),
)
"""What is drawn from the run's seed inside of a run."""
