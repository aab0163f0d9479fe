"""What execution costs: the site built with and without running its examples, in turn.

Usage: PYTHONPATH=src python bench/bench_build.py [ROUNDS]

Prints the median of each and their ratio. Both builds load the same modules and draw the same
pictures; the one without execution shows each example's expected output instead.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build_s(unexecuted: bool) -> float:
    """Wall time of one strict build in a fresh process, in seconds."""
    with tempfile.TemporaryDirectory() as site:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", site]
        env = {**os.environ, "FAULTLAB_UNEXECUTED": "1" if unexecuted else "0"}
        env |= {"PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
        return time.perf_counter() - start


def main() -> None:
    """Alternate the two builds, so that a slow minute slows both."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    executed, unexecuted = [], []
    for _ in range(rounds):
        executed.append(build_s(unexecuted=False))
        unexecuted.append(build_s(unexecuted=True))
    with_s, without_s = statistics.median(executed), statistics.median(unexecuted)
    print(f"executed   {with_s:.2f} s (median of {rounds})")
    print(f"unexecuted {without_s:.2f} s (median of {rounds})")
    print(f"ratio      {with_s / without_s:.2f}")


if __name__ == "__main__":
    main()
