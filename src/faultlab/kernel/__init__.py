"""A deterministic simulation kernel for ordinary asyncio code.

`run(program, seed=…)` runs a zero-argument async function in virtual time, one step at
a time, every step chosen by one object that is asked for all picks; the run that comes
back holds result, history, choices and digest, and `run(program, choices=…)` is that
run again. Within `virtual_world()` the program's clocks, chance and files are virtual too.

Rooms, each importing only those before it: errors, choices (the tape), history, process
(with the crash fence), handles, agenda (what waits, and the clock), strategy (which step
is next), forbidden, loop, compat, stage (entering and leaving), gate, world, violations,
burial (closing dead frames), run, portability, chance (of each process), stand_ins (for
calls that would reach outside), virtual_time, virtual_chance, refused, swapping, outside
(the table of them all), escapes.
"""

from faultlab.kernel.choices import ALTERNATIVES_MAX, Channel, Choices, Key, Tape, simplicity
from faultlab.kernel.errors import HistoryError, KernelError, RealWorldCall, TapeError
from faultlab.kernel.escapes import Escape, Escapes
from faultlab.kernel.gate import Call, Gate, Policy
from faultlab.kernel.history import Event, History
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.outside import OUTSIDE, virtual_world
from faultlab.kernel.portability import NOT_PORTABLE, PORTABLE
from faultlab.kernel.process import Ending, Process, Program
from faultlab.kernel.run import STEPS_MAX, Run, run
from faultlab.kernel.stand_ins import Outside
from faultlab.kernel.strategy import PAUSES_S, Fifo, RandomStep, Spoken, Strategy
from faultlab.kernel.violations import StuckTask, Violation, ViolationKind
from faultlab.kernel.virtual_time import EPOCH_S
from faultlab.kernel.world import World, current, record

__all__ = [
    "ALTERNATIVES_MAX",
    "EPOCH_S",
    "NOT_PORTABLE",
    "OUTSIDE",
    "PAUSES_S",
    "PORTABLE",
    "STEPS_MAX",
    "Call",
    "Channel",
    "Choices",
    "Ending",
    "Escape",
    "Escapes",
    "Event",
    "Fifo",
    "Gate",
    "History",
    "HistoryError",
    "KernelError",
    "Key",
    "Outside",
    "Policy",
    "Process",
    "Program",
    "RandomStep",
    "RealWorldCall",
    "Run",
    "Spoken",
    "Strategy",
    "StuckTask",
    "Tape",
    "TapeError",
    "Violation",
    "ViolationKind",
    "VirtualLoop",
    "World",
    "current",
    "record",
    "run",
    "simplicity",
    "virtual_world",
]
