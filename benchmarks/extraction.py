"""Speed of extraction on one thread: turns a second of processor time, peak memory, growth.

python benchmarks/extraction.py                      # the bundled interviews
python benchmarks/extraction.py FOLDER --vectors     # another folder, with sentence vectors
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beliefgraph import BeliefGraph

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "interviews"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
QUESTION = "Does Noise have a positive or negative effect on Support for the market?"
SPOKEN = (
    "well the more noise there is the less I want it and when the bins are late people complain, "
    "so the council spends more on cleaning and that puts the rents up. "
)
LENGTHS = (10, 100, 1_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--vectors", action="store_true", help="merge labels by sentence vectors")
    options = parser.parse_args()
    os.environ.update(dict.fromkeys(THREADS, "1"))
    import beliefgraph as bg  # numpy reads the number of threads when it is imported
    from beliefgraph.extractors.pipeline import load_pipeline
    from beliefgraph.text import load_encoder

    start = time.process_time()
    load_pipeline()
    vectors = load_encoder() if options.vectors else None
    print(f"loading: {time.process_time() - start:.2f} s")
    transcripts = bg.read_transcripts(options.folder).transcripts
    turns = sum(len(t.turns) for t in transcripts)
    start = time.process_time()
    graphs = [bg.extract(t, vectors=vectors) for t in transcripts]
    took = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(transcripts)} interviews, {turns} turns: {turns / took:.0f} turns/s, {took:.2f} s")
    print(f"peak memory: {peak:.0f} MiB")
    tell(graphs)
    words = SPOKEN.split()
    for length in LENGTHS:
        answer = " ".join(words[n % len(words)] for n in range(length))
        transcript = bg.Transcript.from_pairs([(QUESTION, answer)])
        start = time.process_time()
        bg.extract(transcript, vectors=vectors)
        took = time.process_time() - start
        each = 1e6 * took / length
        print(f"an answer of {length:>6,} words: {1e3 * took:8.1f} ms, {each:.0f} us a word")


def tell(graphs: list[BeliefGraph]) -> None:
    """Print how many influences there are, and why turns gave none."""
    counts = [len(g.influences) for g in graphs]
    low, high = min(counts), max(counts)
    print(f"influences a person: median {statistics.median(counts):g}, range {low}-{high}")
    silent: Counter[str] = Counter()
    for g in graphs:
        heard = {e.qa_id for edge in g.influences for e in edge.evidence}
        for reading in {r.evidence.qa_id: r for r in g.readings}.values():
            if reading.evidence.qa_id not in heard:
                silent[reading.kind] += 1
    print("turns that gave no influence:", dict(silent.most_common()))


if __name__ == "__main__":
    main()
