"""Speed of the simulation engine beside pgmpy, sempler and DoWhy.

`python benchmarks/simulation.py`. Every side runs in one thread on the same random graphs (weights
up to 0.6, noise sd 0.25, linear, every influence certain, since the others know no uncertain ones;
ours are also timed with uncertain influences and with tanh). "One shift" is 10,000 worlds before
and 10,000 after a do(); "people x scenarios" is one run before and one for each of 11 do()s for
each of 36 people. A path leads from every concept to the stance, so that all sides compute all
concepts; `intervene()` is the whole call, with the intervals of every concept. Fresh noise: every
person has random numbers of its own; shared: one block for all.
Times are processor time, the fastest of several runs; importing and compiling are reported apart.
DoWhy runs in an environment of its own, made on the first full run (`--quick` uses it where it is
there). `--json` prints JSON only.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
import venv
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

DOWHY = "dowhy==0.14"
SIZES = ((12, 20), (30, 80))
SAMPLES = 10_000
SCENARIOS = 11
NOISE = 0.25

# (n, edges as (source, target, weight)), plain data that any of the sides can read
Plain = tuple[int, list[tuple[int, int, float]]]
Row = dict[str, Any]


def fastest(call: Callable[[], Any], seconds: float, least: int = 3) -> float:
    """Return the fastest run in seconds, repeating for about `seconds`.

    Seconds of processor time: every side has one thread, and what else the machine does then
    does not count.
    """
    best, spent, runs = float("inf"), 0.0, 0
    while runs < least or spent < seconds:
        begin = time.process_time()
        call()
        took = time.process_time() - begin
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def plain_graph(n: int, edges: int, seed: int) -> Plain:
    import numpy as np

    rng = np.random.default_rng(seed)
    chosen = {(a, int(rng.integers(a + 1, n))) for a in range(n - 1)}  # a path to the last
    pairs = [(a, b) for b in range(n) for a in range(b) if (a, b) not in chosen]
    more = rng.choice(len(pairs), edges - len(chosen), replace=False)
    chosen.update(pairs[k] for k in more)
    return n, [(*pair, float(rng.uniform(-0.6, 0.6))) for pair in sorted(chosen)]


def belief_graph(plain: Plain, *, uncertain: bool, seed: int = 0) -> Any:
    import numpy as np

    from beliefgraph import BeliefGraph

    rng = np.random.default_rng(seed)
    n, edges = plain
    return BeliefGraph.from_edges(
        [
            (f"c{a}", f"c{b}", w, float(rng.uniform(0.4, 0.95)) if uncertain else 1.0)
            for a, b, w in edges
        ],
        stance=f"c{n - 1}",
        concepts=[f"c{i}" for i in range(n)],
    )


# --- the others: each returns (before, after per scenario) mean of the last concept ---------------


def pgmpy_side(plain: Plain) -> Callable[[Sequence[int]], list[float]]:
    import logging

    from pgmpy.factors.continuous import LinearGaussianCPD
    from pgmpy.models import LinearGaussianBayesianNetwork

    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    n, edges = plain
    network = LinearGaussianBayesianNetwork([(f"c{a}", f"c{b}") for a, b, _ in edges])
    network.add_nodes_from(f"c{i}" for i in range(n))
    for j in range(n):
        into = [(a, w) for a, b, w in edges if b == j]
        network.add_cpds(
            LinearGaussianCPD(
                f"c{j}", [0.0, *(w for _, w in into)], NOISE, [f"c{a}" for a, _ in into]
            )
        )

    def answer(held: Sequence[int]) -> list[float]:
        frames = [network.simulate(n_samples=SAMPLES, seed=1)]
        frames += [network.simulate(n_samples=SAMPLES, do={f"c{k}": 0.8}, seed=1) for k in held]
        return [float(frame[f"c{n - 1}"].mean()) for frame in frames]

    return answer


def sempler_side(plain: Plain) -> Callable[[Sequence[int]], list[float]]:
    import numpy as np
    import sempler  # type: ignore[import-untyped, import-not-found, unused-ignore]

    n, edges = plain
    weights = np.zeros((n, n))
    for a, b, w in edges:
        weights[a, b] = w
    model = sempler.LGANM(weights, np.zeros(n), np.full(n, NOISE**2))

    def answer(held: Sequence[int]) -> list[float]:
        found = [model.sample(SAMPLES, random_state=1)]
        found += [model.sample(SAMPLES, do_interventions={k: 0.8}, random_state=1) for k in held]
        return [float(sample[:, -1].mean()) for sample in found]

    return answer


def dowhy_side(plain: Plain) -> Callable[[Sequence[int]], list[float]]:
    import networkx as nx
    import numpy as np
    import pandas as pd
    from dowhy import gcm  # type: ignore[import-not-found]

    gcm.config.disable_progress_bars()
    gcm.util.general.set_random_seed(0)
    n, edges = plain
    dag = nx.DiGraph()
    dag.add_nodes_from(f"c{i}" for i in range(n))
    dag.add_edges_from((f"c{a}", f"c{b}") for a, b, _ in edges)
    rng = np.random.default_rng(0)
    data = rng.normal(0, NOISE, (5000, n))
    for j in range(n):
        for a, b, w in edges:
            if b == j:
                data[:, j] += w * data[:, a]
    model = gcm.InvertibleStructuralCausalModel(dag)
    for node in dag.nodes:
        roots = not list(dag.predecessors(node))
        model.set_causal_mechanism(
            node,
            gcm.EmpiricalDistribution()
            if roots
            else gcm.AdditiveNoiseModel(gcm.ml.create_linear_regressor()),
        )
    gcm.fit(model, pd.DataFrame(data, columns=list(dag.nodes)))

    def answer(held: Sequence[int]) -> list[float]:
        frames = [gcm.draw_samples(model, SAMPLES)]
        frames += [
            gcm.interventional_samples(model, {f"c{k}": lambda x: 0.8}, num_samples_to_draw=SAMPLES)
            for k in held
        ]
        return [float(frame[f"c{n - 1}"].mean()) for frame in frames]

    return answer


def ask_all(answers: Sequence[Callable[[Sequence[int]], list[float]]]) -> None:
    for answer in answers:
        answer(range(SCENARIOS))


def time_other(
    side: Callable[[Plain], Callable[[Sequence[int]], list[float]]],
    cohorts: dict[str, list[Plain]],
    seconds: float,
) -> dict[str, Any]:
    """Time one shift and all people x scenarios of one of the others."""
    out: dict[str, Any] = {}
    for size, plains in cohorts.items():
        answers = [side(plain) for plain in plains]
        out[size] = {
            "one": fastest(partial(answers[0], [1]), seconds),
            "many": fastest(partial(ask_all, answers), 0, 1 if len(plains) < 36 else 2),
            "means": answers[0]([1]),
        }
    return out


def dowhy_worker() -> None:
    """Run inside DoWhy's environment: graphs on stdin, times on stdout."""
    asked = json.load(sys.stdin)
    begin = time.perf_counter()
    import dowhy  # noqa: F401
    from dowhy import gcm  # noqa: F401

    imported = time.perf_counter() - begin
    warnings.simplefilter("ignore")
    cohorts = {
        size: [(n, [tuple(edge) for edge in edges]) for n, edges in plains]
        for size, plains in asked["cohorts"].items()
    }
    found = time_other(dowhy_side, cohorts, asked["seconds"])
    json.dump({"import": imported, **found}, sys.stdout)


def ask_dowhy(
    place: Path, cohorts: dict[str, list[Plain]], seconds: float, *, make: bool
) -> dict[str, Any] | str:
    """Return DoWhy's times, or why there are none."""
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        if not make:
            return f"no environment at {place}; a run without --quick makes it"
        log(f"making an environment for {DOWHY} at {place} ...")
        venv.create(place, with_pip=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", DOWHY], stdout=sys.stderr, check=False
        )
        if done.returncode:
            return f"pip could not install {DOWHY}"
    answered = subprocess.run(
        [python, __file__, "--dowhy-worker"],
        input=json.dumps({"cohorts": cohorts, "seconds": seconds}),
        capture_output=True,
        text=True,
        check=False,
    )
    if answered.returncode:
        return "DoWhy failed: " + answered.stderr.strip().splitlines()[-1]
    found: dict[str, Any] = json.loads(answered.stdout)
    return found


# --- ours -----------------------------------------------------------------------------------------


def ask_ours(models: Any, plans: Any, seeds: Any, backend: str, *, fresh: bool) -> None:
    """Answer all people x scenarios; a shared block of noise is made within the time."""
    from beliefgraph.simulate.block import shared_noise, stance_samples

    block = None if fresh else shared_noise(models, seeds[0], SAMPLES, backend)
    for model, seed in zip(models, seeds, strict=True):
        stance_samples(model, plans, block or seed, SAMPLES, backend)


def time_ours(cohorts: dict[str, list[Plain]], seconds: float) -> dict[str, Any]:
    """Time every way of ours on the same graphs."""
    from beliefgraph.simulate import intervene
    from beliefgraph.simulate.block import shared_noise, stance_samples
    from beliefgraph.simulate.compile import compile_graph
    from beliefgraph.simulate.interventions import make_plan
    from beliefgraph.simulate.noise import seed_sequence

    out: dict[str, Any] = {}
    backends = ["numpy", *(["numba"] if installed("numba") else [])]
    for size, plains in cohorts.items():
        found: dict[str, Any] = {}
        for kind, uncertain, mechanism in (
            ("linear", False, "linear"),
            ("tanh", False, "tanh"),
            ("linear, uncertain influences", True, "linear"),
            ("tanh, uncertain influences", True, "tanh"),
        ):
            graphs = [belief_graph(plain, uncertain=uncertain) for plain in plains]
            models = [compile_graph(graph, mechanism=mechanism) for graph in graphs]
            names = models[0].names
            one = [make_plan(names, {names[1]: 0.8}, None, None)]
            many = [make_plan(names, {names[k]: 0.8}, None, None) for k in range(SCENARIOS)]
            for backend in backends:
                seeds = [seed_sequence(person) for person in range(len(models))]
                shared = shared_noise(models, seeds[0], SAMPLES, backend)

                run_one = partial(stance_samples, models[0], one)
                run_many = partial(ask_ours, models, many, seeds, backend)
                sample = run_one(seeds[0], SAMPLES, backend)
                found[f"{backend}, {kind}"] = {
                    "one_fresh": fastest(partial(run_one, seeds[0], SAMPLES, backend), seconds),
                    "one_shared": fastest(partial(run_one, shared, SAMPLES, backend), seconds),
                    "many_fresh": fastest(partial(run_many, fresh=True), 0, 2),
                    "many_shared": fastest(partial(run_many, fresh=False), 0, 2),
                    "means": sample.mean(axis=1, dtype=float).tolist(),
                    "se": float((sample[1] - sample[0]).std() / SAMPLES**0.5),
                }
        graphs = [belief_graph(plain, uncertain=True) for plain in plains]
        ways: dict[str, dict[str, Any]] = {
            "intervene(), every concept, tanh, numpy": {"backend": "numpy"},
            "intervene(), every concept, tanh, numba": {"backend": backends[-1]},
            "intervene(), exact and intervals, linear": {"mechanism": "linear"},
            "intervene(), exact only": {"mechanism": "linear", "n_samples": 0},
        }
        for label, options in ways.items():
            call = partial(intervene, graphs[0], do={"c1": 0.8}, **options)
            found[label] = {"one_fresh": fastest(call, seconds)}
        out[size] = found
    return out


def time_exact(people: int, seconds: float) -> dict[str, Any]:
    """Time exact answers for many people beside batched `numpy.linalg.inv`."""
    import numpy as np

    from beliefgraph.simulate.block import compile_block
    from beliefgraph.simulate.compile import compile_graph

    out: dict[str, Any] = {}
    for n, edges in SIZES:
        graphs = [
            belief_graph(plain_graph(n, edges, seed), uncertain=True, seed=seed)
            for seed in range(people)
        ]
        models = [compile_graph(graph, mechanism="linear") for graph in graphs]
        begin = time.perf_counter()
        block = compile_block(models)
        compiling = time.perf_counter() - begin
        held = np.random.default_rng(0).integers(0, n - 1, people)
        systems = np.stack([np.eye(n) - model.matrix() for model in models])
        inverse = fastest(partial(np.linalg.inv, systems), seconds)
        one = fastest(partial(block.exact, 0.8, held), seconds)
        every = fastest(partial(block.exact, 0.8), seconds)
        out[f"{n}/{edges}"] = {
            "people": people,
            "compile_block": compiling / people,
            "inv": inverse / people,
            "one scenario each": one / people,
            "every concept": every / people,
            "ratio one": inverse / one,
            "ratio every": inverse / every,
        }
    return out


def time_generators(seconds: float) -> dict[str, float]:
    """Return the nanoseconds a standard normal takes, by generator."""
    import numpy as np

    from beliefgraph.simulate.noise import normals, seed_sequence

    rows = 30
    count = rows * SAMPLES
    out = np.empty((rows, SAMPLES), dtype=np.float32)
    generator, seed = np.random.default_rng(0), seed_sequence(0)
    found = {
        "numpy Generator.standard_normal": fastest(
            lambda: generator.standard_normal(dtype=np.float32, out=out), seconds
        ),
        "ours, numpy": fastest(lambda: normals(seed, rows, SAMPLES, out=out), seconds),
    }
    if installed("numba"):
        found["ours, numba"] = fastest(
            lambda: normals(seed, rows, SAMPLES, compiled=True, out=out), seconds
        )
    if installed("torch"):
        import torch  # type: ignore[import-not-found, unused-ignore]

        torch.set_num_threads(1)
        other = torch.empty(count)
        found["torch.randn"] = fastest(lambda: other.normal_(), seconds)
    return {name: 1e9 * took / count for name, took in found.items()}


_COLD = """
import sys, time
begin = time.perf_counter()
import beliefgraph as bg
import beliefgraph.simulate
imported = time.perf_counter() - begin
g = bg.BeliefGraph.from_edges([("a", "s", 0.5, 0.8)], stance="s")
begin = time.perf_counter()
bg.intervene(g, do={"a": 1}, backend="numpy")
first = time.perf_counter() - begin
compiled = None
if sys.argv[1] == "numba":
    begin = time.perf_counter()
    bg.intervene(g, do={"a": 1}, backend="numba")
    compiled = time.perf_counter() - begin
print(imported, first, compiled)
"""


def time_start() -> dict[str, Any]:
    """Return import and compile times of fresh processes, without and with numba's cache."""
    import tempfile

    backend = "numba" if installed("numba") else "numpy"
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        for state in ("cold", "cached"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": place}
            done = subprocess.run(
                [sys.executable, "-c", _COLD, backend],
                capture_output=True, text=True, check=True, env=environment, cwd=ROOT,
            )  # fmt: skip
            imported, first, compiled = done.stdout.split()
            found[state] = {
                "import beliefgraph.simulate": float(imported),
                "first intervene(), numpy": float(first),
                "first intervene(), numba": None if compiled == "None" else float(compiled),
            }
    return found


ROOT = Path(__file__).resolve().parent.parent


def installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": sys.version.split()[0]}
    for package in ("numpy", "scipy", "numba", "pgmpy", "sempler", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Run everything and return the numbers."""
    people = 4 if args.quick else 36
    seconds = 0.15 if args.quick else 1.0
    cohorts = {
        f"{n}/{edges}": [plain_graph(n, edges, seed) for seed in range(people)]
        for n, edges in SIZES
    }
    out: dict[str, Any] = {
        "versions": versions(),
        "people": people,
        "scenarios": SCENARIOS,
        "samples": SAMPLES,
    }
    log("starting ...")
    out["start"] = time_start()
    log("ours ...")
    out["ours"] = time_ours(cohorts, seconds)
    out["exact"] = time_exact(200 if args.quick else 5000, seconds)
    out["generators"] = time_generators(seconds)
    out["others"] = {}
    for name, side in (("pgmpy", pgmpy_side), ("sempler", sempler_side)):
        if not installed(name):
            out["others"][name] = "not installed"
            continue
        log(f"{name} ...")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begin = time.perf_counter()
            importlib.import_module({"pgmpy": "pgmpy.models"}.get(name, name))
            imported = time.perf_counter() - begin
            out["others"][name] = {"import": imported, **time_other(side, cohorts, seconds)}
    log("DoWhy ...")
    out["others"]["DoWhy"] = ask_dowhy(args.dowhy_env, cohorts, seconds, make=not args.quick)
    out["ratios"] = ratios(out)
    return out


def ratios(out: dict[str, Any]) -> dict[str, Any]:
    """Return how many times faster ours are, and the share of the generator's rate."""
    found: dict[str, Any] = {}
    for size, ours in out["ours"].items():
        rows: dict[str, Any] = {}
        for other, times in out["others"].items():
            if isinstance(times, str):
                continue
            for label, own in ours.items():
                if "many_shared" in own:
                    rows[f"{other} / {label}"] = {
                        "one, fresh noise": times[size]["one"] / own["one_fresh"],
                        "one, shared noise": times[size]["one"] / own["one_shared"],
                        "many, fresh noise": times[size]["many"] / own["many_fresh"],
                        "many, shared noise": times[size]["many"] / own["many_shared"],
                    }
        n = int(size.split("/")[0])
        for backend in ("numpy", "numba"):
            rate = out["generators"].get(f"ours, {backend}")
            if rate is not None:
                took = 1e9 * ours[f"{backend}, linear"]["one_fresh"] / (n * SAMPLES)
                rows[f"{backend}: share of the generator's own rate"] = rate / took
        found[size] = rows
    return found


_TIMES = ("one_fresh", "one_shared", "many_fresh", "many_shared")


def show(out: dict[str, Any]) -> None:
    """Print the tables."""
    people = out["people"]
    print("versions:", ", ".join(f"{name} {number}" for name, number in out["versions"].items()))
    for state, times in out["start"].items():
        print(
            f"start, {state}:",
            ", ".join(f"{what} {took:.2f} s" for what, took in times.items() if took is not None),
        )
    print(
        "\nnanoseconds a normal:",
        ", ".join(f"{name} {took:.2f}" for name, took in out["generators"].items()),
    )
    for size, ours in out["ours"].items():
        print(f"\n{size} concepts / influences, {SAMPLES:,} samples; milliseconds")
        many = f"{people} x {SCENARIOS}"
        print(f"{'':46}{'one shift':>20}{many:>22}")
        print(f"{'':46}{'fresh':>10}{'shared':>10}{'fresh':>12}{'shared':>10}")
        for other, times in out["others"].items():
            if isinstance(times, str):
                print(f"{other:46}{times}")
            else:
                row = times[size]
                print(f"{other:46}{1e3 * row['one']:>10.2f}{'':10}{1e3 * row['many']:>12.1f}")
        for label, row in ours.items():
            cells = [
                row.get(key) for key in ("one_fresh", "one_shared", "many_fresh", "many_shared")
            ]
            shown = [
                f"{1e3 * cell:>{width}.{digits}f}" if cell is not None else " " * width
                for cell, width, digits in zip(cells, (10, 10, 12, 10), (3, 3, 2, 2), strict=True)
            ]
            print(f"{label:46}{''.join(shown)}")
        print("times as fast (one fresh, one shared, many fresh, many shared):")
        for label, row in out["ratios"][size].items():
            if isinstance(row, dict):
                if "uncertain" not in label:
                    print(f"  {label:44}" + "".join(f"{value:>10.1f}" for value in row.values()))
            else:
                print(f"  {label:44}{row:>10.0%}")
    print("\nexact mean and sd of the stance, own graph each; nanoseconds a person")
    for size, row in out["exact"].items():
        print(
            f"  {size:8}{row['people']} people: numpy.linalg.inv {1e9 * row['inv']:.0f}, one "
            f"scenario each {1e9 * row['one scenario each']:.0f} ({row['ratio one']:.1f}x), every "
            f"concept {1e9 * row['every concept']:.0f} ({row['ratio every']:.1f}x); compiling "
            f"{1e9 * row['compile_block']:.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="under a minute: fewer people and runs"
    )
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument(
        "--dowhy-env",
        type=Path,
        default=Path.home() / ".cache" / "beliefgraph" / "dowhy-0.14",
        help="where DoWhy's environment is or will be made",
    )
    parser.add_argument("--dowhy-worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.dowhy_worker:
        dowhy_worker()
        return
    out = measure(args)
    if args.json:
        json.dump(out, sys.stdout, indent=2)
        print()
    else:
        show(out)


if __name__ == "__main__":
    main()
