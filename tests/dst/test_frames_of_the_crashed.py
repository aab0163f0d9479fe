"""What a crashed process leaves behind is closed after the run, and is no finding."""

from typing import Any

import pytest

from faultlab.dst import Context, CrashPolicy, Operation, Simulation, SimulationConfig


async def pay(ctx: Context, order: str) -> None:
    await ctx.port("receiver", "payments").debit(key=order, fingerprint=(order,))


async def pay_and_wrap_errors(ctx: Context, order: str) -> None:
    try:
        await pay(ctx, order)
    except BaseException as error:
        raise ValueError("not paid") from error


@pytest.mark.parametrize("operation", [pay, pay_and_wrap_errors])
def test_calls_that_a_crash_cuts_off_end_with_no_error(operation: Any) -> None:
    simulation = Simulation([Operation(operation, order=["a", "b"])], calls=4)
    report = simulation.run(SimulationConfig.quick(crash=CrashPolicy(surface="receiver")))
    assert report.verdict == "clean", report.format()
    assert report.exercised["crash at receiver/*/*"] > 20
