"""Deterministic simulation testing: find the schedule in which a program fails.

`check(program)` runs a zero-argument async function over many schedules from one seed
each, confirms the first that fails, makes it as small as it can, and tells it in words.
"""

from faultlab.dst.attempt import Rule
from faultlab.dst.check import check
from faultlab.dst.config import Progress, SimulationConfig
from faultlab.dst.errors import NondeterminismError, SimulationError, SimulationFailed
from faultlab.dst.places import Line
from faultlab.dst.places_held import HoldsByPlace
from faultlab.dst.report import Finding, Report
from faultlab.dst.strategies import PCT, Exhaustive, Fifo, Holds, Portfolio, RandomStep
from faultlab.dst.token import Token
from faultlab.dst.watch import Step, TaskAt
from faultlab.dst.words import Decision

__all__ = [
    "PCT",
    "Decision",
    "Exhaustive",
    "Fifo",
    "Finding",
    "Holds",
    "HoldsByPlace",
    "Line",
    "NondeterminismError",
    "Portfolio",
    "Progress",
    "RandomStep",
    "Report",
    "Rule",
    "SimulationConfig",
    "SimulationError",
    "SimulationFailed",
    "Step",
    "TaskAt",
    "Token",
    "check",
]
