"""Deterministic simulation testing: find the schedule in which a program fails.

`check(program)` runs a zero-argument async function over many schedules from one seed
each, confirms the first that fails, makes it as small as it can, and tells it in words.
"""

from faultlab.dst.attempt import Rule
from faultlab.dst.check import check
from faultlab.dst.cluster import Cluster, ClusterConfig, NodePause, Partition, PartitionSchedule
from faultlab.dst.config import Progress, SimulationConfig
from faultlab.dst.context import Context
from faultlab.dst.errors import NondeterminismError, SimulationError, SimulationFailed
from faultlab.dst.faults import FAULTS, CallFailed, CrashPolicy, FaultRule, Unreachable
from faultlab.dst.invariants import (
    completes_within,
    eventually,
    expect,
    linearizable,
    monotonic_reads,
    mutual_exclusion,
    no_duplicate_effect,
    no_lost_update,
    no_unexpected_error,
    reached,
    read_your_writes,
    serializable,
)
from faultlab.dst.latency import LatencyProfile
from faultlab.dst.places import Line
from faultlab.dst.places_held import HoldsByPlace
from faultlab.dst.report import Finding, Report
from faultlab.dst.simulation import Simulation
from faultlab.dst.strategies import PCT, Exhaustive, Fifo, Holds, Portfolio, RandomStep
from faultlab.dst.token import Token
from faultlab.dst.watch import Step, TaskAt
from faultlab.dst.words import Decision
from faultlab.dst.workload import Call, Operation

__all__ = [
    "FAULTS",
    "PCT",
    "Call",
    "CallFailed",
    "Cluster",
    "ClusterConfig",
    "Context",
    "CrashPolicy",
    "Decision",
    "Exhaustive",
    "FaultRule",
    "Fifo",
    "Finding",
    "Holds",
    "HoldsByPlace",
    "LatencyProfile",
    "Line",
    "NodePause",
    "NondeterminismError",
    "Operation",
    "Partition",
    "PartitionSchedule",
    "Portfolio",
    "Progress",
    "RandomStep",
    "Report",
    "Rule",
    "Simulation",
    "SimulationConfig",
    "SimulationError",
    "SimulationFailed",
    "Step",
    "TaskAt",
    "Token",
    "Unreachable",
    "check",
    "completes_within",
    "eventually",
    "expect",
    "linearizable",
    "monotonic_reads",
    "mutual_exclusion",
    "no_duplicate_effect",
    "no_lost_update",
    "no_unexpected_error",
    "reached",
    "read_your_writes",
    "serializable",
]
