"""Which search each seed gets by default.

Page: simulate/exploration-strategies
"""

# --8<-- [start:run]
from faultlab import dst

portfolio = dst.Portfolio()
for first in range(0, 16, 4):
    turns = range(first, first + 4)
    print(" | ".join(f"{n}: {portfolio.member(n).label}" for n in turns))
#> 0: holds by place | 1: PCT, depth 2 | 2: PCT, depth 3 | 3: holds by place
#> 4: PCT, depth 2 | 5: PCT, depth 3 | 6: holds and pauses | 7: PCT, depth 2
#> 8: PCT, depth 3 | 9: holds and pauses | 10: PCT, depth 2 | 11: PCT, depth 3
#> 12: holds and pauses | 13: PCT, depth 2 | 14: PCT, depth 3 | 15: random step
# --8<-- [end:run]
