"""A queue with at-least-once delivery, a visibility timeout and acknowledgement, as in SQS."""

from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from faultlab.errors import FaultlabError
from faultlab.kernel.process import OWNER
from faultlab.mock.common import Bell, note, now_s
from faultlab.mock.plain import copied

VISIBLE_AFTER_S: Final = 30.0
"""The default visibility timeout, in virtual seconds."""


class QueueError(FaultlabError):
    """A queue was set up with something it can't mean, or handed what it didn't give out."""


@dataclass(frozen=True, kw_only=True)
class QueueDelivery:
    """One handing over of a message to a consumer.

    Attributes:
        message_id: Counts the messages of this queue, from 1; the same in every delivery.
        message: The consumer's own copy of what was put.
        receipt: Counts the deliveries of this queue, from 1: the handle of this one.
        count: How often this message has been delivered, this time included.
    """

    message_id: int
    message: Any
    receipt: int
    count: int


@dataclass(frozen=True, kw_only=True)
class _Kept:
    message_id: int
    message: Any
    visible_at_s: float
    receipt: int = 0
    count: int = 0


class Queue:
    """Messages until they are acknowledged. What was put survives every crash.

    A delivered message is invisible for the visibility timeout, then it is delivered again:
    the queue can't tell a dead consumer from a slow one. So every message is delivered at
    least once, and as often as it takes. Only the latest delivery's receipt counts: an
    acknowledgement with an earlier one succeeds and does nothing, as in SQS, and so does a
    second one. After the timeout it is still in time until the message is delivered again.

    Args:
        visibility_timeout_s: Virtual seconds from a delivery to the next one.
        receives_max: How often a message is delivered before it goes to `dead_letters`
            instead; None for any number.
        ordered: Whether the oldest visible message comes first. If not, each delivery inside
            of a run picks any visible one from the run's choices.

    Raises:
        QueueError: A number is out of range.
    """

    def __init__(
        self,
        *,
        visibility_timeout_s: float = VISIBLE_AFTER_S,
        receives_max: int | None = None,
        ordered: bool = True,
    ) -> None:
        _positive("visibility_timeout_s", visibility_timeout_s)
        if receives_max is not None and receives_max < 1:
            raise QueueError(f"receives_max={receives_max} delivers nothing. Give 1 or more.")
        self._timeout_s = visibility_timeout_s
        self._receives_max = receives_max
        self._ordered = ordered
        self._kept: dict[int, _Kept] = {}
        self._message_of: dict[int, int] = {}
        self._messages = 0
        self._bell = Bell()
        self.dead_letters: list[Any] = []
        """Messages that were delivered `receives_max` times and never acknowledged."""

    @property
    def messages(self) -> list[Any]:
        """All messages that are neither acknowledged nor dead letters, oldest first."""
        return [kept.message for kept in self._kept.values()]

    async def put(self, message: Any, *, delay_s: float = 0.0) -> int:
        """Take a message, to be delivered after a delay; its id."""
        if not 0 <= delay_s < inf:
            raise QueueError(f"delay_s={delay_s} is no time to wait. Give 0 or more seconds.")
        self._messages += 1
        self._kept[self._messages] = _Kept(
            message_id=self._messages, message=copied(message), visible_at_s=now_s() + delay_s
        )
        note("put", message=self._messages)
        self._bell.ring()
        return self._messages

    async def receive(self, *, wait_s: float = 0.0) -> QueueDelivery | None:
        """The next delivery, or None if no message becomes visible within `wait_s`."""
        if not 0 <= wait_s < inf:
            raise QueueError(f"wait_s={wait_s} is no time to wait. Give 0 or more seconds.")
        deadline_s = now_s() + wait_s
        while (delivery := self._deliver()) is None and now_s() < deadline_s:
            next_s = min((kept.visible_at_s for kept in self._kept.values()), default=inf)
            await self._bell.wait_until(min(deadline_s, next_s))
        return delivery

    async def acknowledge(self, delivery: QueueDelivery) -> None:
        """Take the message off the queue, if this is its latest delivery.

        It says nothing about whether it did: neither does SQS.

        Raises:
            QueueError: This queue made no such delivery.
        """
        kept = self._latest(delivery)
        if kept is None:
            note("acknowledge-ignored", delivery=delivery.receipt, message=delivery.message_id)
            return
        del self._kept[kept.message_id]
        note("acknowledged", delivery=delivery.receipt, message=delivery.message_id)

    async def extend(self, delivery: QueueDelivery, timeout_s: float) -> None:
        """Let the message stay invisible for so many seconds from now.

        Raises:
            QueueError: The message is no longer in this delivery's hands.
        """
        _positive("timeout_s", timeout_s)
        self._show(delivery, timeout_s)
        note("extended", delivery=delivery.receipt, message=delivery.message_id)

    async def negative_acknowledge(self, delivery: QueueDelivery) -> None:
        """Give the message back: it is visible at once, and this delivery has been counted.

        Raises:
            QueueError: The message is no longer in this delivery's hands.
        """
        self._show(delivery, 0.0)
        note("given-back", delivery=delivery.receipt, message=delivery.message_id)
        self._bell.ring()

    def deliver_again(self, delivery: QueueDelivery) -> None:
        """What an at-least-once queue may do at any time, acknowledged or not."""
        kept = self._kept.get(delivery.message_id)
        self._kept[delivery.message_id] = _Kept(
            message_id=delivery.message_id,
            message=copied(delivery.message),
            visible_at_s=now_s(),
            receipt=delivery.receipt if kept is None else kept.receipt,
            count=delivery.count if kept is None else kept.count,
        )
        self._bell.ring()

    # --------------------------------------------------------------------------------

    def _deliver(self) -> QueueDelivery | None:
        visible = self._visible()
        if not visible:
            return None
        kept = visible[self._pick(len(visible))]
        receipt = len(self._message_of) + 1
        self._message_of[receipt] = kept.message_id
        kept = replace(
            kept,
            receipt=receipt,
            count=kept.count + 1,
            visible_at_s=now_s() + self._timeout_s,
        )
        self._kept[kept.message_id] = kept
        note("delivered", delivery=receipt, message=kept.message_id, count=kept.count)
        return QueueDelivery(
            message_id=kept.message_id,
            message=copied(kept.message),
            receipt=receipt,
            count=kept.count,
        )

    def _visible(self) -> list[_Kept]:
        """What can be delivered now, oldest first; what was delivered too often is put aside."""
        visible = [kept for kept in self._kept.values() if kept.visible_at_s <= now_s()]
        if self._receives_max is None:
            return visible
        for kept in visible:
            if kept.count >= self._receives_max:
                del self._kept[kept.message_id]
                self.dead_letters.append(kept.message)
                note("dead-letter", message=kept.message_id)
        return [kept for kept in visible if kept.count < self._receives_max]

    def _pick(self, n: int) -> int:
        process = OWNER.get(None)
        if self._ordered or process is None or n == 1:
            return 0
        return process.world.choices.pick("queue-order", n, process=process.name)

    def _latest(self, delivery: QueueDelivery) -> _Kept | None:
        """The kept message, if this is its latest delivery."""
        if self._message_of.get(delivery.receipt) != delivery.message_id:
            raise QueueError(
                f"delivery {delivery.receipt} was not made by this queue. "
                "Hand a delivery back to the queue that it came from."
            )
        kept = self._kept.get(delivery.message_id)
        return kept if kept is not None and kept.receipt == delivery.receipt else None

    def _show(self, delivery: QueueDelivery, after_s: float) -> None:
        kept = self._latest(delivery)
        if kept is None or kept.visible_at_s <= now_s():
            raise QueueError(
                f"delivery {delivery.receipt} no longer holds message {delivery.message_id}: it "
                "was acknowledged, or its visibility timeout is over. Extend earlier, or take "
                "the next delivery."
            )
        self._kept[kept.message_id] = replace(kept, visible_at_s=now_s() + after_s)


def _positive(name: str, seconds: float) -> None:
    if not 0 < seconds < inf:
        raise QueueError(f"{name}={seconds} is no length of time. Give more than 0 seconds.")
