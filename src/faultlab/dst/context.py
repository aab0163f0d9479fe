"""What an operation is given: ports, a clock, marks; and nothing of the simulator."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol, cast

from faultlab.dst.errors import SimulationError
from faultlab.dst.liveness import reached
from faultlab.kernel import record
from faultlab.mock import port
from faultlab.naming import nearest


class Deps(Protocol):
    """Where ports come from: anything with such a method."""

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route."""
        ...


class Context:
    """The first argument of operations, set-up, recovery and observation.

    Args:
        deps: Where ports come from.
        node_id: The number of the node, in a cluster.

    Attributes:
        node_id: The number of the node; None outside of a cluster.
    """

    def __init__(self, deps: Deps, node_id: int | None = None) -> None:
        self._deps = deps
        self.node_id = node_id

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route, behind the call gate."""
        return self._deps.port(surface, route)

    def now_s(self) -> float:
        """Virtual seconds since the run began; a port 'clock' can be wrong, this is not."""
        return asyncio.get_running_loop().time()

    def record(self, kind: str, /, **fields: Any) -> None:
        """Records an event that invariants can look at, with plain values as fields."""
        record(kind, **fields)

    def reached(self, label: str, /, **detail: Any) -> None:
        """Marks a place that a sweep must have seen."""
        reached(label, **detail)


class MappedDeps:
    """Ports over objects of your own: `{("payments", "stripe"): client}`.

    Each is put behind the call gate under its surface and route.
    """

    def __init__(self, objects: Mapping[tuple[str, str], Any]) -> None:
        self._ports = {
            (surface, route): port(target, surface=surface, route=route)
            for (surface, route), target in objects.items()
        }

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route.

        Raises:
            SimulationError: There is none.
        """
        try:
            return self._ports[surface, route]
        except KeyError:
            names = ["/".join(key) for key in self._ports]
            wanted = f"{surface}/{route}"
            raise SimulationError(
                f"there is no port {wanted!r}.{nearest(wanted, names)} "
                f"Allowed: {', '.join(sorted(names))}."
            ) from None


def deps_of(made: object) -> Deps:
    """What `deps` returned, as something that gives ports."""
    if callable(getattr(made, "port", None)):
        return cast(Deps, made)
    if isinstance(made, Mapping):
        return MappedDeps(made)
    raise SimulationError(
        f"deps returned {type(made).__name__}; return something with a method "
        "port(surface, route), such as MockDepsModule(state=state), or a mapping "
        '{("surface", "route"): object}'
    )
