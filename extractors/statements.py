"""Find causal statements in what a person says freely: which concept moves which, and which way.

Mentions (see `mentions`) are linked where the words between them say so: a causing verb ("noise
puts people off"), a passive ("is driven up by"), a connective between two clauses (if, because, so,
the more ... the more), a preposition ("without X there is less Y") or a bare parallel ("more
people, more traffic"). The sign of a link is the product of the directions of its two ends and of
the verb. A pronoun stands for what the last link led to, or for what the question asks about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import Clause, is_negation, split_clauses, word
from beliefgraph.text.labels import read_label
from beliefgraph.text.lexicon import CAUSAL_VERBS
from beliefgraph.extractors.mentions import Mention, find_mentions, noun_phrases
from beliefgraph.extractors.signals import find_signals

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Statement", "find_statements"]


@dataclass(frozen=True)
class Statement:
    """One causal link as said; the span is of the clean text."""

    source: str
    target: str
    sign: int
    start: int
    end: int
    confidence: float
    pattern: str
    """Name of the pattern that found it."""


_HEDGE = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|could|may|guess|suppose|not sure|i think)\b", re.I)
_REPORTED = re.compile(
    r"\b(?:some|many|most|other|lots of|a lot of) people (?:say|think|believe|claim|argue|feel)"
    r"|\b(?:they|people|others|he|she|my [\w ]{2,20}|the [\w ]{2,20}) (?:says?|claims?|argues?|reckons?|keeps? saying|swears?)\b",
    re.I,
)
_PARTICLES = {"up": 1, "down": -1, "away": -1, "off": -1, "back": -1, "under": -1}
_NEUTRAL_VERBS = frozenset("bring push drive send drag keep put pull take get let hold turn leave".split())
_PHRASES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.I), sign)
    for pattern, sign in (
        (r"(?:eats?|eating|ate|cuts?|cutting|digs?) into|chips? away at|takes? away from|detracts? from", -1),
        (r"(?:at|to) the (?:expense|detriment) of|gets? in the way of|works? against|goes? against", -1),
        (r"puts? (?:a |the )?(?:brake|dent|damper|stop|end|strain|squeeze)s? (?:on|in|to)|stands? in the way of", -1),
        (r"crowds? out|wears? (?:down|away)|squeezes?|in check|gets? rid of|rules? out|keeps? (?:out|away)", -1),
        (r"hold(?:s|ing)? back|held back|drags? down|weighs? (?:on|down)|bad for|puts? (?:\w+ )?off|scares? (?:\w+ )?(?:off|away)", -1),
        (r"leads? to|leading to|led to|results? in|resulting in|brings? about|contributes? to|adds? to|gives? rise to", 1),
        (r"props? up|good for|goes? (?:hand in hand|along) with|opens? (?:up )?the door to|makes? for|translates? (?:in)?to", 1),
        (r"carr(?:y|ies) over into|feeds? into|spills? over into|turns? into|means?|meaning|results? from", 1),
    )
)
_CAUSE_AFTER = re.compile(
    r"\b(?:because of|due to|thanks to|owing to|as a result of|result(?:s|ing)? from|com(?:es?|ing) from|stems? from|down to"
    r"|caused by|driven (?:\w+ )?by|brought (?:on|about) by|on account of|by|from|out of|come out of|in the wake of)\s*$",
    re.I,
)
_CAUSE_BEFORE = re.compile(r"^\W*(?:(?:and|but|so|well|yeah|then) )*(?:with|without|because of|due to|thanks to|given|from|as a result of)\b", re.I)


def find_statements(doc: Doc, stance: str | None, topic: str | None, asked: str | None) -> list[Statement]:
    """Find the causal statements of an answer.

    Parameters
    ----------
    doc
        The clean answer, parsed.
    stance
        Label of the stance; "I would support it" speaks of it.
    topic
        What the stance is about; a pronoun with nothing before it stands for it.
    asked
        Concept that the question asks about, for which a first pronoun stands.
    """
    return _Search(doc, stance, topic, asked).run()


class _Search:
    """One pass over an answer; remembers what a pronoun stands for."""

    def __init__(self, doc: Doc, stance: str | None, topic: str | None, asked: str | None) -> None:
        self.doc = doc
        self.stance = stance
        self.antecedent: Mention | None = None
        first = asked or topic
        if first:
            self.antecedent = Mention(first, 1, False, -1, -1)
        self.found: dict[tuple[str, str, int], Statement] = {}
        self.phrases = noun_phrases(doc)

    def run(self) -> list[Statement]:
        clauses = split_clauses(self.doc)
        mentions = [self._mentions(clause, number) for number, clause in enumerate(clauses)]
        for number, clause in enumerate(clauses):
            resolved = [self._resolve(m) for m in mentions[number]]
            mentions[number] = [m for m in resolved if m is not None]
            self._inside(clause, mentions[number])
            if number:
                self._between(clauses, mentions, number)
            self._attitude(clause, mentions[number])
            if mentions[number]:
                self.antecedent = mentions[number][-1]
        return list(self.found.values())

    def _mentions(self, clause: Clause, number: int) -> list[Mention]:
        found = find_mentions(clause, self.phrases)
        stance = self._stance_mention(clause, number)
        if stance is not None:
            found = [m for m in found if m.end <= stance.start or m.start > stance.end + 3]
            found = [m for m in found if not (m.anaphor and m.start > stance.start)]
            found.append(stance)
        return sorted(found, key=lambda m: m.start)

    def _stance_mention(self, clause: Clause, number: int) -> Mention | None:
        """ "I'd back it", "people won't support it", "support drops"."""
        if self.stance is None:
            return None
        empty = read_label("")
        signals = [s for s in find_signals(clause, number, empty, empty) if s.kind == "stance"]
        signals = [s for s in signals if not s.neutralised]
        if not signals:
            return None
        last = signals[-1]
        return Mention(self.stance, last.sign, True, last.index, last.index + 1)

    def _resolve(self, mention: Mention) -> Mention | None:
        if not mention.anaphor:
            return mention
        if self.antecedent is None or mention.label in ("they", "these", "those"):
            return None
        # "and that ...": the change just spoken of, so its direction goes with it
        known = self.antecedent
        direction = mention.direction if mention.moved else known.direction
        return replace(known, direction=direction, start=mention.start, end=mention.end)

    def _inside(self, clause: Clause, mentions: list[Mention]) -> None:
        """Links between neighbours within one clause."""
        text_before = self.doc[clause.tokens[0].i : mentions[0].start].text if mentions else ""
        opening = bool(_CAUSE_BEFORE.match(text_before)) or text_before.lower().endswith(("with", "without"))
        for left, right in zip(mentions, mentions[1:], strict=False):
            between = self.doc[left.end : right.start]
            if not len(between):
                continue
            if opening and left is mentions[0]:
                self._add(left, right, left.direction * right.direction, clause, clause, 0.7, "preposition")
                continue
            if _CAUSE_AFTER.search(between.text):
                sign = self._passive_sign(between) * self._moved_sign(left) * right.direction
                self._add(right, left, sign, clause, clause, 0.75, "passive")
                continue
            act = self._act(between, right, clause)
            if act:
                self._add(left, right, act * left.direction * self._moved_sign(right), clause, clause, 0.8, "verb")

    def _moved_sign(self, mention: Mention) -> int:
        return mention.direction

    def _act(self, between: list[Token], right: Mention, clause: Clause) -> int:
        """Sign of the causing words between two mentions; 0 where there are none."""
        text = between.text  # type: ignore[attr-defined]
        negated = any(is_negation(t) for t in between)
        particle = self._particle(between, right, clause)
        act = 0
        for pattern, sign in _PHRASES:
            if pattern.search(text):
                act = sign
                break
        if not act:
            for token in between:
                lemma = word(token)
                if token.pos_ == "VERB" and lemma in CAUSAL_VERBS:
                    act = CAUSAL_VERBS[lemma]
                    if lemma in _NEUTRAL_VERBS or lemma in ("bring", "push", "drive", "keep"):
                        act = 1
                    if lemma in ("stop", "prevent", "keep") and particle == 0:
                        act = -1 if lemma != "keep" else 1
                    break
                if token.pos_ == "VERB" and lemma in _NEUTRAL_VERBS and particle:
                    act = 1
                    break
        if not act:
            return 0
        if particle:
            act *= particle if act > 0 else 1
        return -act if negated else act

    def _particle(self, between: list[Token], right: Mention, clause: Clause) -> int:
        """ "push up rents", "bring rents down"."""
        words = [t.lower_ for t in between]
        for said, sign in _PARTICLES.items():
            if said in words:
                return sign
        return 0

    def _passive_sign(self, between: list[Token]) -> int:
        sign = 1
        for token in between:
            lemma = word(token)
            if token.pos_ == "VERB" and CAUSAL_VERBS.get(lemma) == -1:
                sign = -sign
            if token.lower_ in ("down", "back") and lemma != "down to":
                following = self.doc[token.i + 1].lower_ if token.i + 1 < len(self.doc) else ""
                if following != "to":
                    sign = -1
            if is_negation(token):
                sign = -sign
        return sign

    def _between(self, clauses: list[Clause], mentions: list[list[Mention]], number: int) -> None:
        """Links between this clause and the one before it in the same sentence."""
        here = clauses[number]
        back = number - 1
        while back >= 0 and not mentions[back] and clauses[back].sentence == here.sentence:
            back -= 1
        if back < 0 or clauses[back].sentence != here.sentence or not mentions[number]:
            return
        before, left, right = clauses[back], mentions[back][-1], mentions[number][0]
        last_right = mentions[number][-1]
        joint = next(
            (clauses[n].joint for n in range(number, back, -1) if clauses[n].joint not in ("comma",)), "comma"
        )
        opens_with_if = before.joint == "if"
        if joint == "if":
            self._pair(last_right, mentions[back][0 if len(mentions[back]) == 1 else -1], before, here, 0.7, "if")
        elif joint == "because":
            if last_right.moved or left.moved or right.label == self.stance:
                self._pair(right, left, before, here, 0.65, "because")
        elif opens_with_if and joint in ("comma", "start", "so", "and"):
            self._pair(left, right, before, here, 0.75, "if")
        elif joint == "so":
            self._pair(left, right, before, here, 0.6, "so")
        elif self._parallel(before, here):
            self._pair(left, right, before, here, 0.75, "the more")
        elif joint in ("comma", "and") and left.moved and right.moved and self._verbless(before, here):
            self._pair(left, right, before, here, 0.5, "parallel")

    def _parallel(self, before: Clause, here: Clause) -> bool:
        def opens(clause: Clause) -> bool:
            words = [t.lower_ for t in clause.tokens[:3]]
            return "the" in words[:2] and any(w in ("more", "less", "better", "worse") or w.endswith("er") for w in words[1:])

        return opens(before) and opens(here)

    def _verbless(self, before: Clause, here: Clause) -> bool:
        return not any(t.pos_ in ("VERB", "AUX") for t in (*before.tokens, *here.tokens))

    def _pair(
        self, cause: Mention, effect: Mention, first: Clause, second: Clause, confidence: float, pattern: str
    ) -> None:
        self._add(cause, effect, cause.direction * effect.direction, first, second, confidence, pattern)

    def _attitude(self, clause: Clause, mentions: list[Mention]) -> None:
        """ "and I hate traffic": what the speaker feels about a thing bears on the stance."""
        if self.stance is None:
            return
        for token in clause.tokens:
            liked = {"hate": -1, "love": 1, "dislike": -1, "despise": -1, "enjoy": 1, "value": 1}.get(word(token))
            if liked is None or token.pos_ != "VERB":
                continue
            mine = any(t.lower_ in ("i", "we") for t in clause.tokens if t.i < token.i)
            thing = next((m for m in mentions if m.start > token.i), None)
            if mine and thing is not None:
                negated = any(is_negation(t) for t in clause.tokens if t.i < token.i)
                target = Mention(self.stance, 1, False, -1, -1)
                self._add(thing, target, liked * (-1 if negated else 1) * thing.direction, clause, clause, 0.35, "attitude")

    def _add(
        self, cause: Mention, effect: Mention, sign: int, first: Clause, second: Clause, confidence: float, pattern: str
    ) -> None:
        if cause.label.casefold() == effect.label.casefold() or cause.label == self.stance or not sign:
            return
        start, end = min(first.start, second.start), max(first.end, second.end)
        text = self.doc.text[start:end]
        if _HEDGE.search(text):
            confidence *= 0.8
        if _REPORTED.search(self.doc.text[max(0, start - 60) : end]):
            confidence *= 0.4
        key = (cause.label.casefold(), effect.label.casefold(), sign)
        statement = Statement(cause.label, effect.label, sign, start, end, round(confidence, 4), pattern)
        if key not in self.found or self.found[key].confidence < confidence:
            self.found[key] = statement
