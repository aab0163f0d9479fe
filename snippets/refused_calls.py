"""What the kernel and its ports refuse, and how they say it.

Page: look-up/errors
"""

# --8<-- [start:run]
import asyncio

from faultlab.errors import FaultlabError
from faultlab.kernel import Tape, run
from faultlab.mock import Broker, Delivery, ReceiverPort, port


async def thread():
    await asyncio.to_thread(print, "outside")


async def not_async():
    print(port(ReceiverPort(), surface="receiver", route="debits").receiver)


async def never_delivered():
    await Broker().acknowledge(Delivery(number=7, message="task"))


for program in (thread, not_async, never_delivered):
    try:
        made = run(program)
        print(type(made.error).__name__)
    except FaultlabError as error:
        print(type(error).__name__)
#> RealWorldCall
#> PortError
#> BrokerError
try:
    Tape.from_json([["step", "", "", 0, 5, 2]])
except FaultlabError as error:
    print(type(error).__name__)
    #> TapeError
# --8<-- [end:run]
