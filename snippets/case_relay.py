"""A relay dispatches a message and fails to mark it. The consumer's inbox is what helps.

Page: review/cases/relayed-twice
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Crash, Journal, OneFault, ReceiverPort, port


def relay(inbox):
    marks, consumer = Journal(), ReceiverPort()

    async def dispatch(attempt):
        transport = port(consumer, surface="receiver", route="messages")
        marked = port(marks, surface="journal", route="outbox")
        key = "message-1" if inbox else f"arrival-{attempt}"
        await transport.debit(key=key, fingerprint=("message-1",))
        await marked.append("message-1", 1)

    async def until_marked():
        for attempt in (1, 2):
            if not marks.results:
                await current().start("relay", lambda n=attempt: dispatch(n)).ended()

    crash = OneFault(Crash(), surface="journal", op="append", when="before")
    run(until_marked, policy=crash)
    return len(consumer.receiver.effects), f"crash: {crash.exercised}"


print("handled without an inbox:", *relay(inbox=False))
#> handled without an inbox: 2 crash: True
print("handled with an inbox:", *relay(inbox=True))
#> handled with an inbox: 1 crash: True
# --8<-- [end:run]
