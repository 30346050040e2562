"""Find causal statements in what a person says freely: which concept moves which, and which way.

Mentions (see `mentions`) are linked where the words between them say so: a causing verb ("noise
puts people off"), a passive ("is driven up by"), a noun of consequence ("the knock-on from X would
be less Y"), a connective between two clauses (if, because, so, the more ... the more), a
preposition ("without X there is less Y") or a bare parallel ("more people, more traffic"). The sign
of a link is the product of the directions of its two ends and of the verb. A pronoun stands for
what the last link led to, or for what the question asks about.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beliefgraph.extractors.causal_phrases import (
    BLAME,
    CAUSE_AFTER,
    CAUSE_BEFORE,
    CONSEQUENCE,
    EFFECT_ON,
    FAREWELL,
    HELP_WITH,
    NEGATIVE_WORD,
    PARTICLES,
    PHRASES,
    POSITIVE_WORD,
    REASON,
    SCENE,
)
from beliefgraph.extractors.certainty import is_hedged
from beliefgraph.extractors.clauses import Clause, is_negation, split_clauses, word
from beliefgraph.extractors.mentions import Mention, find_mentions, noun_phrases
from beliefgraph.extractors.phrasings import find_report
from beliefgraph.extractors.signals import find_signals
from beliefgraph.text import content_words, read_label, same_stem
from beliefgraph.text.lexicon import CARRYING_VERBS, CAUSAL_VERBS, DOWN, OPPOSE, SUPPORT, valence_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

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


_RELATIVE = frozenset({"that", "which", "who", "it", "'s"})


def find_statements(
    doc: Doc, stance: str | None, topic: str | None, asked: str | None
) -> list[Statement]:
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
        self.text = doc.text
        self.stance = stance
        self.topic = frozenset(read_label(topic).stems) if topic else frozenset()
        first = asked or topic
        self.antecedent = Mention(first, 1, False, -1, -1) if first else None
        self.last_effect: Mention | None = None
        self.found: dict[tuple[str, str, int], Statement] = {}
        self.phrases = noun_phrases(doc)

    def run(self) -> list[Statement]:
        clauses = split_clauses(self.doc)
        mentions: list[list[Mention]] = []
        for number, clause in enumerate(clauses):
            self.last_effect = None
            mentions.append(
                [m for m in map(self._resolve, self._mentions(clause, number)) if m is not None]
            )
            self._inside(clause, mentions[number])
            if number:
                self._between(clauses, mentions, number)
            self._attitude(clause, mentions[number])
            if mentions[number]:
                self.antecedent = self.last_effect or mentions[number][-1]
        return list(self.found.values())

    def _mentions(self, clause: Clause, number: int) -> list[Mention]:
        found = [self._as_stance(m) for m in find_mentions(clause, self.phrases)]
        side = self._takes_side(clause, number, found)
        if side is not None:
            found = [m for m in found if not self._swallowed(m, side)]
            found.append(side)
        if clause.excepts:  # "unless rents fall": if they do not
            found = [replace(m, direction=-m.direction, moved=True) for m in found]
        return sorted(found, key=lambda m: m.start)

    def _as_stance(self, mention: Mention) -> Mention:
        """ "support for bus lanes" is the stance; "opposition to them" its other end."""
        if self.stance is None or mention.anaphor:
            return mention
        lead = [t.lower_ for t in self.doc[max(0, mention.start - 5) : mention.start]]
        words = content_words(mention.label)
        sides = [(w in SUPPORT) - (w in OPPOSE) for w in words]
        if not any(sides):
            return mention
        rest = [w for w, side in zip(words, sides, strict=True) if not side]
        if all(any(same_stem(w, s) for s in self.topic) for w in rest):
            direction = mention.direction * (sum(sides) or 1)
            if any(
                w in ("struggle", "refuse", "hesitate", "never", "reluctant", "fail") for w in lead
            ):
                direction = -direction
            return replace(mention, label=self.stance, direction=direction, moved=True)
        return mention

    def _takes_side(self, clause: Clause, number: int, found: list[Mention]) -> Mention | None:
        """ "I'd back it", "people won't support it", "that turns me against it"."""
        if self.stance is None or any(m.label == self.stance for m in found):
            return None
        empty = read_label("")
        signals = [
            s for s in find_signals(clause, number, empty, empty)
            if s.kind == "stance" and not s.neutralised
        ]  # fmt: skip
        if not signals:
            return None
        last = signals[-1]
        return Mention(self.stance, last.sign, True, last.index, last.index + 1, composed=True)

    def _swallowed(self, mention: Mention, side: Mention) -> bool:
        """What one takes a side on is no further concept."""
        if mention.start <= side.start < mention.end:
            return True
        one_adjective = mention.end - mention.start == 1 and self.doc[mention.start].pos_ in (
            "ADJ",
            "ADV",
        )
        if one_adjective and side.start - 3 <= mention.start < side.start:
            return True  # "happier to back it"
        if mention.start < side.start or mention.start > side.end + 4:
            return False
        return mention.anaphor or read_label(mention.label).stems <= self.topic

    def _resolve(self, mention: Mention) -> Mention | None:
        if not mention.anaphor:
            return mention
        if self.antecedent is None or mention.label in ("they", "these", "those"):
            return None
        known = self.antecedent
        # "and that ...": the change just spoken of, so its direction goes with it
        # and what is raised or cut is the thing itself ("lower costs increase it")
        acted_on = self.doc[mention.start].dep_ == "dobj"
        carried = 1 if acted_on else known.direction
        direction = mention.direction if mention.moved else carried
        return replace(known, direction=direction, start=mention.start, end=mention.end)

    def _inside(self, clause: Clause, mentions: list[Mention]) -> None:
        """Links between neighbours within one clause."""
        if len(mentions) < 2:
            return
        begin = clause.tokens[0].i
        if any(is_negation(t) and self._denies(t.i) for t in clause.tokens):
            return
        opening = self.doc[begin : mentions[0].start].text
        fronted = bool(CAUSE_BEFORE.match(opening + " "))
        for left, right in itertools.pairwise(mentions):
            between = self.doc[left.end : right.start]
            before = self.doc[begin : left.start].text
            if not len(between):
                continue
            if self._what_cleft(begin, left, between):
                self._add(right, left, left.direction * right.direction, clause, 0.75, "cleft")
            elif left is mentions[0] and (fronted or CONSEQUENCE.search(before + " ")):
                gone = -1 if FAREWELL.search(between.text) else 1  # "you could forget about Y"
                sign = gone * left.direction * right.direction
                self._add(left, right, sign, clause, 0.7, "preposition")
            elif left is mentions[0] and BLAME.search(before) and between[0].lower_ == "for":
                self._add(left, right, left.direction * right.direction, clause, 0.7, "blame")
            elif (
                left is mentions[0]
                and REASON.search(before + " ")
                and any(t.lemma_ == "be" for t in between)
            ):
                self._add(right, left, left.direction * right.direction, clause, 0.65, "reason")
            elif (
                CAUSE_AFTER.search(between.text)
                or (between[-1].lower_ == "by" and any(t.tag_ == "VBN" for t in between))
                or self._put_down(before, between)
                or (left.moved and re.search(r"\bwith(?: the)?$", between.text.lower()))
            ):
                if not any(is_negation(t) for t in between):
                    sign = self._passive_sign(left, between) * left.direction * right.direction
                    self._add(right, left, sign, clause, 0.75, "passive")
            else:
                effect = self._made(mentions, right, between)
                act = self._act(between, effect, clause)
                if act:
                    self._add(
                        left, effect, act * left.direction * effect.direction, clause, 0.8, "verb"
                    )

    def _made(self, mentions: list[Mention], right: Mention, between: Span) -> Mention:
        """ "makes cities more affordable": affordability is what is made, of cities."""
        if not any(word(t) in ("make", "keep", "leave", "get") for t in between):
            return right
        following = next((m for m in mentions if right.end <= m.start <= right.end + 2), None)
        adjective = following is not None and self.doc[following.start].pos_ == "ADJ"
        return following if following is not None and adjective else right

    def _what_cleft(self, begin: int, left: Mention, between: Span) -> bool:
        """ "what puts me off it is the noise"."""
        opens = any(t.lower_ == "what" for t in self.doc[begin : left.start])
        return opens and left.label == self.stance and any(t.lemma_ == "be" for t in between)

    def _denies(self, at: int) -> bool:
        """ "I don't think it ..." denies what follows."""
        return any(
            word(t)
            in ("think", "believe", "see", "feel", "confident", "sure", "certain", "convinced")
            for t in self.doc[at + 1 : at + 3]
        )

    def _put_down(self, before: str, between: Span) -> bool:
        """ "I put X down to Y"."""
        return bool(re.search(r"\bputs?\b", before)) and between.text.lower().startswith("down to")

    def _act(self, between: Span, right: Mention, clause: Clause) -> int:
        """Sign of the causing words between two mentions; 0 where there are none."""
        text = between.text
        negated = any(
            is_negation(t) and self.doc[t.i + 1].lower_ not in ("just", "only") for t in between
        )
        act = next((sign for pattern, sign in PHRASES if pattern.search(text)), 0)
        if EFFECT_ON.search(text):
            act = self._effect_sign(text)
            if not act:
                return 0  # an effect, and no word of its direction
        if not act and HELP_WITH.search(text):
            act = (
                -1
                if right.direction < 0 or any(valence_of(w) < 0 for w in content_words(right.label))
                else 1
            )
        if not act:
            particle = next((PARTICLES[t.lower_] for t in between if t.lower_ in PARTICLES), 0)
            carries = any(t.pos_ == "VERB" and word(t) in CARRYING_VERBS for t in between)
            if carries and not particle and not right.moved:
                particle = self._trailing_particle(right, clause)
            for token in between:
                lemma = word(token)
                if token.pos_ not in ("VERB", "AUX", "NOUN", "ADJ"):
                    continue
                if token.tag_ == "VBN" and any(c.dep_ == "auxpass" for c in token.children):
                    continue  # "lorries being parked there cut trade": done to them, not by them
                verb = token.pos_ == "VERB" or (token.i and token.nbor(-1).tag_ == "MD")
                if lemma in CARRYING_VERBS and (particle or right.moved):
                    act = particle or 1
                elif verb and lemma in CAUSAL_VERBS:
                    act = 1 if CAUSAL_VERBS[lemma] > 0 and particle >= 0 else -1
                    if CAUSAL_VERBS[lemma] < 0 and right.moved and lemma in ("knock", "drag"):
                        act = 1  # "drag it down": the particle holds the direction
                if act:
                    break
        if right.composed:  # the verb is in the idiom: "more noise would put me off"
            helpers = all(
                t.pos_ in ("AUX", "ADV", "PART") or t.lower_ in _RELATIVE for t in between
            )
            return 1 if act or helpers else 0
        return 0 if negated else act  # "won't raise it" is no effect, not the opposite one

    def _effect_sign(self, text: str) -> int:
        """ "has a negative effect on"."""
        return bool(POSITIVE_WORD.search(text)) - bool(NEGATIVE_WORD.search(text))

    def _trailing_particle(self, right: Mention, clause: Clause) -> int:
        """ "bring trade on the high street down"."""
        for token in self.doc[right.end : min(right.end + 8, clause.tokens[-1].i + 1)]:
            if token.lower_ in ("up", "down", "back"):
                return PARTICLES[token.lower_]
            if (token.pos_ in ("VERB", "AUX", "PRON") and token.tag_ != "VBG") or token.lower_ in (
                "because",
                "with",
            ):
                return 0
        return 0

    def _passive_sign(self, left: Mention, between: Span) -> int:
        sign = 1
        for token in between:
            lemma = word(token)
            following = self.doc[token.i + 1].lower_ if token.i + 1 < len(self.doc) else ""
            if (
                (
                    token.pos_ == "VERB"
                    and CAUSAL_VERBS.get(lemma) == -1
                    and not (left.moved and lemma in DOWN)
                )
                or token.lower_ == "back"
                or (token.lower_ == "down" and following != "to" and not left.moved)
            ):
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
        if left.moved is False and mentions[back][0].moved:
            left = mentions[back][0]
        joints = [clauses[n].joint for n in range(number, back, -1)]
        joint = next((j for j in joints if j != "comma"), "comma")
        effect = next((m for m in mentions[number] if m.moved), right)
        if joint == "if" and self._opens_anew(here):
            return
        if joint == "if":
            caused = next((m for m in reversed(mentions[back]) if m.moved), mentions[back][-1])
            self._pair(effect, self._denied(caused, before), before, here, 0.7, "if")
        elif joint == "because":
            told = right.moved or left.moved or left.label == self.stance
            self._pair(right, left, before, here, 0.65 if told else 0.4, "because")
        elif before.joint == "if" or self._is_scene(before):
            effect = self._denied(effect, here)
            self._pair(left, effect, before, here, 0.75, "if")
        elif joint == "so":
            self._pair(left, effect, before, here, 0.6, "so")
        elif self._parallel(before, here):
            self._pair(left, effect, before, here, 0.75, "the more")
        elif joint == "and" and self._imperative(before) and effect.moved:
            self._pair(left, effect, before, here, 0.7, "imperative")
        elif (
            joint in ("comma", "and")
            and left.moved
            and right.moved
            and self._verbless(before, here)
        ):
            self._pair(left, right, before, here, 0.5, "parallel")
        elif (
            joint == "comma" and not self._relative(right) and CAUSE_BEFORE.match(before.text + " ")
        ):
            self._pair(left, effect, before, here, 0.7, "preposition")

    def _denied(self, effect: Mention, clause: Clause) -> Mention:
        """Turn "we wouldn't see more rents" round; the stance's negations are in it already."""
        if effect.composed or not effect.moved:
            return effect
        before = [t for t in clause.tokens if t.i < effect.start and is_negation(t)]
        odd = sum(t.lower_ not in ("without", "no") for t in before) % 2
        return replace(effect, direction=-effect.direction) if odd else effect

    def _relative(self, mention: Mention) -> bool:
        return self.doc[mention.start].lower_ in ("which", "that", "it", "this")

    def _opens_anew(self, clause: Clause) -> bool:
        """ "..., and once it drops, ...": the condition belongs to what follows."""
        first = clause.tokens[0].i
        return first > 0 and self.doc[first - 1].lower_ in ("and", "but", "so", "then")

    def _is_scene(self, clause: Clause) -> bool:
        return bool(SCENE.match(clause.text))

    def _imperative(self, clause: Clause) -> bool:
        """ "take away the parking and trade would drop"."""
        first = next(
            (t for t in clause.tokens if t.lower_ not in ("and", "so", "well", "just")), None
        )
        return first is not None and first.pos_ == "VERB" and first.tag_ in ("VB", "VBP")

    def _parallel(self, before: Clause, here: Clause) -> bool:
        def opens(clause: Clause) -> bool:
            words = [t.lower_ for t in clause.tokens[:4]]
            if "the" not in words:
                return False
            following = words[words.index("the") + 1 :][:1]
            return bool(following) and (
                following[0] in ("more", "less", "better", "worse", "fewer")
                or following[0].endswith("er")
            )

        return opens(before) and opens(here)

    def _verbless(self, before: Clause, here: Clause) -> bool:
        """ "more people, more traffic", "wages falling, prices rising"."""
        verbs = [t for t in (*before.tokens, *here.tokens) if t.pos_ in ("VERB", "AUX")]
        return all(t.tag_ == "VBG" for t in verbs)

    def _pair(
        self,
        cause: Mention,
        effect: Mention,
        first: Clause,
        second: Clause,
        confidence: float,
        pattern: str,
    ) -> None:
        self._add(
            cause, effect, cause.direction * effect.direction, first, confidence, pattern, second
        )

    def _attitude(self, clause: Clause, mentions: list[Mention]) -> None:
        """ "and I hate traffic": what the speaker feels about a thing bears on the stance."""
        if self.stance is None:
            return
        for token in clause.tokens:
            liked = {
                "hate": -1,
                "love": 1,
                "dislike": -1,
                "despise": -1,
                "enjoy": 1,
                "value": 1,
            }.get(word(token))
            if liked is None or token.pos_ != "VERB":
                continue
            mine = any(t.lower_ in ("i", "we") for t in clause.tokens if t.i < token.i)
            thing = next((m for m in mentions if m.start > token.i), None)
            if mine and thing is not None and thing.label != self.stance:
                negated = any(is_negation(t) for t in clause.tokens if t.i < token.i)
                target = Mention(self.stance, 1, False, -1, -1)
                sign = liked * (-1 if negated else 1)
                self._add(thing, target, sign, clause, 0.35, "attitude")

    def _add(
        self,
        cause: Mention,
        effect: Mention,
        sign: int,
        first: Clause,
        confidence: float,
        pattern: str,
        second: Clause | None = None,
    ) -> None:
        if (
            cause.label.casefold() == effect.label.casefold()
            or cause.label == self.stance
            or not sign
        ):
            return
        if read_label(cause.label).stems == read_label(effect.label).stems:
            return
        if effect.label == self.stance and read_label(cause.label).stems == self.topic:
            return  # "the ban is a good thing, so yes": the stance itself
        self.last_effect = replace(effect, direction=sign * cause.direction)
        clauses = (first, second or first)
        start, end = min(c.start for c in clauses), max(c.end for c in clauses)
        text = self.text[start:end]
        if is_hedged(text):
            confidence *= 0.8
        if find_report(self.text[max(0, start - 60) : end]):
            confidence *= 0.4
        key = (cause.label.casefold(), effect.label.casefold(), sign)
        if key not in self.found or self.found[key].confidence < confidence:
            self.found[key] = Statement(
                cause.label, effect.label, sign, start, end, round(confidence, 4), pattern
            )
