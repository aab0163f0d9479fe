"""What can be searched: a program, or anything with `run(config)`, such as a Simulation."""

import sys
from typing import Protocol, TypeAlias, runtime_checkable

from faultlab.dst import Report, SimulationConfig, check
from faultlab.dst.attempt import ProgramTrial, Trial, name_of
from faultlab.dst.simulation import name_in_modules
from faultlab.kernel import Program


@runtime_checkable
class Runnable(Protocol):
    """A simulation: it searches itself."""

    def run(self, config: SimulationConfig | None = None) -> Report:
        """Searches, and reports."""
        ...

    def trial(self, config: SimulationConfig) -> Trial:
        """What its sweep runs again and again."""
        ...


Target: TypeAlias = Program | Runnable
"""A program, or a simulation."""


def search(target: Target, config: SimulationConfig) -> Report:
    """The report of a search of it."""
    return target.run(config) if isinstance(target, Runnable) else check(target, config)


def trial_of(target: Target, config: SimulationConfig) -> Trial:
    """What a search of it runs again and again."""
    if isinstance(target, Runnable):
        return target.trial(config)
    return ProgramTrial(program=target, steps_max=config.steps_max)


def name_of_target(target: Target) -> str:
    """`module:attribute`, as tokens have it."""
    return trial_of(target, SimulationConfig()).name


def place_of(target: Target) -> tuple[str, str] | None:
    """The imported module that it stands in under its name, and that name; None: in none."""
    if isinstance(target, Runnable):
        name = name_in_modules(target, own_name=False)
        if name is None:
            return None
        module, _, attribute = name.partition(":")
        return module, attribute
    found: object = sys.modules.get(target.__module__)
    for part in target.__qualname__.split("."):
        found = getattr(found, part, None)
    return (target.__module__, name_of(target).partition(":")[2]) if found is target else None
