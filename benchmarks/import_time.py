"""Time that `import beliefgraph` takes: the median of several fresh processes."""

from __future__ import annotations

import statistics
import subprocess
import sys

MODULES = ("beliefgraph", "beliefgraph.cli", "beliefgraph.formats", "beliefgraph.simulate")
REPEATS = 7


def seconds(module: str) -> float:
    code = (
        "import time; start = time.perf_counter(); "
        f"import {module}; print(time.perf_counter() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    for module in MODULES:
        seconds(module)  # the first one writes the compiled files
        times = [seconds(module) for _ in range(REPEATS)]
        print(f"import {module:22s} {statistics.median(times):.3f} s (median of {REPEATS})")


if __name__ == "__main__":
    main()
