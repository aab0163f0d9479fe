"""What command lines and markers give as text: seeds, and the name of a search."""

from collections.abc import Callable
from typing import Final

from faultlab.dst.errors import SimulationError
from faultlab.dst.strategies import PCT, Exhaustive, Fifo, Holds, Portfolio, RandomStep, Search
from faultlab.naming import nearest

_SEARCHES: Final[dict[str, Callable[[], Search]]] = {
    "portfolio": Portfolio,
    "pct": PCT,
    "random": RandomStep,
    "fifo": Fifo,
    "holds": Holds,
    "exhaustive": Exhaustive,
}

SEARCHES: Final = tuple(_SEARCHES)
"""The searches by the names that command line and marker take."""


def seeds_from(text: str) -> range:
    """Seeds from text: `256` for 0 to 255, `100:200` for 100 to 199.

    Raises:
        SimulationError: The text is neither, or there is no seed between the two.
    """
    first, colon, last = text.strip().partition(":")
    numbers = [first, last] if colon else ["0", first]
    if not all(number.isascii() and number.isdigit() for number in numbers):
        raise SimulationError(
            f"{text!r} names no seeds; give their number, such as 256, or a range, such as 100:200"
        )
    seeds = range(int(numbers[0]), int(numbers[1]))
    if not seeds:
        raise SimulationError(f"there are no seeds in {text!r}; give at least one, such as 100:101")
    return seeds


def search_from(name: str, *, depth: int | None = None, decisions: int | None = None) -> Search:
    """The search of that name.

    Args:
        name: One of SEARCHES.
        depth: For `pct`: ordering constraints that the bug may need.
        decisions: For `exhaustive`: the bound.

    Raises:
        SimulationError: There is no search of that name, or it takes no such number.
    """
    if name not in _SEARCHES:
        raise SimulationError(
            f"there is no search {name!r}.{nearest(name, SEARCHES)} Known: {', '.join(SEARCHES)}."
        )
    for given, what, owner in ((depth, "depth", "pct"), (decisions, "decisions", "exhaustive")):
        if given is not None and name != owner:
            raise SimulationError(
                f"the search {name!r} takes no {what}; leave it out, or search with {owner!r}"
            )
    if depth is not None:
        return PCT(depth=depth)
    if decisions is not None:
        return Exhaustive(decisions_max=decisions)
    return _SEARCHES[name]()
