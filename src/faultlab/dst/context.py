"""What an operation is given: ports, a clock, marks; and nothing of the simulator."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol, cast

from faultlab.dst.errors import SimulationError
from faultlab.dst.faults import CallFailed
from faultlab.dst.liveness import reached
from faultlab.kernel import current, record
from faultlab.mock import port
from faultlab.mock.plain import known_of
from faultlab.naming import nearest


class Deps(Protocol):
    """Where ports come from: anything with such a method."""

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route."""
        ...


class Network:
    """What carries messages between nodes: each node that runs has one mailbox."""

    def __init__(self) -> None:
        self._mailboxes: dict[int, asyncio.Queue[tuple[int, Any]]] = {}

    def join(self, node: int) -> None:
        """Gives a node an empty mailbox: what an earlier incarnation had not read is lost."""
        self._mailboxes[node] = asyncio.Queue()

    async def deliver(self, sender: int, node: int, message: Any) -> None:
        """Puts a message into a mailbox."""
        mailbox = self._mailboxes.get(node)
        if mailbox is not None:
            mailbox.put_nowait((sender, message))

    async def receive(self, node: int) -> tuple[int, Any]:
        """Waits for a message; gives its sender and the message."""
        return await self._mailboxes[node].get()


class Context:
    """The first argument of operations, set-up, recovery and observation.

    Args:
        deps: Where ports come from.
        node_id: The number of the node, in a cluster.
        skew_s: How far its own clock is ahead.
        network: What carries messages between nodes.

    Attributes:
        node_id: The number of the node; None outside of a cluster.
    """

    def __init__(
        self,
        deps: Deps,
        node_id: int | None = None,
        *,
        skew_s: float = 0.0,
        network: Network | None = None,
    ) -> None:
        self._deps = deps
        self._skew_s = skew_s
        self._network = network
        self._sending: set[asyncio.Task[None]] = set()
        self.node_id = node_id

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route, behind the call gate."""
        return self._deps.port(surface, route)

    def now_s(self) -> float:
        """Virtual seconds since the run began, as this node's own clock shows them."""
        return asyncio.get_running_loop().time() + self._skew_s

    def record(self, kind: str, /, **fields: Any) -> None:
        """Records an event that invariants can look at, with plain values as fields."""
        record(kind, **fields)

    def reached(self, label: str, /, **detail: Any) -> None:
        """Marks a place that a sweep must have seen."""
        reached(label, **detail)

    def send(self, node: int, message: Any) -> None:
        """Sends a message to another node, and does not wait: it may be late, lost or doubled.

        It is a call of the surface `message`, route `node 2`, operation `send`, so that
        faults and partitions can strike it.

        Raises:
            SimulationError: Outside of a cluster.
        """
        network, sender = self._connected()

        async def sending() -> None:
            with suppress(TimeoutError, CallFailed):
                await current().gate.call(
                    "message",
                    f"node {node}",
                    "send",
                    lambda: network.deliver(sender, node, message),
                    asked={"message": known_of(message)},
                )

        task = asyncio.get_running_loop().create_task(sending(), name=f"send to {node}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def receive(self, timeout_s: float | None = None) -> tuple[int, Any]:
        """Waits for a message: the sender's number, and the message.

        Raises:
            TimeoutError: None came in `timeout_s` virtual seconds.
            SimulationError: Outside of a cluster.
        """
        network, node = self._connected()
        async with asyncio.timeout(timeout_s):
            sender, message = await network.receive(node)
        record("received", sender=sender, message=known_of(message))
        return sender, message

    def _connected(self) -> tuple[Network, int]:
        if self._network is None or self.node_id is None:
            raise SimulationError(
                "messages are sent and received by the nodes of a Cluster; here there are none"
            )
        return self._network, self.node_id


class MappedDeps:
    """Ports over objects of your own: `{("payments", "stripe"): client}`.

    Each is put behind the call gate under its surface and route.

    Attributes:
        objects: The objects themselves.
    """

    def __init__(self, objects: Mapping[tuple[str, str], Any]) -> None:
        self.objects = dict(objects)
        self._ports = {
            (surface, route): port(target, surface=surface, route=route)
            for (surface, route), target in objects.items()
        }

    def port(self, surface: str, route: str) -> Any:
        """The port of that surface and route.

        Raises:
            SimulationError: There is none.
        """
        try:
            return self._ports[surface, route]
        except KeyError:
            names = ["/".join(key) for key in self._ports]
            wanted = f"{surface}/{route}"
            raise SimulationError(
                f"there is no port {wanted!r}.{nearest(wanted, names)} "
                f"Allowed: {', '.join(sorted(names))}."
            ) from None


def deps_of(made: object) -> Deps:
    """What `deps` returned, as something that gives ports."""
    if callable(getattr(made, "port", None)):
        return cast(Deps, made)
    if isinstance(made, Mapping):
        return MappedDeps(made)
    raise SimulationError(
        f"deps returned {type(made).__name__}; return something with a method "
        "port(surface, route), such as MockDepsModule(state=state), or a mapping "
        '{("surface", "route"): object}'
    )
