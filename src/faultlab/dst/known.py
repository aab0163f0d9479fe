"""Names that rules, crashes and latency profiles use, compared with what a simulation has.

A misspelt name would never strike, and a sweep that proves nothing would look like any
other. So what can be known before the first seed is checked there; what can't be known, such
as routes that are made on first use, ends as 'never struck'.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from faultlab.dst.context import MappedDeps
from faultlab.dst.errors import SimulationError
from faultlab.dst.faults import CrashPolicy, FaultRule
from faultlab.dst.settings import Settings
from faultlab.mock.surfaces import operations_of
from faultlab.naming import nearest


@dataclass(frozen=True, kw_only=True)
class Known:
    """What a simulation has.

    Attributes:
        surfaces: Operations by surface; None instead of them: they are not known.
        routes: Routes by surface, of surfaces whose routes are all known.
        complete: Whether there are no other surfaces.
    """

    surfaces: Mapping[str, frozenset[str] | None]
    routes: Mapping[str, frozenset[str]]
    complete: bool


MESSAGES = {"message": frozenset({"send"})}
"""What the nodes of a cluster have beside their ports."""


def known_to(
    deps: object, seen: Collection[tuple[str, str, str]], *, messages: bool = False
) -> Known:
    """What dependencies say that they have, and what a first run called.

    With `messages` there is the surface by which nodes send each other messages besides.

    Dependencies of your own say it with a method `surfaces()` that returns
    `{"surface": {"operation", ...}}`, or None in place of the operations. Without it, no
    name is refused.

    Raises:
        SimulationError: `surfaces()` returned something else.
    """
    declared = _declared(deps)
    surfaces: dict[str, frozenset[str] | None] = dict(declared or {})
    surfaces |= MESSAGES if messages else {}
    for surface, _, op in seen:
        ops = surfaces.get(surface, frozenset() if declared is None else None)
        surfaces[surface] = None if ops is None else ops | {op}
    routes: dict[str, frozenset[str]] = {}
    if isinstance(deps, MappedDeps):
        for surface, route in deps.objects:
            routes[surface] = routes.get(surface, frozenset()) | {route}
        for surface, route, _ in seen:
            routes[surface] = routes.get(surface, frozenset()) | {route}
    return Known(surfaces=surfaces, routes=routes, complete=declared is not None)


def _declared(deps: object) -> dict[str, frozenset[str] | None] | None:
    """What dependencies say; None if they say nothing."""
    if isinstance(deps, MappedDeps):
        mapped: dict[str, frozenset[str] | None] = {}
        for (surface, _), target in deps.objects.items():
            own, before = operations_of(target), mapped.get(surface, frozenset())
            mapped[surface] = None if own is None or before is None else own | before
        return mapped
    surfaces = getattr(deps, "surfaces", None)
    if surfaces is None:
        return None
    said: Any = surfaces() if callable(surfaces) else surfaces
    if not isinstance(said, Mapping) or not all(_is_ops(ops) for ops in said.values()):
        raise SimulationError(
            f"{type(deps).__name__}.surfaces gives {said!r}; give a mapping "
            '{"surface": {"operation", ...}}, with None for operations that are not known'
        )
    return {name: None if ops is None else frozenset(ops) for name, ops in said.items()}


def _is_ops(ops: object) -> bool:
    return ops is None or (isinstance(ops, Collection) and not isinstance(ops, str))


def check_names(config: Settings, known: Known) -> None:
    """Compares every name in rules, crash and latency with what there is.

    Raises:
        SimulationError: A surface, a route or an operation is unknown; with the nearest one.
    """
    if not known.complete:
        return
    rules: list[FaultRule | CrashPolicy] = [*config.faults]
    rules += [config.crash] if config.crash else []
    for where in rules:
        _check_surface(where.label, where.surface, known)
        _check_route(where, known)
        _check_op(where, known)
    for surface in config.latency:
        _check_surface(f"latency of {surface}", surface, known)
    if config.cluster is not None:
        for surface in sorted(config.cluster.partitions.surfaces):
            _check_surface(f"partitions of {surface}", surface, known)


def _check_surface(label: str, surface: str, known: Known) -> None:
    if surface and surface not in known.surfaces:
        raise SimulationError(
            f"{label}: there is no surface {surface!r}.{nearest(surface, known.surfaces)} "
            f"Known: {_listed(known.surfaces)}."
        )


def _check_route(where: FaultRule | CrashPolicy, known: Known) -> None:
    surfaces = [where.surface] if where.surface else list(known.surfaces)
    if not where.route or not all(surface in known.routes for surface in surfaces):
        return
    routes = {route for surface in surfaces for route in known.routes[surface]}
    if where.route not in routes:
        raise SimulationError(
            f"{where.label}: there is no route {where.route!r}.{nearest(where.route, routes)} "
            f"Known: {_listed(routes)}."
        )


def _check_op(where: FaultRule | CrashPolicy, known: Known) -> None:
    surfaces = [where.surface] if where.surface else list(known.surfaces)
    ops: set[str] = set()
    for surface in surfaces:
        its = known.surfaces[surface]
        if its is None:
            return
        ops |= its
    if not where.op or where.op in ops:
        return
    others = [name for name, its in known.surfaces.items() if where.op in (its or ())]
    elsewhere = f" It is one of {', '.join(sorted(others))}." if others else ""
    of = f"{where.surface} has" if where.surface else "there is"
    raise SimulationError(
        f"{where.label}: {of} no operation {where.op!r}."
        f"{elsewhere or nearest(where.op, ops)} Known: {_listed(ops)}."
    )


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"
