"""One hash over the histories of many runs: the same on each Python.

    PYTHONPATH=src python bench/digest_examples.py [--seeds 10000] [--only NAME]

Every seed of the examples of the page on crashes and partitions is run under the default
search, as a sweep would run it, without stopping at the first violation. Printed is a blake2b
over all digests, an example a line.
"""

import argparse
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faultlab.dst import Cluster, Simulation, SimulationConfig
from faultlab.dst.look import first_look
from faultlab.dst.simulation import SimulationTrial, settings_of
from faultlab.kernel import virtual_world
from tests.dst import source_blocks as page


@dataclass(frozen=True, kw_only=True)
class Example:
    """What is run, and what befalls it."""

    subject: Simulation | Cluster
    config: SimulationConfig


EXAMPLES = {
    "crash": Example(subject=page.simulation, config=page.crash_config),
    "transaction": Example(subject=page.simulation_in_transaction, config=page.crash_config),
    "cluster": Example(subject=page.cluster, config=page.cluster_config),
}


def digests(example: Example, seeds: range) -> Iterator[str]:
    """The digest of each seed's run."""
    config = example.config
    trial = SimulationTrial(simulation=example.subject, config=settings_of(config))
    with virtual_world():
        prepared = trial.prepared(seeds[0])
        look = first_look(prepared)
        ready = prepared.looked_at(look.attempt)
        for seed in seeds:
            strategy = config.search.strategy(seed, look.contested)  # type: ignore[union-attr]
            yield ready.attempt(seed=seed, strategy=strategy).run.digest


def digest_of(name: str, seeds: range) -> str:
    """One hash over the digests of all these runs, in order."""
    whole = blake2b(digest_size=16)
    for digest in digests(EXAMPLES[name], seeds):
        whole.update(digest.encode())
    return whole.hexdigest()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seeds", type=int, default=10_000)
    arguments.add_argument("--only", choices=EXAMPLES, default=None)
    options = arguments.parse_args()
    for name in [options.only] if options.only else EXAMPLES:
        began = time.perf_counter()
        digest = digest_of(name, range(options.seeds))
        took = time.perf_counter() - began
        print(
            f"{name:<12} seeds 0..{options.seeds - 1}  {digest}  "
            f"Python {platform.python_version()}, {took:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
