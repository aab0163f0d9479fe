"""A broker with at-least-once delivery, a visibility timeout and acknowledgement."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from faultlab.errors import FaultlabError
from faultlab.kernel import record

VISIBILITY_TIMEOUT_S: Final = 30.0


class BrokerError(FaultlabError):
    """A delivery was acknowledged that this broker never made."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One handing over of a message to a consumer.

    Attributes:
        number: Counts all deliveries of this broker, from 1.
        message: What was published.
    """

    number: int
    message: Any


class Broker:
    """Hands one message at a time to one consumer until it is acknowledged.

    A message that isn't acknowledged within the visibility timeout is delivered again: the
    broker can't tell a dead consumer from a slow one. Its own state survives every crash.

    Args:
        visibility_timeout_s: Virtual seconds from a delivery to the next one.
    """

    def __init__(self, *, visibility_timeout_s: float = VISIBILITY_TIMEOUT_S) -> None:
        self._timeout_s = visibility_timeout_s
        self._waiting: list[tuple[float, Any]] = []
        self._open: dict[int, Any] = {}
        self.deliveries = 0

    async def publish(self, message: Any) -> None:
        """Take a message that is to be delivered at once."""
        self._waiting.append((self._now_s(), message))

    async def receive(self) -> Delivery | None:
        """The next delivery, once its time has come; None if every message is acknowledged."""
        if not self._waiting:
            return None
        self._waiting.sort(key=lambda entry: entry[0])
        visible_at_s, message = self._waiting.pop(0)
        await asyncio.sleep(max(0.0, visible_at_s - self._now_s()))
        self.deliveries += 1
        delivery = Delivery(number=self.deliveries, message=message)
        self._open[delivery.number] = message
        self._waiting.append((self._now_s() + self._timeout_s, message))
        record("delivered", delivery=delivery.number)
        return delivery

    async def acknowledge(self, delivery: Delivery) -> None:
        """Take a message off the list: its work is done.

        Raises:
            BrokerError: This broker made no such delivery.
        """
        if delivery.number not in self._open:
            raise BrokerError(
                f"delivery {delivery.number} is not open at this broker. "
                "Acknowledge a delivery once, at the broker that made it."
            )
        message = self._open.pop(delivery.number)
        self._waiting = [entry for entry in self._waiting if entry[1] is not message]
        record("acknowledged", delivery=delivery.number)

    def deliver_again(self, delivery: Delivery) -> None:
        """What an at-least-once broker may do at any time, acknowledged or not."""
        self._waiting.append((self._now_s() + self._timeout_s, delivery.message))

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()
