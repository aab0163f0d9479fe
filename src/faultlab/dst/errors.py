"""What the simulator raises when it is misused, or when what it runs cannot be trusted."""

from faultlab.errors import FaultlabError


class SimulationError(FaultlabError):
    """A simulation was asked for something that makes no sense, found before its first seed."""


class NondeterminismError(FaultlabError):
    """The same decisions gave two different runs, so that neither proves anything."""


class SimulationFailed(FaultlabError, AssertionError):
    """A report was expected to be clean and is not. The text is the report."""
