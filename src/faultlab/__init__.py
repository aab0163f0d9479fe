"""Failures in which the effect happened and the record of it did not."""

from faultlab.errors import FaultlabError
from faultlab.lab import Lab

__all__ = ["FaultlabError", "Lab", "__version__"]

__version__ = "0.1.0"
