"""The third door: `Cluster`, N nodes over one store, under partitions, crashes and pauses."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeAlias

from faultlab.dst.befalling import Befalling
from faultlab.dst.cluster_config import ClusterConfig, NodePause
from faultlab.dst.config import SimulationConfig
from faultlab.dst.context import Context, Network, deps_of
from faultlab.dst.errors import SimulationError
from faultlab.dst.invariants import Invariant
from faultlab.dst.partitions import EIGHTHS, Cuts, Partition, PartitionSchedule, node_name
from faultlab.dst.report import Report
from faultlab.dst.settings import Settings, settings_of
from faultlab.dst.simulation import EXPECTED, SimulationTrial, Step, search_with
from faultlab.kernel import Choices, Key, Process, World, current, record
from faultlab.kernel.process import owner
from faultlab.mock import MockDepsModule, MockState
from faultlab.mock.plain import known_of

NodeFunction: TypeAlias = Callable[[int, Context], Coroutine[Any, Any, Any]]
"""`async def node(node_id, ctx)`."""

NODE, PAUSE, SKEW = "node", "node pause", "skew"
SKEWS: Final = 9
"""Alternatives of the pick of a node's clock skew: none, then quarters ahead and behind."""


class Cluster:
    """N nodes over one store, from one seed.

    Args:
        node: `async def node(node_id, ctx)`: one node's work. After a crash it runs again.
        deps: Takes the state, gives a node's ports; by default `MockDepsModule(state=state)`.
        state_factory: Makes what all nodes share and what outlives them, anew for each run.
        setup: Runs first, undisturbed.
        recover: Runs in a node that restarts after a crash, before its work begins anew.
        observe: Runs last, undisturbed, when all nodes have ended.
        invariants: Functions over the history that judge each run.
        expected_errors: Errors that a node may end with, beside those of stores and faults.
        targets: Labels that must be reached in some run.
    """

    def __init__(
        self,
        *,
        node: NodeFunction,
        deps: Callable[[Any], Any] | None = None,
        state_factory: Callable[[], Any] = MockState,
        setup: Step | None = None,
        recover: Step | None = None,
        observe: Step | None = None,
        invariants: Sequence[Invariant] = (),
        expected_errors: tuple[type[Exception], ...] = (),
        targets: Sequence[str] = (),
    ) -> None:
        if not asyncio.iscoroutinefunction(node):
            raise SimulationError(
                f"{node!r} is no async function; give async def node(node_id, ctx)"
            )
        self.node = node
        self.deps = deps or (lambda state: MockDepsModule(state=state))
        self.state_factory = state_factory
        self.setup = setup
        self.recover = recover
        self.observe = observe
        self.invariants = tuple(invariants)
        self.messages = True
        self.expected = EXPECTED + tuple(expected_errors)
        self.targets = tuple(targets)

    def run(self, config: SimulationConfig | None = None) -> Report:
        """Searches for a run that breaks an invariant, and explains the one it finds.

        Raises:
            SimulationError: Cluster and config do not fit.
            NondeterminismError: The same decisions gave two different runs.
        """
        return search_with(self, config or SimulationConfig())

    def trial(self, config: SimulationConfig) -> SimulationTrial:
        """What a sweep with this config runs again and again."""
        return SimulationTrial(simulation=self, config=settings_of(config))

    def play(self, befalling: Befalling, settings: Settings) -> "ClusterPlay":
        """One run of it."""
        return ClusterPlay(self, befalling, settings.cluster or ClusterConfig())

    def is_workload(self, key: Key) -> bool:
        """Whether a pick says what there is, rather than what befalls it."""
        return key[0] == NODE

    def declared(self, settings: Settings) -> list[str]:
        """Labels of windows, pauses and targets, which have to be met in some run."""
        config = settings.cluster or ClusterConfig()
        labels = [window.label for window in config.partitions.windows]
        labels += [config.partitions.drawn_label] if config.partitions.drawn else []
        labels += [pause.label for pause in config.pauses]
        return labels + [f"reached {target}" for target in self.targets]

    def words(self, key: Key, value: int, settings: Settings) -> str | None:
        """A pick in words; empty for a node, which is told as such; None for another's."""
        config = settings.cluster or ClusterConfig()
        stream, _, call, _ = key
        if stream == NODE:
            return ""
        if stream == PAUSE:
            pause = config.pauses[int(call)]
            return f"{pause.label}, {value} eighths of it"
        if stream == SKEW:
            return f"the clock of {call} is {skew_of(value, config.skew_max_s):+g} s off"
        return config.partitions.words(key, value, config.nodes)


def skew_of(pick: int, most_s: float) -> float:
    """The seconds of a pick: none, then a quarter ahead, a quarter behind, and so on."""
    quarters = (pick + 1) // 2
    return most_s * quarters / 4 * (1 if pick % 2 else -1)


class ClusterPlay:
    """One run of a cluster: the program that the kernel runs, and what it noted.

    Args:
        cluster: What is run.
        befalling: What befalls its calls.
        config: Its nodes, partitions and pauses.
    """

    def __init__(self, cluster: Cluster, befalling: Befalling, config: ClusterConfig) -> None:
        self._cluster = cluster
        self._befalling = befalling
        self._config = config
        self._nodes: list[int] = []
        self._skews: dict[int, float] = {}
        self._network = Network()
        self.deps: Any = None
        self.unexpected: list[BaseException] = []

    @property
    def calls(self) -> tuple[str, ...]:
        """The nodes that took part."""
        return tuple(node_name(node) for node in self._nodes)

    async def program(self) -> None:
        """Sets up, lets the nodes work, observes."""
        cluster, befalling = self._cluster, self._befalling
        world = current()
        choices = world.choices
        befalling.begin(choices)
        there = [n for n in range(self._config.nodes) if _there(choices, n)]
        self._nodes = there or [0]  # what no node does, no node does wrong
        self._skews = {node: self._skew(choices, node) for node in self._nodes}
        cuts = Cuts(self._config.partitions, self._config.nodes, befalling.exercised)
        cuts.draw(choices)
        self._state = cluster.state_factory()
        await self._step(cluster.setup)
        befalling.aim_crash()
        befalling.quiet = False
        befalling.cut_by(cuts)
        cuts.begin(world)
        self._pause_later(world, choices)
        async with asyncio.TaskGroup() as group:
            for node in self._nodes:
                group.create_task(self._supervise(world, node), name=f"watch {node}")
        befalling.quiet = True
        befalling.cut_by(None)
        await self._step(cluster.observe, observed=True)

    def _skew(self, choices: Choices, node: int) -> float:
        given = self._config.skew_s.get(node)
        if given is not None or not self._config.skew_max_s:
            return given or 0.0
        pick = choices.pick(SKEW, SKEWS, call=node_name(node))
        return skew_of(pick, self._config.skew_max_s)

    def _pause_later(self, world: World, choices: Choices) -> None:
        for number, pause in enumerate(self._config.pauses):
            eighths = choices.decide(PAUSE, EIGHTHS, EIGHTHS - 1, call=str(number))
            length_s = (pause.end - pause.start) * eighths / (EIGHTHS - 1)
            if length_s:
                from_now_s = max(0.0, pause.start - world.loop.time())
                world.call_later(from_now_s, self._pause, world, pause, length_s)

    def _pause(self, world: World, pause: NodePause, length_s: float) -> None:
        process = world.processes.get(node_name(pause.node))
        if process is not None and process.running:
            self._befalling.exercised.add(pause.label)
            process.pause(length_s)

    def _context(self, node: int | None = None) -> Context:
        deps = self.deps = deps_of(self._cluster.deps(self._state))
        skew = self._skews.get(node, 0.0) if node is not None else 0.0
        return Context(deps, node, skew_s=skew, network=self._network)

    async def _step(self, step: Step | None, *, observed: bool = False) -> None:
        if step is not None:
            found = await step(self._context())
            if observed:
                record("observed", value=known_of(found))

    async def _supervise(self, world: World, node: int) -> None:
        """Starts a node, and starts it again whenever it has crashed."""
        process = self._start(world, node, again=False)
        while await process.ended() == "crashed":
            self._befalling.aim_crash()
            await asyncio.sleep(self._config.restart_s)
            process = self._start(world, node, again=True)

    def _start(self, world: World, node: int, *, again: bool) -> Process:
        self._network.join(node)

        async def works() -> None:
            process, context = owner(), self._context(node)
            try:
                if again and self._cluster.recover is not None:
                    await self._cluster.recover(context)
                await self._cluster.node(node, context)
            except self._cluster.expected as error:
                record("failed", node=node, error=type(error).__name__)
            except Exception as error:
                if not process.crashed:  # else its frame is being closed
                    self.unexpected.append(error)
                record("failed", node=node, error=type(error).__name__)

        return world.start(node_name(node), works)


def _there(choices: Choices, node: int) -> bool:
    """Whether a node takes part: dropped ones leave the numbers of the others as they are."""
    return bool(choices.decide(NODE, 2, 1, call=str(node)))


__all__ = [
    "Cluster",
    "ClusterConfig",
    "NodePause",
    "Partition",
    "PartitionSchedule",
]
