"""Ports of the tests' own, and one run of a simulation to look into."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from faultlab.dst import Context, LatencyProfile, Simulation, SimulationConfig
from faultlab.dst.attempt import Attempt
from faultlab.dst.workload import Call
from faultlab.kernel import Event, Fifo, History

TRAVEL_S = 0.01
"""One way of a call, in these tests."""


class Till:
    """A port: money goes in, one coin a call."""

    def __init__(self) -> None:
        self.coins = 0

    async def pay(self) -> str:
        self.coins += 1
        return "paid"


class Mailbox:
    """A port that carries messages."""

    def __init__(self) -> None:
        self.letters: list[str] = []

    async def put(self, letter: str) -> str:
        self.letters.append(letter)
        return "put"


class Shop:
    """What outlives crashes."""

    def __init__(self) -> None:
        self.till = Till()
        self.mailbox = Mailbox()
        self.again = Till()

    def ports(self) -> Mapping[tuple[str, str], Any]:
        return {
            ("till", "front"): self.till,
            ("till", "back"): self.again,
            ("queue_command", "letters"): self.mailbox,
        }


async def pay(ctx: Context) -> None:
    """Pays, and tells the history what the caller saw and how long it took."""
    await seen(ctx, ctx.port("till", "front").pay)


async def send(ctx: Context) -> None:
    """Sends a letter."""
    await seen(ctx, lambda: ctx.port("queue_command", "letters").put("hello"))


async def seen(ctx: Context, call: Callable[[], Any]) -> None:
    began_s = ctx.now_s()
    try:
        saw = await call()
    except Exception as error:
        saw = f"{type(error).__name__}: {error}"
    ctx.record("saw", saw=saw, took_s=round(ctx.now_s() - began_s, 6))


async def totals(ctx: Context) -> None:
    """Undisturbed and last: nothing to do, the stores are looked at from outside."""


class Opened:
    """A simulation over a shop, with every shop that its runs opened."""

    def __init__(self, calls: Sequence[Call], **settings: Any) -> None:
        self.shops: list[Shop] = []
        self.simulation = Simulation(
            calls=calls, deps=Shop.ports, state_factory=self.open, **settings
        )

    def open(self) -> Shop:
        self.shops.append(Shop())
        return self.shops[-1]

    def attempt(self, seed: int = 0, **config: Any) -> Attempt:
        """One run of a seed, in order of arrival, with constant latency."""
        settings = {"latency": LatencyProfile.constant(TRAVEL_S), **config}
        trial = self.simulation.trial(SimulationConfig(**settings))
        return trial.attempt(seed=seed, strategy=Fifo())

    @property
    def shop(self) -> Shop:
        """The last run's."""
        return self.shops[-1]


def saw(history: History) -> list[tuple[str, float]]:
    """What each call's caller saw, and after how long."""
    return [(event.fields["saw"], event.fields["took_s"]) for event in history.of("saw")]


def struck(history: History) -> list[str]:
    """Which faults the history says to have struck."""
    return [event.fields["fault"] for event in history.of("fault")]


def called(history: History, process: str = "app") -> list[Event]:
    """The port calls of a process."""
    return [event for event in history.of("call") if event.process == process]
