"""How time and memory grow with concepts, samples and people, beside what the machine can do.

`python benchmarks/growth.py` (about two minutes; extras `fast`, `frames` and `parquet`; `--json`
prints JSON only). One thread, processor time, the fastest of several runs. The limits are measured
in the same run: copying memory, making standard normals, and tanh, the last two by the kernels in
use. A bound is the time that these alone would take: for a sampled shift the normals of all
concepts, once, and the tanh of all concepts before and after; for people answered exactly a copy of
their file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "ARROW"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

CONCEPTS = (10, 30, 100, 300, 1000)
SAMPLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
PEOPLE = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def fastest(call: Callable[[], Any], seconds: float = 0.5, least: int = 3) -> float:
    """Return the fastest run in seconds of processor time, repeating for about `seconds`."""
    best, spent, runs = float("inf"), 0.0, 0
    while spent < seconds or runs < least:
        begin = time.process_time()
        call()
        took = time.process_time() - begin
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def limits() -> dict[str, float]:
    """Return nanoseconds per byte copied, per normal made and per tanh."""
    import numba
    import numpy as np

    from beliefgraph.simulate.kernels import _respond
    from beliefgraph.simulate.noise import normals, seed_sequence

    @numba.njit  # type: ignore[untyped-decorator, unused-ignore]
    def tanh_of(rows: Any) -> None:
        for k in range(len(rows)):
            _respond(rows[k], rows.shape[1], 1, np.float32(0.5))

    block = np.ones(2**25)
    other = np.empty_like(block)
    tile = np.full((1000, 1024), 0.3, dtype=np.float32)
    z = np.empty((12, 10_240), dtype=np.float32)
    tanh_of(tile)
    make = partial(normals, seed_sequence(0), 12, 10_240, compiled=True, out=z)
    return {
        "copy": 1e9 * fastest(partial(np.copyto, other, block)) / block.nbytes,
        "normal": 1e9 * fastest(make) / z.size,
        "tanh": 1e9 * fastest(partial(tanh_of, tile)) / tile.size,
    }


def one_person(n: int) -> Any:
    """Return a compiled graph of n concepts and about 2 n influences."""
    import numpy as np

    from beliefgraph import BeliefGraph
    from beliefgraph.simulate.compile import compile_graph

    rng = np.random.default_rng(n)
    edges = {(a, int(rng.integers(a + 1, n))) for a in range(n - 1)}
    while len(edges) < min(2 * n, n * (n - 1) // 2):
        a, b = sorted(rng.integers(0, n, 2).tolist())
        if a != b:
            edges.add((a, b))
    graph = BeliefGraph.from_edges(
        [(f"c{a}", f"c{b}", float(rng.uniform(-0.6, 0.6)), 0.8) for a, b in sorted(edges)],
        stance=f"c{n - 1}",
        concepts=[f"c{k}" for k in range(n)],
    )
    return graph, compile_graph(graph)


def sampled(limit: dict[str, float]) -> dict[str, list[dict[str, Any]]]:
    """Time one shift of the stance, by concepts and by samples."""
    from beliefgraph.simulate.block import stance_samples
    from beliefgraph.simulate.compile import compile_graph
    from beliefgraph.simulate.exact import paired_moments
    from beliefgraph.simulate.interventions import make_plan
    from beliefgraph.simulate.noise import seed_sequence

    def row(n: int, count: int) -> dict[str, Any]:
        graph, model = one_person(n)
        plan = make_plan(model.names, {"c0": 0.8}, None, None)
        ask = partial(stance_samples, model, [plan], seed_sequence(1), count, "numba")
        took = fastest(ask, 0.3)
        bound = 1e-9 * n * count * (limit["normal"] + 2 * limit["tanh"])
        return {
            "concepts": n, "influences": model.edges, "samples": count, "ms": 1e3 * took,
            "ns a value": 1e9 * took / (2 * n * count), "times the bound": took / bound,
            "stance kept, MB": 2 * count * 4 / 1e6,
            "every concept held at once, MB": (4 * n + 2 * model.edges) * count / 1e6,
            "exact, ms": 1e3 * fastest(
                partial(paired_moments, compile_graph(graph, mechanism="linear"), plan), 0.1)
            if n <= 300 else None,
        }  # fmt: skip

    return {
        "by concepts": [row(n, 10_000) for n in CONCEPTS],
        "by samples": [row(12, count) for count in SAMPLES],
    }


def peak_of_intervene(samples: int) -> dict[str, Any]:
    """Return time and peak memory of the whole `intervene` in a process of its own."""
    code = (
        "import sys, time\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "import growth, million_people, beliefgraph as bg\n"
        "graph, _ = growth.one_person(12)\n"
        "begin = time.process_time()\n"
        "bg.intervene(graph, do={'c0': 0.8}, n_samples=int(sys.argv[1]))\n"
        "took = time.process_time() - begin\n"
        "print(took, million_people.peak_mb())\n"
    )
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", code, str(samples), here],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    took, peak = done.stdout.split()
    return {"samples": samples, "s": float(took), "peak_mb": float(peak)}


def cohorts(limit: dict[str, float], most: int) -> list[dict[str, Any]]:
    """Time exact answers from file to rows in memory, three scenarios, by people."""
    import beliefgraph as bg

    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import million_people

    found = []
    with tempfile.TemporaryDirectory() as place:
        for people in (count for count in PEOPLE if count <= most):
            path = Path(place) / "people.arrow"
            million_people.write_people(path, people)
            ask = partial(
                bg.simulate_cohort, path, million_people.SCENARIOS, mechanism="linear",
                concepts="stance", progress=False,
            )  # fmt: skip
            if people == 1:
                ask()  # compiles
            took = fastest(ask, 0.3, 1 if people > 100_000 else 3)
            size = path.stat().st_size
            found.append({
                "people": people, "ms": 1e3 * took, "us a person": 1e6 * took / people,
                "file, MB": size / 1e6, "times a copy of the file": took / (
                    1e-9 * size * limit["copy"]),
            })  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000_000, help="the most people")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    args = parser.parse_args()
    limit = limits()
    found: dict[str, Any] = {"limits": limit, **sampled(limit)}
    found["intervene, every concept"] = [peak_of_intervene(count) for count in SAMPLES[:-1]]
    found["by people"] = cohorts(limit, args.people)
    if args.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"limits: copy {1 / limit['copy']:.1f} GB a second, a normal {limit['normal']:.2f} ns, "
        f"a tanh {limit['tanh']:.2f} ns"
    )
    for name in ("by concepts", "by samples", "intervene, every concept", "by people"):
        print(f"\n{name}")
        keys = list(found[name][0])
        print("  ".join(f"{key:>14}" for key in keys))
        for row in found[name]:
            cells = (row[key] for key in keys)
            print("  ".join(f"{'' if c is None else f'{c:,.4g}':>{max(14, len(k))}}"
                            for k, c in zip(keys, cells, strict=True)))  # fmt: skip


if __name__ == "__main__":
    main()
