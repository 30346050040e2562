"""The real HugAgent items, where they are at hand: every person and topic reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import beliefgraph as bg

FOLDER = Path(
    os.environ.get("HUGAGENT_DATA") or Path(__file__).parents[2] / "shared" / "data" / "hugagent"
)
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no HugAgent data in {FOLDER}")


def test_every_person_and_topic_reads() -> None:
    transcripts, failed = bg.read_transcripts(FOLDER)
    assert len({(t.participant, t.topic) for t in transcripts}) == len(transcripts) == 71
    assert [item.path.name for item in failed] == ["leaderboard.json"]
    for t in transcripts:
        assert len(t.turns) >= 10
        assert t.left_out == ()
        assert 1 <= t.merged_versions <= 7
        assert [turn.qa_id for turn in t.turns] == sorted((x.qa_id for x in t.turns), key=int)


def test_choosing_one() -> None:
    t = bg.read_transcript(FOLDER, participant="D03", topic="zoning")
    assert (t.participant, t.topic, t.format) == ("D03", "zoning", "hugagent")
    with pytest.raises(bg.TranscriptError, match="topics: healthcare, surveillance, zoning"):
        bg.read_transcript(FOLDER, participant="D03")
