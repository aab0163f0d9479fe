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
#> 0.0050 0.0050 0.0050 0.0050 0.0050 constant 0.005 s
#> 0.0051 0.0049 0.0052 0.0089 0.0011 uniform 0.001 to 0.009 s
#> 0.0051 0.0049 0.0053 0.0350 0.0001 exponential, median 0.005 s
#> 0.0051 0.0049 0.0053 0.0561 0.0004 lognormal, median 0.005 s, sigma 1
#> 0.0080 0.0079 0.0082 0.1270 0.0050 Pareto, at least 0.005 s, alpha 1.5
# --8<-- [end:run]
