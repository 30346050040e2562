"""How two clauses of one sentence stand to each other: condition, parallel, command and outcome."""

from __future__ import annotations

from dataclasses import replace

from beliefgraph.extractors.causal_phrases import SCENE
from beliefgraph.extractors.clauses import Clause, is_negation
from beliefgraph.extractors.mentions import Mention

__all__ = ["deny_effect", "is_command", "is_parallel", "is_scene", "is_verbless", "opens_anew"]


def deny_effect(effect: Mention, clause: Clause) -> Mention:
    """Turn "we wouldn't see more rents" round; the stance's negations are in it already."""
    if effect.composed or not effect.moved:
        return effect
    before = [t for t in clause.tokens if t.i < effect.start and is_negation(t)]
    odd = sum(t.lower_ not in ("without", "no") for t in before) % 2
    return replace(effect, direction=-effect.direction) if odd else effect


def opens_anew(clause: Clause) -> bool:
    """Say whether a condition belongs to what follows: "..., and once it drops, ..."."""
    first = clause.tokens[0]
    return first.i > 0 and first.nbor(-1).lower_ in ("and", "but", "so", "then")


def is_scene(clause: Clause) -> bool:
    """Say whether a clause sets a scene ("every time it rains") as a condition does."""
    return bool(SCENE.match(clause.text))


def is_command(clause: Clause) -> bool:
    """Say whether a clause is one to imagine: "take away the parking (and trade would drop)"."""
    opening = ("and", "so", "well", "just")
    first = next((t for t in clause.tokens if t.lower_ not in opening), None)
    return first is not None and first.pos_ == "VERB" and first.tag_ in ("VB", "VBP")


def is_parallel(before: Clause, here: Clause) -> bool:
    """Say whether two clauses stand as "the more ..., the less ..."."""
    return _opens_with_degree(before) and _opens_with_degree(here)


def _opens_with_degree(clause: Clause) -> bool:
    words = [t.lower_ for t in clause.tokens[:4]]
    if "the" not in words:
        return False
    following = words[words.index("the") + 1 :][:1]
    return bool(following) and (
        following[0] in ("more", "less", "better", "worse", "fewer") or following[0].endswith("er")
    )


def is_verbless(before: Clause, here: Clause) -> bool:
    """Say whether two clauses have no finite verb: "wages falling, prices rising"."""
    verbs = [t for t in (*before.tokens, *here.tokens) if t.pos_ in ("VERB", "AUX")]
    return all(t.tag_ == "VBG" for t in verbs)
