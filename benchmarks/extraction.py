"""Speed of extraction: turns a second over all interviews of a folder, one thread, peak memory.

Usage: python benchmarks/extraction.py [FOLDER]   (default: examples/interviews)
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "interviews"


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    os.environ.update(dict.fromkeys(THREADS, "1"))
    import beliefgraph as bg  # numpy reads the number of threads when it is imported
    from beliefgraph.extractors.pipeline import load_pipeline

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES
    start = time.perf_counter()
    load_pipeline()
    print(f"loading the pipeline: {time.perf_counter() - start:.2f} s")
    transcripts = bg.read_transcripts(folder).transcripts
    turns = sum(len(t.turns) for t in transcripts)
    start = time.perf_counter()
    graphs = [bg.extract(t) for t in transcripts]
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(transcripts)} interviews, {turns} turns in {took:.2f} s: {turns / took:.0f} turns/s"
    )
    print(f"peak memory: {peak:.0f} MiB")
    counts = [len(g.influences) for g in graphs]
    print(
        f"influences a person: median {statistics.median(counts):g}, "
        f"range {min(counts)}-{max(counts)}"
    )
    silent: Counter[str] = Counter()
    for g in graphs:
        heard = {e.qa_id for edge in g.influences for e in edge.evidence}
        for reading in {r.evidence.qa_id: r for r in g.readings}.values():
            if reading.evidence.qa_id not in heard:
                silent[reading.kind] += 1
    print("turns that gave no influence:", dict(silent.most_common()))


if __name__ == "__main__":
    main()
