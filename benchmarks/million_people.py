"""A million people, each with a graph of their own, under three scenarios: time and memory.

`python benchmarks/million_people.py` needs the extras `fast`, `frames` and `parquet`, 3 GB of disk
and a few minutes. People have 12 concepts and 20 influences each, drawn at random, every influence
uncertain and a path from every concept to the stance. Every task runs in a process of its own, so
that its peak memory is its own; times are wall clock and processor time, from opening the file to
the last row. `--jobs` adds the same with several processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "ARROW"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

CONCEPTS, INFLUENCES = 12, 20
SCENARIOS = {
    "one": {"do": {"c0": 0.8}},
    "two": {"do": {"c3": -0.5}},
    "three": {"shift": {"c5": 0.4}},
}
PIECE = 10_000


def invented_table(people: int, n: int, edges: int, seed: int) -> Any:
    """Return a graph table of random people; a path leads from every concept to the last."""
    import numpy as np

    from beliefgraph.simulate.cohort.table import GraphTable

    rng = np.random.default_rng(seed)
    onward = (rng.random((people, n - 1)) * np.arange(n - 1, 0, -1)).astype(int) + np.arange(1, n)
    pairs = np.array([b * n + a for b in range(n) for a in range(b)])
    taken = np.zeros((people, n * n), dtype=bool)
    taken[np.arange(people)[:, None], onward * n + np.arange(n - 1)] = True
    urge = np.where(taken[:, pairs], -1.0, rng.random((people, len(pairs))))
    chosen = np.sort(pairs[np.argpartition(urge, edges - 1, axis=1)[:, :edges]], axis=1)
    total = people * edges
    numbers = np.tile(np.arange(n, dtype=np.int32), people)
    return GraphTable(
        person=[f"P{seed * people + k}" for k in range(people)],
        group=[("a", "b", "c")[k % 3] for k in range(people)],
        names=[f"c{k}" for k in range(n)],
        stance=np.full(people, n - 1),
        first=np.arange(people + 1) * n,
        name=numbers,
        position=numbers,
        baseline=np.zeros(people * n),
        baseline_sd=np.zeros(people * n),
        edges=np.arange(people + 1) * edges,
        source=(chosen % n).ravel().astype(np.int32),
        target=(chosen // n).ravel().astype(np.int32),
        confidence=rng.uniform(0.4, 0.95, total),
        mentions=np.arange(total + 1),
        weight=rng.uniform(-0.6, 0.6, total),
        probability=np.ones(total),
    )


def write_people(path: Path, people: int) -> None:
    from beliefgraph.simulate.cohort.files import write_tables

    def pieces() -> Iterator[Any]:
        size = min(PIECE, people)
        for seed in range(people // size):
            yield invented_table(size, CONCEPTS, INFLUENCES, seed)

    write_tables(pieces(), path)


def peak_mb() -> float:
    """Return the most memory that this process had, in MB."""
    try:  # starts at 0 with the program; getrusage also knows the process that started it
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def task(options: dict[str, Any]) -> dict[str, Any]:
    """Run one task in this process and return what it took."""
    import beliefgraph as bg

    few, path = options.pop("few"), options.pop("path")
    to_frame = options.pop("to_frame")
    warm = {key: value for key, value in options.items() if key not in ("out", "n_jobs")}
    bg.simulate_cohort(few, SCENARIOS, progress=False, **warm).to_frame()  # imports and compiles
    wall, own = time.perf_counter(), time.process_time()
    cohort = bg.simulate_cohort(path, SCENARIOS, progress=False, **options)
    rows = len(cohort.to_frame()) if to_frame else 3 * cohort.n_people
    wall, own = time.perf_counter() - wall, time.process_time() - own
    return {
        "people": cohort.n_people,
        "rows": rows,
        "wall_s": wall,
        # what other processes used is not known before they end
        "cpu_s": own if options.get("n_jobs", 1) == 1 else None,
        "peak_mb": peak_mb(),
        "written_mb": sum(part.stat().st_size for part in cohort.parts) / 1e6,
        "errors": cohort.n_errors,
        "mean_shift": [round(item.mean, 6) for item in cohort.distributions],
    }


def run_apart(options: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--task", json.dumps(options)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def of_processor(row: dict[str, Any]) -> str:
    if row["cpu_s"] is None:
        return ""
    return f"{row['cpu_s']:.1f} s processor, {row['people'] / row['cpu_s']:,.0f} a second; "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--samples", type=int, default=1_000, help="worlds a person (Monte Carlo)")
    parser.add_argument("--jobs", type=int, default=1, help="also with so many processes")
    parser.add_argument("--exact-only", action="store_true", help="without Monte Carlo")
    parser.add_argument("--folder", type=Path, help="keep the people here")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        print(json.dumps(task(json.loads(args.task))))
        return
    found: dict[str, Any] = {"load_before": os.getloadavg()[0], "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as place:
        folder = args.folder or Path(place)
        arrow, few = folder / f"people_{args.people}.arrow", folder / "few.arrow"
        begin = time.process_time()
        if not arrow.exists():
            write_people(arrow, args.people)
        write_people(few, 100)
        found["inventing_s"] = time.process_time() - begin
        found["file_mb"] = arrow.stat().st_size / 1e6
        exact = {"mechanism": "linear", "concepts": "stance"}
        sampled = {"mechanism": "tanh", "concepts": "stance", "n_samples": args.samples}
        parts = {"file_format": "parquet", "to_frame": False}
        tasks: dict[str, dict[str, Any]] = {
            "exact, file to frame": {**exact, "to_frame": True},
            "exact, file to Parquet parts": {**exact, **parts, "out": f"{place}/exact"},
        }
        if not args.exact_only:
            label = f"Monte Carlo, {args.samples} worlds, file to Parquet parts"
            tasks[label] = {**sampled, **parts, "out": f"{place}/sampled"}
        if args.jobs > 1:
            for name, options in list(tasks.items())[1:]:
                many = {"n_jobs": args.jobs, "out": f"{options['out']}_jobs"}
                tasks[f"{name}, {args.jobs} processes"] = {**options, **many}
        found["tasks"] = {
            name: run_apart({**options, "path": str(arrow), "few": str(few)})
            for name, options in tasks.items()
        }
    if args.json:
        print(json.dumps(found, indent=2))
        return
    print(f"load before {found['load_before']:.1f} on {found['cores']} cores; file "
          f"{found['file_mb']:.0f} MB, invented in {found['inventing_s']:.0f} s")  # fmt: skip
    for name, row in found["tasks"].items():
        print(
            f"{name}: {row['people']:,} people in {row['wall_s']:.1f} s, "
            f"{row['people'] / row['wall_s']:,.0f} a second; {of_processor(row)}peak "
            f"{row['peak_mb']:.0f} MB"
        )


if __name__ == "__main__":
    main()
