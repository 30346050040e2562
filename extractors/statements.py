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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beliefgraph.extractors.acts import (
    act_between,
    denies,
    is_moved_out,
    is_put_down,
    passive_sign,
    rids_of,
    subject_of_act,
    what_is_made,
)
from beliefgraph.extractors.causal_phrases import (
    BLAME,
    CAUSE_AFTER,
    CAUSE_BEFORE,
    CONSEQUENCE,
    FAREWELL,
    REASON,
)
from beliefgraph.extractors.certainty import is_hedged
from beliefgraph.extractors.clause_pairs import (
    deny_effect,
    is_command,
    is_parallel,
    is_scene,
    is_verbless,
    opens_anew,
)
from beliefgraph.extractors.clauses import Clause, is_negation, split_clauses, text_of, word
from beliefgraph.extractors.mentions import Mention, find_mentions, noun_phrases
from beliefgraph.extractors.phrasings import find_report
from beliefgraph.extractors.signals import find_signals
from beliefgraph.text import content_words, read_label, same_stem
from beliefgraph.text.lexicon import OPPOSE, SUPPORT

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


_RELATIVE = ("which", "that", "it", "this")


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
        self.text = text_of(doc)
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
        if any(is_negation(t) and denies(self.doc, t.i) for t in clause.tokens):
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
                (CAUSE_AFTER.search(between.text) and not is_moved_out(self.doc, left, between))
                or (between[-1].lower_ == "by" and any(t.tag_ == "VBN" for t in between))
                or is_put_down(before, between)
                or (left.moved and re.search(r"\bwith(?: the)?$", between.text.lower()))
            ):
                if not any(is_negation(t) for t in between):
                    sign = passive_sign(self.doc, left, between) * left.direction * right.direction
                    self._add(right, left, sign, clause, 0.75, "passive")
            else:
                effect = what_is_made(self.doc, mentions, right, between)
                act = act_between(self.doc, between, effect, clause)
                if act:
                    cause = subject_of_act(mentions, left, between)
                    sign = act * cause.direction
                    self._add(cause, effect, sign * effect.direction, clause, 0.8, "verb")
                kept_off = rids_of(self.doc, mentions, right, between)
                if kept_off is not None:  # "protects the children from harm"
                    cause = subject_of_act(mentions, left, between)
                    sign = -cause.direction * kept_off.direction
                    self._add(cause, kept_off, sign, clause, 0.75, "verb")

    def _what_cleft(self, begin: int, left: Mention, between: Span) -> bool:
        """ "what puts me off it is the noise"."""
        opens = any(t.lower_ == "what" for t in self.doc[begin : left.start])
        return opens and left.label == self.stance and any(t.lemma_ == "be" for t in between)

    def _between(
        self, clauses: Sequence[Clause], mentions: list[list[Mention]], number: int
    ) -> None:
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
        if joint == "if" and opens_anew(here):
            return
        if joint == "if":
            caused = next((m for m in reversed(mentions[back]) if m.moved), mentions[back][-1])
            self._pair(effect, deny_effect(caused, before), before, here, 0.7, "if")
        elif joint == "because":
            told = right.moved or left.moved or left.label == self.stance
            self._pair(right, left, before, here, 0.65 if told else 0.4, "because")
        elif before.joint == "if" or is_scene(before):
            effect = deny_effect(effect, here)
            self._pair(left, effect, before, here, 0.75, "if")
        elif joint == "so":
            self._pair(left, effect, before, here, 0.6, "so")
        elif is_parallel(before, here):
            self._pair(left, effect, before, here, 0.75, "the more")
        elif joint == "and" and is_command(before) and effect.moved:
            self._pair(left, effect, before, here, 0.7, "imperative")
        elif joint in ("comma", "and") and left.moved and right.moved and is_verbless(before, here):
            self._pair(left, right, before, here, 0.5, "parallel")
        elif (
            joint == "comma"
            and self.doc[right.start].lower_ not in _RELATIVE
            and CAUSE_BEFORE.match(before.text + " ")
        ):
            self._pair(left, effect, before, here, 0.7, "preposition")

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
