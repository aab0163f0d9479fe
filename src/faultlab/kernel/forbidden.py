"""The part of asyncio's loop that would leave the simulation: every call raises.

A simulated run has no sockets, pipes, threads, subprocesses or signals. A call that
quietly did nothing, or reached the real thing, would make the run worthless, so each
raises RealWorldCall with its name and the remedy, and the run as a whole raises too.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from faultlab.kernel.errors import RealWorldCall

_PORT = "put it behind a port and call that through the gate"

REMEDIES: dict[str, str] = {
    **dict.fromkeys(
        (
            "create_connection", "create_server", "create_unix_connection",
            "create_unix_server", "connect_accepted_socket", "create_datagram_endpoint",
            "getaddrinfo", "getnameinfo", "sendfile", "start_tls", "connect_read_pipe",
            "connect_write_pipe", "subprocess_shell", "subprocess_exec", "add_reader",
            "remove_reader", "add_writer", "remove_writer", "sock_recv", "sock_recv_into",
            "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendto",
            "sock_connect", "sock_accept", "sock_sendfile",
        ),
        _PORT,
    ),
    **dict.fromkeys(
        ("run_in_executor", "set_default_executor"),
        "call the function directly, or " + _PORT + " (asyncio.to_thread ends up here too)",
    ),
    **dict.fromkeys(
        ("add_signal_handler", "remove_signal_handler"),
        "let the program crash or cancel the process instead",
    ),
    **dict.fromkeys(
        ("run_forever", "run_until_complete", "stop"),
        "let faultlab.kernel.run drive the loop, and await inside it",
    ),
}  # fmt: skip
"""Every refused method of the loop, and what to do instead."""


entered = threading.local()
"""How many virtual worlds (`faultlab.kernel.outside`) the thread has entered: `depth`."""


class NoRealWorld(asyncio.AbstractEventLoop):
    """An event loop of which everything that reaches outside is refused."""

    def __init__(self) -> None:
        """Starts with a clean record."""
        self.refused: RealWorldCall | None = None
        """The first call that was refused."""
        self.virtual = getattr(entered, "depth", 0) > 0
        """Whether clock, chance and files are virtual too, and not only the loop."""

    def refuse(self, call: str, remedy: str) -> RealWorldCall:
        """Notes that simulated code tried to leave, and gives the error to raise."""
        error = RealWorldCall(f"{call} reaches outside of the simulation; {remedy}")
        self.refused = self.refused or error
        return error


def _refusal(name: str, remedy: str) -> Callable[..., Any]:
    def refused(self: NoRealWorld, *_: Any, **__: Any) -> Any:
        raise self.refuse(f"loop.{name}()", remedy)

    refused.__name__ = name
    refused.__doc__ = f"Raises RealWorldCall: {remedy}."
    return refused


for _name, _remedy in REMEDIES.items():
    setattr(NoRealWorld, _name, _refusal(_name, _remedy))
