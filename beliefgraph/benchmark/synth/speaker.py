"""Put one synthetic person's influences into words: the renderer's vocabulary and voice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

Strength: TypeAlias = Literal["weak", "unstated", "strong"]
Style: TypeAlias = Literal[
    "clean", "plain", "talkative", "hedged", "terse", "speech", "contradictory", "off_topic"
]
Kind: TypeAlias = Literal[
    "positive", "negative", "no_effect", "dont_know", "mixed", "off_topic", "not_understood", "open"
]
Truth: TypeAlias = tuple[str, str, int]
Topic: TypeAlias = dict[str, Any]
Bank: TypeAlias = dict[str, Any]

_LEVELS: Final = ("strong_oppose", "oppose", "oppose", "lean_oppose", "neutral", "neutral",
                  "lean_support", "support", "support", "strong_support")  # fmt: skip
# "I'm against it because of parking" may mean too much or too little of it: where the sign goes
# against the usual valence, only phrases that say which way things move are used.
_LOOSE: Final = re.compile(
    r"because of|on account of|thanks to|blame|down to|thought about|stands on|would count"
    r"|strength of|black mark|feather|would have to be|would be \{[xy]\}$|pay the price"
)
_SURE: Final = re.compile(
    r"definite|no doubt|no question|absolutely|plain and simple|promise|certain", re.IGNORECASE
)
_INVERSE: Final = re.compile(
    r"\b(less|fewer|lower|weaker|slower|shorter|worse|harder|without|rid of|take|drop|lost|lose"
    r"|unless|while you|only|cut|scale|weren't|cutting|went down|came down|fell|struggle)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TrueEdge:
    """An influence that the synthetic person holds; `sign` is +1 or -1."""

    source: str
    target: str
    sign: int
    strength: Strength = "unstated"


@dataclass(frozen=True, slots=True)
class RenderedTurn:
    """One question and answer; `truths` are the influences that its words assert, in order.

    A turn that contradicts itself lists both mentions; its `kind` is that of the first.
    """

    qa_id: str
    question: str
    answer: str
    truths: tuple[Truth, ...]
    kind: Kind


def sign_name(sign: int) -> Literal["positive", "negative"]:
    """Name a sign as the banks key it."""
    return "positive" if sign > 0 else "negative"


def lower_first(text: str) -> str:
    """Lower the first letter, unless the first word is "I"."""
    return text if re.match(r"I\b", text) else text[:1].lower() + text[1:]


def tidy(text: str) -> str:
    """End with a stop, and begin every sentence with a capital."""
    text = text if text.endswith((".", "?", "!")) else text + "."
    return re.sub(r"(^|[.?!]\s+)([a-z])", lambda m: m[1] + m[2].upper(), text)


class Speaker:
    """Turns influences into words, in one style, avoiding phrases already used."""

    def __init__(self, topic: Topic, style: Style, bank: Bank, rng: np.random.Generator) -> None:
        self.stance: str = topic["stance"]["label"]
        self.object: str = topic["stance_object"]
        self.concepts = {c["label"]: c for c in (*topic["concepts"], topic["stance"])}
        self.style, self.bank, self.rng, self.used = style, bank, rng, set[str]()

    def chance(self, p: float) -> bool:
        """Be true with probability `p`."""
        return bool(self.rng.random() < p)

    def pick(self, options: Sequence[str]) -> str:
        """Choose a phrase, a new one if there is one, a short one if terse."""
        fresh = [t for t in options if t not in self.used] or list(options)
        drawn = [fresh[int(i)] for i in self.rng.integers(len(fresh), size=3)]
        choice = min(drawn, key=len) if self.style == "terse" else drawn[0]
        self.used.add(choice)
        return choice

    def fill(self, template: str, *labels: str) -> str:
        """Fill the slots x, y, z of a template with ways of saying the concepts `labels`."""
        slots = {"stance_object": self.object}
        for letter, label in zip("xyz", labels, strict=False):
            concept = self.concepts[label]
            spoken = [label.lower(), *concept["spoken"]]
            slots[letter] = slots[f"reason_{letter}"] = str(self.rng.choice(spoken))
            slots[f"more_{letter}"], slots[f"less_{letter}"] = concept["more"], concept["less"]
        return template.format(**slots)

    def agrees(self, edge: TrueEdge) -> bool:
        """Say whether the sign is the one that the usual valence of the two ends suggests."""
        valence = self.concepts[edge.source]["valence"] * self.concepts[edge.target]["valence"]
        return bool(edge.sign == valence)

    def statement(self, edge: TrueEdge) -> str:
        """Assert one influence in a free answer."""
        sign, target = sign_name(edge.sign), self.concepts[edge.target]
        pool = list(self.bank["free_statement"][sign])
        if edge.target == self.stance:
            pool = self.bank["free_statement_stance"][sign] * 2 + pool
        elif target["judged"]:
            pool += self.bank["valenced_statement"][sign][
                "good" if target["valence"] > 0 else "bad"
            ]
        if not self.agrees(edge):
            pool = [t for t in pool if not _LOOSE.search(t) or "more_x" in t or "less_x" in t]
        return self.fill(self.pick(pool), edge.source, edge.target)

    def chain(self, first: TrueEdge, second: TrueEdge) -> str:
        """Assert two influences that share their middle concept."""
        key = "".join("+" if e.sign > 0 else "-" for e in (first, second))
        labels = first.source, first.target, second.target
        return self.fill(self.pick(self.bank["chain"][key]), *labels)

    def answer(self, edge: TrueEdge, family: str, tail: bool) -> str:
        """Assert one influence in answer to a probe about it."""
        sign, labels, plain = (
            sign_name(edge.sign),
            (edge.source, edge.target),
            self.style == "clean",
        )
        if edge.strength == "unstated":
            if self.style in ("plain", "talkative", "speech") and self.chance(0.12):
                return self.fill(self.pick(self.bank["reported_opinion"][sign]), *labels)
            if self.chance(0.5 if plain else 0.2):
                return self.statement(edge)
        cell = self.bank["probe_answer"][sign][edge.strength]
        pool = list(cell["any"])
        if family == "effect" or tail:
            pool += cell["effect"] * 2
        if edge.target == self.stance:
            pool += cell["stance"] * 2
        if self.style == "hedged":
            pool = [t for t in pool if not _SURE.search(t)]
        elif family == "confidence":
            pool += cell["confidence"] * 4
        return self.fill(self.pick([t for t in pool if "{" in t or not plain]), *labels)

    def contradiction(self, edge: TrueEdge, said: str) -> str:
        """Reverse what was just said of one influence, `said`."""
        bank = self.bank["contradict_suffix"]
        pool = bank["either"] + bank[sign_name(-edge.sign)]
        if _INVERSE.search(said):  # after "without x, ..." an "it" would not be x
            pool = [t for t in bank[sign_name(-edge.sign)] if re.search(r"\{(more_)?x\}", t)]
        return self.fill(self.pick(pool), edge.source, edge.target)

    def dress(self, text: str, labels: Sequence[str] = (), *, signed: bool = True) -> str:
        """Add to an answer what the style adds; `signed` is False for an answer without effect."""
        bank, style = self.bank, self.style
        if signed and style not in ("clean", "terse", "hedged") and self.chance(0.25):
            text = f"{self.pick(bank['opener'])} {lower_first(text)}"
        if signed and style == "hedged":
            where = self.rng.integers(3)
            text = text if where == 0 else f"{self.pick(bank['hedge_prefix'])} {lower_first(text)}"
            text = text if where == 1 else f"{tidy(text)} {self.pick(bank['hedge_suffix'])}"
        if style == "talkative" and self.chance(0.5):
            text = f"{tidy(text)} {self.pick(bank['ramble'])}"
        if style == "speech":
            slotted = [t for t in bank["false_start"] if labels or "{" not in t]
            start = self.fill(self.pick(slotted), *labels) if signed and self.chance(0.3) else ""
            return self.asr(f"{start} {text}")
        return tidy(text)

    def asr(self, text: str) -> str:
        """Make a text look like the output of a speech recogniser."""
        words: list[str] = []
        for word in re.sub(r"[^\w\s'-]", "", text.replace(":", " ")).lower().split():
            if self.chance(0.07):
                words += str(self.rng.choice(self.bank["filler"])).lower().split()
            words.append(word)
            if self.chance(0.04):
                words += words[-int(self.rng.integers(1, 3)) :]
        noise = self.pick(self.bank["asr_hallucination"]) if self.chance(0.12) else ""
        return " ".join([*words, noise] if self.chance(0.7) else [noise, *words]).strip()

    def opening(self, level: int, edges: Sequence[TrueEdge]) -> tuple[str, tuple[Truth, ...]]:
        """Say how far the stance is supported, perhaps with one reason."""
        cell = self.bank["opening"][_LEVELS[level - 1]]
        into = [e for e in edges if e.target == self.stance and self.agrees(e)]
        into = [e for e in into if cell[f"reason_{sign_name(e.sign)}"]]
        if not into or self.chance(0.5):
            text = self.fill(self.pick(cell["plain"]))
            return self.dress(text, signed=self.style != "hedged"), ()
        edge = into[int(self.rng.integers(len(into)))]
        text = self.fill(self.pick(cell[f"reason_{sign_name(edge.sign)}"]), edge.source)
        truth = (edge.source, edge.target, edge.sign)
        return self.dress(text, signed=self.style != "hedged"), (truth,)
