"""Read and write: interviews, graphs, pages."""

from __future__ import annotations

from beliefgraph.formats.reading import Failed, Loaded, read_transcript, read_transcripts

__all__ = ["Failed", "Loaded", "read_transcript", "read_transcripts"]
