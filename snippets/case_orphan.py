"""A resource is created, the run dies before it saves its state, and the next run makes another.

Page: review/cases/stop-or-forget
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Crash, OneFault, ReceiverPort, port


def two_runs(name_first):
    state, receiver = {}, ReceiverPort()

    async def apply(number):
        cloud = port(receiver, surface="receiver", route="cloud")
        name = state.get("name", f"server-{number}")
        if name_first:
            state["name"] = name  # saved before the resource exists
        await cloud.debit(key=name, fingerprint=("server",))
        state["name"] = name

    async def twice():
        for number in (1, 2):
            await current().start("run", lambda number=number: apply(number)).ended()

    crash = OneFault(Crash(), surface="receiver", op="debit")
    run(twice, policy=crash)
    made = [effect.request.key for effect in receiver.receiver.effects]
    return [name for name in made if name != state["name"]], f"crash: {crash.exercised}"


print("saved at the end, orphans:", *two_runs(name_first=False))
#> saved at the end, orphans: ['server-1'] crash: True
print("named first, orphans:", *two_runs(name_first=True))
#> named first, orphans: [] crash: True
# --8<-- [end:run]
