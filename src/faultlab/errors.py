"""The one base class of the errors that faultlab raises."""


class FaultlabError(Exception):
    """The base of faultlab's own errors. Its text names the cause, then the remedy.

    `faultlab.lab` stands alone and raises plain `ValueError` and `AssertionError` instead.
    """
