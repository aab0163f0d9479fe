"""The update landed and its reply was lost. Is that a conflict? Read again before you clean up.

Page: review/cases/one-unknown-two-mistakes
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import LostReply, OneFault, ReceiverPort, port


def commit(read_again):
    files, receiver, said = {"metadata-2"}, ReceiverPort(), []

    async def update():
        catalog = port(receiver, surface="receiver", route="catalog")
        try:
            await catalog.debit(key="metadata-2", fingerprint=("table-1",))
        except TimeoutError:
            said.append(read_again(receiver.receiver))
            if said[0] == "conflict":
                files.discard("metadata-2")  # nobody points to it, or so it is thought

    lost = OneFault(LostReply(), surface="receiver", op="debit")
    run(update, policy=lost)
    return *said, "file kept" if files else "live file deleted", lost.exercised


print(*commit(lambda _: "conflict"), sep=" · ")
#> conflict · live file deleted · True
print(*commit(lambda r: "done" if r.lookup("metadata-2") else "conflict"), sep=" · ")
#> done · file kept · True
print(*commit(lambda _: "unknown"), sep=" · ")  # the read fails too
#> unknown · file kept · True
# --8<-- [end:run]
