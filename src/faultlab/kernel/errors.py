"""What the kernel raises when it is misused."""

from faultlab.errors import FaultlabError


class KernelError(FaultlabError):
    """The kernel was asked for something that it does not do."""


class RealWorldCall(KernelError):
    """Simulated code called something that leaves the simulation.

    Raised at the call, and once more by `run`, so that code which swallows it is not
    mistaken for a simulation that worked.
    """


class TapeError(KernelError):
    """A tape of choices, or a pick, is malformed."""


class HistoryError(KernelError):
    """A history holds something that has no canonical JSON, or was read too early."""
