"""From an interview to a stance shift, in Python. Run it from anywhere: python quickstart.py."""

from __future__ import annotations

from pathlib import Path

import beliefgraph as bg

INTERVIEW = Path(__file__).parent / "interviews" / "bus_lanes_tyt.csv"


def main() -> None:
    transcript = bg.read_transcript(INTERVIEW)
    print(transcript)

    graph = bg.extract(transcript)
    print(graph)
    print("Concepts that reach the stance:", ", ".join(graph.intervenable))

    edge = graph.influence("Bus speed", graph.stance)
    if edge is not None:
        print(f"Bus speed -> {graph.stance}: {edge.weight:+.2f}, said in")
        for item in edge.evidence:
            print(f'  turn {item.qa_id}: "{item.quote}"')

    result = bg.intervene(graph, do={"Bus speed": 0.8}, seed=7)
    print(result.stance)
    print(result.explain())


if __name__ == "__main__":
    main()
