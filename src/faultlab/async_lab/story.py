"""The story that is run: one debit, one consumer, one fault, a broker that redelivers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from faultlab.async_lab import durable, naive
from faultlab.async_lab.faults import FAULTS, one_fault
from faultlab.async_lab.ports import Task
from faultlab.errors import FaultlabError
from faultlab.kernel import Event, current, run
from faultlab.mock import Broker, Delivery, Journal, ReceiverPort, port
from faultlab.naming import nearest

ModeName = Literal["naive", "durable"]
MODES: Final[tuple[str, ...]] = get_args(ModeName)

DEBIT: Final = Task(tenant="tenant-a", operation="order-42", amount_minor=1200)

DELIVERIES_MAX: Final = 10
"""A story with one fault needs two deliveries; more than this is a mistake in the model."""

_HANDLERS: Final[dict[str, Callable[..., Awaitable[None]]]] = {
    "naive": naive.handle,
    "durable": durable.handle,
}


class AsyncLabError(FaultlabError, ValueError):
    """A fault or a mode that does not exist, or a story that does not end."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What one run of the story left behind.

    Attributes:
        history: The kernel's events, in order.
        digest: The history's digest.
        fault_exercised: Whether the fault really struck.
        deliveries: How often the broker handed the task over.
        effects: How often the receiver took effect.
        results_recorded: How many results the journal holds.
    """

    history: list[Event]
    digest: str
    fault_exercised: bool
    deliveries: int
    effects: int
    results_recorded: int


def tell(fault: str, mode: str) -> Told:
    """Run the story once, deterministically.

    Raises:
        AsyncLabError: There is no such fault or mode; the message names those there are.
    """
    _check("fault", fault, FAULTS)
    _check("mode", mode, MODES)
    broker, journal, receiver = Broker(), Journal(), ReceiverPort()
    last: list[Delivery] = []
    policy = one_fault(fault, deliver_again=lambda: broker.deliver_again(last[-1]))

    async def consume() -> None:
        await broker.publish(DEBIT)
        for _ in range(DELIVERIES_MAX):
            delivery = await broker.receive()
            if delivery is None:
                return
            last.append(delivery)
            worker = current().start("worker", lambda: _work(mode, last[-1], broker, ports))
            await worker.ended()
        raise AsyncLabError(
            f"the task was delivered {DELIVERIES_MAX} times and is still not acknowledged. "
            "A runtime has to return for its delivery to be acknowledged."
        )

    ports = {
        "receiver": port(receiver, surface="receiver", route="debits"),
        "journal": port(journal, surface="journal", route="results"),
    }
    made = run(consume, policy=policy)
    if made.error is not None:
        raise made.error
    return Told(
        history=list(made.history),
        digest=made.digest,
        fault_exercised=policy.exercised,
        deliveries=broker.deliveries,
        effects=len(receiver.receiver.effects),
        results_recorded=len(journal.results),
    )


async def _work(mode: str, delivery: Delivery, broker: Broker, ports: dict[str, Any]) -> None:
    """What a worker process does with one delivery: handle it, and acknowledge if that returns."""
    try:
        await _HANDLERS[mode](delivery.message, delivery.number, **ports)
    except TimeoutError:
        # No retry in here: an unacknowledged task comes back by itself.
        return
    await port(broker, surface="broker", route="tasks").acknowledge(delivery)


def _check(what: str, name: str, allowed: tuple[str, ...]) -> None:
    if type(name) is not str or name not in allowed:
        suggestion = nearest(name, allowed) if isinstance(name, str) else ""
        raise AsyncLabError(
            f"there is no {what} {name!r}.{suggestion} Allowed: {', '.join(allowed)}."
        )
