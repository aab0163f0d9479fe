"""Ports by surface and route over one state: what a process of a simulation is given."""

from typing import Any, Final

from faultlab.mock.ports import port
from faultlab.mock.state import STORES, SURFACES, MockState

_SURFACE_BY_OP: Final[dict[str, dict[str, str]]] = {
    kind: {
        op: surface for surface, ops in SURFACES.items() if STORES[surface] == kind for op in ops
    }
    for kind in set(STORES.values())
}


class MockDepsModule:
    """The dependencies of one process: the stores of a state, each behind the call gate.

    Args:
        state: The stores. Several processes that share a state share what is in it.
    """

    def __init__(self, *, state: MockState | None = None) -> None:
        self.state = MockState() if state is None else state
        self._ports: dict[tuple[str, str], Any] = {}

    def surfaces(self) -> dict[str, frozenset[str] | None]:
        """Operations by surface; None instead of them where they are not known."""
        return self.state.surfaces()

    def port(self, surface: str, route: str) -> Any:
        """The store of that surface and route, behind the gate; made on first use.

        It has the store's whole set of methods. A call stands in the history under the surface
        that its operation belongs to, so `get` is a `document_query` through either port.

        Raises:
            StateError: There is no such surface.
        """
        made = self._ports.get((surface, route))
        if made is None:
            store = self.state.store(surface, route)
            by_op = _SURFACE_BY_OP.get(STORES.get(surface, surface), {})
            made = port(store, surface=surface, route=route, surface_by_op=by_op)
            self._ports[surface, route] = made
        return made
