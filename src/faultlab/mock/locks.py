"""Locks as leases: they end by themselves, and each has a token by which a resource can tell."""

from dataclasses import dataclass, replace
from itertools import count
from math import inf
from typing import Any

from faultlab.errors import FaultlabError
from faultlab.mock.common import Bell, note, now_s
from faultlab.mock.plain import copied


class LockError(FaultlabError):
    """A lease was renewed that is over, or asked for with a time that it can't mean."""


class StaleToken(LockError):
    """A write came with a fencing token older than one that the resource has seen."""


@dataclass(frozen=True, kw_only=True)
class Lease:
    """A lock held for a while.

    Attributes:
        name: Which lock.
        owner: Who asked for it.
        token: The fencing token: larger than that of every earlier lease of these locks.
        expires_at_s: When it ends, by the service's clock, unless it is renewed; at this very
            moment it has ended.
    """

    name: str
    owner: str
    token: int
    expires_at_s: float


class Locks:
    """A lock service: at most one lease of a name at any moment of the service's own clock.

    That is no mutual exclusion: a holder that was paused, or whose message was on its way,
    may act after its lease has ended. A resource that must not be written to then has to
    refuse old tokens, as `FencedRegister` does. Leases survive the crash of their owner.
    """

    def __init__(self) -> None:
        self._leases: dict[str, Lease] = {}
        self._tokens = count(1)
        self._bell = Bell()

    async def acquire(
        self, name: str, owner: str, *, lease_s: float, wait_s: float = 0.0
    ) -> Lease | None:
        """A lease from now on, or None if somebody holds the lock for longer than `wait_s`.

        That somebody can be the same owner: a lease is not taken over by its owner's next
        incarnation, nor by one whose reply was lost. It has to end first.
        """
        _check("lease_s", lease_s)
        if not 0 <= wait_s < inf:
            raise LockError(f"wait_s={wait_s} is no time to wait. Give 0 or more seconds.")
        deadline_s = now_s() + wait_s
        while (held := self.holder(name)) is not None:
            if now_s() >= deadline_s:
                return None
            await self._bell.wait_until(min(deadline_s, held.expires_at_s))
        lease = Lease(
            name=name, owner=owner, token=next(self._tokens), expires_at_s=now_s() + lease_s
        )
        self._leases[name] = lease
        note("acquired", lock=name, owner=owner, token=lease.token)
        return lease

    async def renew(self, lease: Lease, *, lease_s: float) -> Lease:
        """The same lease, with the same token, for so many seconds from now.

        Raises:
            LockError: It has ended, whether or not somebody else holds the lock now.
        """
        _check("lease_s", lease_s)
        held = self.holder(lease.name)
        if held is None or held.token != lease.token:
            raise LockError(
                f"the lease of {lease.name!r} with token {lease.token} has ended. Stop what it "
                "protected, and acquire the lock again."
            )
        renewed = replace(held, expires_at_s=now_s() + lease_s)
        self._leases[lease.name] = renewed
        note("renewed", lock=lease.name, owner=lease.owner, token=lease.token)
        return renewed

    async def release(self, lease: Lease) -> bool:
        """End the lease now; False if it had ended, and then nothing is done."""
        held = self.holder(lease.name)
        if held is None or held.token != lease.token:
            return False
        del self._leases[lease.name]
        note("released", lock=lease.name, owner=lease.owner, token=lease.token)
        self._bell.ring()
        return True

    def holder(self, name: str) -> Lease | None:
        """The lease of this moment, or None. For tests: a client can't know this."""
        held = self._leases.get(name)
        return held if held is not None and now_s() < held.expires_at_s else None


class FencedRegister:
    """One value that refuses writes with an older fencing token than the newest it has seen.

    Args:
        value: What it holds at first.
    """

    def __init__(self, value: Any = None) -> None:
        self._value = copied(value)
        self._newest = 0

    async def write(self, value: Any, token: int) -> None:
        """Replace the value.

        Raises:
            StaleToken: A write with a newer token came first.
        """
        if token < self._newest:
            note("fenced-off", token=token, newest=self._newest)
            raise StaleToken(
                f"token {token} is older than {self._newest}, which has written here. "
                "The lease is lost: stop, and acquire the lock again."
            )
        self._newest = token
        self._value = copied(value)
        note("written", token=token)

    async def read(self) -> Any:
        """The value."""
        return copied(self._value)


def _check(name: str, seconds: float) -> None:
    if not 0 < seconds < inf:
        raise LockError(f"{name}={seconds} is no length of time. Give more than 0 seconds.")
