"""How long one way of a port call takes, as a pick of 64 quantiles.

The uneventful answer, 0, is the median. So a latency that matters to a bug is one decision
on the tape, and 'as slow as it usually is' is none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import erf, exp, inf, isfinite, log, sqrt
from typing import TypeAlias

from faultlab.dst.errors import SimulationError

QUANTILES = 64
"""How many different values a latency can take."""


@dataclass(frozen=True, kw_only=True)
class LatencyProfile:
    """The distribution of a latency, as its quantiles in ascending order, in seconds.

    Make one with `constant`, `uniform`, `exponential`, `lognormal` or `pareto`.

    Attributes:
        name: For reports: `exponential, median 0.005 s`.
        quantiles_s: One value for a constant, else 64: of the probabilities
            (i + 0.5) / 64.
    """

    name: str
    quantiles_s: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.quantiles_s) not in (1, QUANTILES):
            raise SimulationError(
                f"a latency profile has {len(self.quantiles_s)} quantiles; give 1 or {QUANTILES}"
            )
        if any(not 0 <= value < inf for value in self.quantiles_s):
            raise SimulationError(
                f"the latency profile {self.name} has a value that is no time; "
                "give finite seconds from 0"
            )

    @classmethod
    def constant(cls, delay_s: float) -> "LatencyProfile":
        """Always the same: no pick is made for it."""
        return cls(name=f"constant {delay_s:g} s", quantiles_s=(delay_s,))

    @classmethod
    def uniform(cls, least_s: float, most_s: float) -> "LatencyProfile":
        """Evenly between two bounds."""
        if not least_s <= most_s:
            raise SimulationError(
                f"a uniform latency from {least_s} s to {most_s} s was asked for; "
                "give the smaller one first"
            )
        return cls._of(
            f"uniform {least_s:g} to {most_s:g} s", lambda p: least_s + p * (most_s - least_s)
        )

    @classmethod
    def exponential(cls, median_s: float) -> "LatencyProfile":
        """Memoryless: short mostly, now and then several times the median."""
        _positive("median_s", median_s)
        rate = log(2) / median_s
        return cls._of(f"exponential, median {median_s:g} s", lambda p: -log(1 - p) / rate)

    @classmethod
    def lognormal(cls, median_s: float, sigma: float = 1.0) -> "LatencyProfile":
        """A long tail: the logarithm is normal with standard deviation `sigma`."""
        _positive("median_s", median_s)
        _positive("sigma", sigma)
        return cls._of(
            f"lognormal, median {median_s:g} s, sigma {sigma:g}",
            lambda p: median_s * exp(sigma * _normal_quantile(p)),
        )

    @classmethod
    def pareto(cls, least_s: float, alpha: float = 1.5) -> "LatencyProfile":
        """The heaviest tail: P(longer than t) = (least_s / t) ** alpha."""
        _positive("least_s", least_s)
        _positive("alpha", alpha)
        return cls._of(
            f"Pareto, at least {least_s:g} s, alpha {alpha:g}",
            lambda p: least_s * float((1 - p) ** (-1 / alpha)),
        )

    @classmethod
    def _of(cls, name: str, quantile: "Quantile") -> "LatencyProfile":
        values = tuple(round(quantile((i + 0.5) / QUANTILES), 9) for i in range(QUANTILES))
        return cls(name=name, quantiles_s=values)

    @property
    def median_s(self) -> float:
        """What the uneventful answer gives."""
        return self.at(0)

    def at(self, pick: int) -> float:
        """The seconds of a pick: 0 the median, then alternately a step shorter and longer."""
        if len(self.quantiles_s) == 1:
            return self.quantiles_s[0]
        middle = QUANTILES // 2
        away = (pick + 1) // 2
        return self.quantiles_s[middle - away if pick % 2 else middle + away]


Quantile: TypeAlias = Callable[[float], float]


def _positive(name: str, value: float) -> None:
    if not (isfinite(value) and value > 0):
        raise SimulationError(f"{name} is {value}; give a positive, finite number")


def _normal_quantile(p: float) -> float:
    """The standard normal quantile, by bisection: fast enough for 64 values."""
    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        if 0.5 * (1 + erf(middle / sqrt(2))) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2
