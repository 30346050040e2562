"""People whose truth is known: belief graphs, survey answers, interviews and items.

`generate_people` makes a study and `write_study` writes it; `TruthPredictor` and `RetestPredictor`
say how well its items can be answered. Interviews are rendered from phrase banks and topics.

The two phrase banks share no template: `phrases_development.json` may be looked at while an
extractor is written, `phrases_held_out.json` must not be. In a template `{x}`, `{y}` and `{z}`
are ways of saying concepts, `{more_x}` and `{less_x}` (and so for y and z) say more or less of
one ("faster buses", "slower buses"), `{reason_x}` is x where it is a reason, and
`{stance_object}` is what is supported. Under `probe_answer`, sign and strength, "any" answers
every probe, "effect" only one that asks for a positive or negative effect, "stance" only one
about the stance, "confidence" only one that asks how sure the person is. In
`valenced_statement` ("better", "worse", "help", "hurt") the sign follows from the usual valence
of y. A chain x, y, z asserts its two links only, not x on z.
"""

from __future__ import annotations

from beliefgraph.benchmark.synth.folder import write_study
from beliefgraph.benchmark.synth.predictors import RetestPredictor, TruthPredictor
from beliefgraph.benchmark.synth.study import SyntheticStudy, generate_people
from beliefgraph.benchmark.synth.truth import Truth

__all__ = [
    "RetestPredictor",
    "SyntheticStudy",
    "Truth",
    "TruthPredictor",
    "generate_people",
    "write_study",
]
