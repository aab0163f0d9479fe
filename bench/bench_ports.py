# ruff: noqa: ARG002
"""Port calls per second, in one run each, with nothing and with a policy of zero latency.

    python bench/bench_ports.py [--calls 5000] [--rounds 7]

`trivial` is a method that adds one: what the gate, the port and the history cost. Times are
CPU times, rounds are interleaved, and the table shows medians.
"""

import argparse
import platform
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from faultlab.kernel import Call, run
from faultlab.mock import MockDepsModule, MockState

STEPS_MAX = 10**7


class ZeroLatency:
    """A policy that is asked everything and does nothing."""

    def latency_s(self, call: Call, leg: str) -> float:
        return 0.0

    async def before(self, call: Call) -> None:
        return None

    async def after(self, call: Call) -> None:
        return None


class Counter:
    def __init__(self) -> None:
        self.count = 0

    async def add(self, key: str, amount: int) -> int:
        self.count += amount
        return self.count


async def trivial(deps: MockDepsModule, rounds: int) -> None:
    counter = deps.port("counter", "c")
    for _ in range(rounds):
        await counter.add("k", 1)


async def get(deps: MockDepsModule, rounds: int) -> None:
    orders = deps.port("document_query", "orders")
    for _ in range(rounds):
        await orders.get("o")


async def update(deps: MockDepsModule, rounds: int) -> None:
    orders = deps.port("document_command", "orders")
    for nth in range(rounds):
        await orders.update("o", {"n": nth, "items": [{"sku": "x"}]})


async def transaction(deps: MockDepsModule, rounds: int) -> None:
    orders = deps.port("document_command", "orders")
    for nth in range(rounds):
        async with orders.transaction("serializable") as tx:
            order = await tx.get("o")
            await tx.update("o", {**order.body, "n": nth})


async def queue(deps: MockDepsModule, rounds: int) -> None:
    tasks = deps.port("queue_command", "tasks")
    for nth in range(rounds):
        await tasks.put(nth)
        await tasks.acknowledge(await tasks.receive())


WORK: dict[Callable[[MockDepsModule, int], Awaitable[None]], int] = {
    trivial: 1, get: 1, update: 1, transaction: 4, queue: 3,
}  # fmt: skip
"""Each work with its port calls a round."""


def calls_per_s(work: Any, calls: int, policy: ZeroLatency | None) -> float:
    rounds = calls // WORK[work]

    async def program() -> None:
        state = MockState()
        state.put("counter", "c", Counter())
        await state.documents("orders").insert("o", {"n": 0, "items": [{"sku": "x"}]})
        await work(MockDepsModule(state=state), rounds)

    began = time.process_time()
    made = run(program, policy=policy, steps_max=STEPS_MAX)
    took = time.process_time() - began
    if made.error is not None:
        raise made.error
    return rounds * WORK[work] / took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    found: dict[tuple[str, bool], list[float]] = {}
    for _ in range(options.rounds):
        for work in WORK:
            for policy in (None, ZeroLatency()):
                measured = calls_per_s(work, options.calls, policy)
                found.setdefault((work.__name__, policy is None), []).append(measured)
    print(f"port calls per second, CPython {platform.python_version()}")
    print(f"{'work':<14}{'no policy':>12}{'zero latency':>14}")
    for work in WORK:
        bare, zero = (statistics.median(found[work.__name__, none]) for none in (True, False))
        print(f"{work.__name__:<14}{bare:>12,.0f}{zero:>14,.0f}")


if __name__ == "__main__":
    main()
