"""A client wrapped in one line: outside of a run nothing is in the way.

Page: simulate/ports
"""

# --8<-- [start:client]
import asyncio

from faultlab.mock import port


class Mail:
    sender = "shop"

    async def send(self, to):
        return f"{self.sender} to {to}"


mail = port(Mail(), surface="mail", route="smtp")
print(asyncio.run(mail.send("ada")), mail.sender, isinstance(mail, Mail))
#> shop to ada shop True
# --8<-- [end:client]

# --8<-- [start:run]
from faultlab.dst import Call, FaultRule, Simulation, SimulationConfig


async def confirm(ctx):
    await ctx.port("mail", "smtp").send("ada")


simulation = Simulation(
    deps=lambda state: {("mail", "smtp"): Mail()}, calls=[Call(confirm)]
)
lost = FaultRule(kind="lost-reply", surface="mail", probability=0.5)
report = simulation.run(SimulationConfig.quick(faults=[lost]))
print(report.explain(), end="")
#> clean: ports_wrap_a_client:simulation
#>
#> Searched: portfolio, 64 runs, 576 steps, 64 of 64 seeds
#>   lost-reply at mail/*/*: in 28 of 64 runs
# --8<-- [end:run]
