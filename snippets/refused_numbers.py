"""Names and numbers that the contract experiment can't use, and how it says so.

Page: look-up/errors
"""

# --8<-- [start:run]
from faultlab.idempotency import IdempotencyError, experiment

for wrong in (
    {"key_scope": "tenants"},
    {"second_request": "x"},
    {"conflict_policy": None},
    {"retention_s": "-0.001"},
    {"after_s": float("nan")},
    {"after_s": True},
    {"after_s": "1e3"},
    {"retention_s": "1000000000.001"},
    {"retention_s": 0.0005},
):
    try:
        experiment(**wrong)
    except IdempotencyError as error:
        print(error)
#> there is no key_scope 'tenants'. Did you mean 'tenant'? Allowed: tenant-and-operation, operation, tenant, attempt.
#> there is no second_request 'x'. Allowed: same-intent, changed-amount, other-operation, other-tenant.
#> there is no conflict_policy None. Allowed: enforce, ignore.
#> retention_s='-0.001' is negative. Give 0 or more seconds.
#> after_s=nan is not a finite number in digits. Give seconds, for example 3600 or 0.5.
#> after_s=True is not a finite number in digits. Give seconds, for example 3600 or 0.5.
#> after_s='1e3' is not a finite number in digits. Give seconds, for example 3600 or 0.5.
#> retention_s='1000000000.001' is more than 1000000000 seconds. Give a smaller number.
#> retention_s=0.0005 is finer than a millisecond. Give at most three decimals.
edge = experiment(retention_s=1_000_000_000, after_s=" -.0 ")
for used in (edge, experiment(after_s="2.5"), experiment()):
    print(*used["inputs"].values())
#> tenant-and-operation same-intent enforce 1000000000 0
#> tenant-and-operation same-intent enforce 86400 2.5
#> tenant-and-operation same-intent enforce 86400 3600
# --8<-- [end:run]
