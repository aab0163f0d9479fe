"""A latency is one of 64 quantiles, and pick 0 is the median.

Page: simulate/faults-latency-time
"""

# --8<-- [start:run]
from faultlab.dst import LatencyProfile

for profile in (
    LatencyProfile.constant(0.005),
    LatencyProfile.uniform(0.001, 0.009),
    LatencyProfile.exponential(0.005),
    LatencyProfile.lognormal(0.005, sigma=1.0),
    LatencyProfile.pareto(0.005, alpha=1.5),
):
    picks = [f"{profile.at(pick):.4f}" for pick in (0, 1, 2, 62, 63)]
    print(*picks, profile.name)
# --8<-- [end:run]
