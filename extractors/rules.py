"""The offline reader: questions by their templates, answers and statements by rules of language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from beliefgraph.extractors.answers import Said, read_answer
from beliefgraph.extractors.clauses import split_clauses
from beliefgraph.extractors.cleaning import CleanText, clean
from beliefgraph.extractors.level import Level, read_level
from beliefgraph.extractors.mentions import Mention, find_mentions, noun_phrases
from beliefgraph.extractors.moves import is_of
from beliefgraph.extractors.pipeline import parse_texts
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.reader import Context, TurnReadings
from beliefgraph.extractors.signals import find_signals
from beliefgraph.extractors.statements import Statement, find_statements
from beliefgraph.graph import Evidence, Kind, Reading
from beliefgraph.text import content_words, is_degenerate, lexical_tie, read_label, stem
from beliefgraph.text.lexicon import SUPPORT
from beliefgraph.transcript import Turn

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["RuleReader"]

_PROBES = ("effect", "relationship", "immediacy", "small_changes", "confidence")
_SAME_AS_BEFORE = re.compile(
    r"\b(?:same (?:as (?:before|earlier|last|above|i|that|my|with|for|the)\b|thing(?: again)?$"
    r"|answer|again|here\b|for (?:this|that))"
    r"|(?:like|as) i (?:just |already )?(?:said|mentioned|told you)"
    r"|(?:i )?already (?:said|answered|told you)|ditto|likewise|still (?:goes|stands|holds)"
    r"|(?:in )?the same (?:direction|way)\b|again,? the same|other way (?:a)?round"
    r"|(?:see|refer to) (?:above|(?:my|the) (?:last|earlier|previous) answer))\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\bother way (?:a)?round|\b(?:opposite|reverse) (?:of|to|way)\b|\bupside down\b",
    re.IGNORECASE,
)


class RuleReader:
    """Reads by rules; needs the spaCy pipeline and nothing else."""

    name = "rules"

    def read(self, turns: Sequence[Turn], context: Context) -> list[TurnReadings]:
        """Read every turn, in order."""
        texts = [clean(turn.answer) for turn in turns]
        docs = parse_texts(text.text for text in texts)
        read: list[TurnReadings] = []
        for turn, text, doc, question in zip(turns, texts, docs, context.questions, strict=True):
            found = _TurnReader(self.name, turn, text, doc, question, context).read()
            read.append(_refer_back(found, turn, question, read))
        return read


class _TurnReader:
    """Reads one turn."""

    def __init__(
        self,
        name: str,
        turn: Turn,
        text: CleanText,
        doc: Doc,
        question: Question,
        context: Context,
    ) -> None:
        self.name, self.turn, self.text, self.doc = name, turn, text, doc
        self.question, self.context = question, context

    def read(self) -> TurnReadings:
        if self.turn.role == "tutorial":
            return self._only("nothing", "a tutorial turn of the interviewing system")
        if not any(token.is_alpha for token in self.doc):
            return self._only("off_topic", "nothing said")
        statements = self._find_statements()
        readings = self._probe(statements) if self._is_probe() else []
        readings += self._statements(statements, readings)
        if self.question.family == "causes":
            readings += self._factors(readings)
        if self.question.family in ("effects_of", "impact") and not statements:
            readings += self._outcomes(readings)
        level = self._level()
        if not readings:
            return replace(
                self._only(*self._why_nothing(level)),
                level=level,
                level_evidence=self._quote_level(level),
            )
        return TurnReadings(self.turn.qa_id, tuple(readings), level, self._quote_level(level))

    def _is_probe(self) -> bool:
        question = self.question
        if question.family in _PROBES:
            return bool(question.source and question.target)
        if question.family != "impact" or question.target is None:
            return False
        several = " and " in question.target or "," in question.target
        target = read_label(question.target)
        return not several and any(is_of(token, target) for token in self.doc)

    def _probe(self, statements: list[Statement]) -> list[Reading]:
        question = self.question
        source, target = question.source or "", question.target or ""
        if question.family == "impact":
            source = self.context.topic
        for end in (source, target):
            if is_degenerate(end, self.context.stance):
                return [
                    self._reading(
                        said,
                        None,
                        None,
                        note=f"the question's {end!r} speaks of an effect, not of a concept",
                    )
                    for said in read_answer(self.doc, question)[:1]
                ]
        said_all = read_answer(self.doc, replace(question, source=source), statements)
        return [self._reading(said, source, target) for said in said_all]

    def _find_statements(self) -> list[Statement]:
        asked = self.question.source if self.question.family in _PROBES else None
        if self.question.family == "causes":
            asked = self.question.target
        if asked is not None and is_degenerate(asked, self.context.stance):
            asked = None
        return find_statements(self.doc, self.context.stance, self.context.topic, asked)

    def _statements(self, statements: list[Statement], probe: list[Reading]) -> list[Reading]:
        found = []
        for statement in statements:
            if any(_same_pair(statement, reading) for reading in probe):
                continue
            if probe and statement.pattern == "attitude":
                continue
            sign: Literal[-1, 1] = 1 if statement.sign > 0 else -1
            kind: Kind = "positive" if sign > 0 else "negative"
            said = Said(kind, statement.start, statement.end, sign, None, statement.confidence)
            found.append(
                self._reading(said, statement.source, statement.target, note=statement.pattern)
            )
        return found

    def _factors(self, known: list[Reading]) -> list[Reading]:
        """Factors listed in answer to "what influences Y?"."""
        target = self.question.target
        if target is None or is_degenerate(target):
            return []
        told = {_key(r.source) for r in known} | {_key(r.target) for r in known}
        phrases = noun_phrases(self.doc)
        found = []
        empty, goal = read_label(""), read_label(target)
        for number, clause in enumerate(split_clauses(self.doc)):
            mentions = [m for m in find_mentions(clause, phrases) if not m.anaphor]
            mentions = [
                m for m in mentions
                if _key(m.label) not in told and not self._is_adjective(m)
                and not read_label(m.label).stems & goal.stems
                and not any(w in SUPPORT for w in content_words(m.label))
            ]  # fmt: skip
            if not mentions:
                continue
            signals = [
                s for s in find_signals(clause, number, empty, goal)
                if s.kind in ("effect", "verb", "stance") and not s.neutralised
            ]  # fmt: skip
            mention = mentions[0]
            told.add(_key(mention.label))
            sign = signals[0].sign * mention.direction if signals else 0
            kind: Kind = "unstated" if not sign else "positive" if sign > 0 else "negative"
            said = Said(kind, clause.start, clause.end, sign or None, None, 0.5)
            found.append(self._reading(said, mention.label, target, note="named as a factor"))
        return found

    def _is_adjective(self, mention: Mention) -> bool:
        return mention.end - mention.start == 1 and self.doc[mention.start].pos_ in ("ADJ", "ADV")

    def _outcomes(self, known: list[Reading]) -> list[Reading]:
        """Outcomes listed in answer to "what does X lead to?"."""
        source = self.question.source or ""
        topic = read_label(self.context.topic).stems
        if self.question.family == "impact" or topic <= read_label(source).stems:
            source = self.context.topic
        if not source or is_degenerate(source):
            return []
        told = {_key(r.source) for r in known} | {_key(r.target) for r in known} | {_key(source)}
        phrases = noun_phrases(self.doc)
        own = read_label(source).stems
        found = []
        for clause in split_clauses(self.doc):
            if clause.joint == "if":
                continue
            for mention in find_mentions(clause, phrases):
                if mention.anaphor or not mention.moved or _key(mention.label) in told:
                    continue
                about = content_words(mention.label)
                if read_label(mention.label).stems <= own or any(w in SUPPORT for w in about):
                    continue
                told.add(_key(mention.label))
                kind: Kind = "positive" if mention.direction > 0 else "negative"
                said = Said(kind, clause.start, clause.end, mention.direction, None, 0.45)
                found.append(self._reading(said, source, mention.label, note="named as an outcome"))
        return found

    def _level(self) -> Level | None:
        if self.question.family not in ("stance", "open"):
            return None
        return read_level(self.doc, self.question)

    def _quote_level(self, level: Level | None) -> Evidence | None:
        if level is None:
            return None
        sign: Literal[-1, 0, 1] = 1 if level.value > 0 else -1 if level.value < 0 else 0
        return self._evidence(level.start, level.end, sign, abs(level.value), 1.0)

    def _why_nothing(self, level: Level | None) -> tuple[Kind, str]:
        """Why an answer to an open question gave no influence."""
        if level is not None:
            return "nothing", "where the person stands, and no causal statement"
        said = read_answer(self.doc, Question("open"))
        if said[0].kind in ("dont_know", "not_understood", "off_topic"):
            return said[0].kind, "no causal statement"
        return "nothing", "no causal statement"

    def _only(self, kind: Kind, note: str) -> TurnReadings:
        evidence = self._evidence(0, len(self.text.text), None, None, 1.0)
        return TurnReadings(self.turn.qa_id, (Reading(kind=kind, evidence=evidence, note=note),))

    def _reading(
        self, said: Said, source: str | None, target: str | None, note: str = ""
    ) -> Reading:
        sign: Literal[-1, 0, 1] | None = None
        if said.sign is not None:
            sign = 1 if said.sign > 0 else -1 if said.sign < 0 else 0
        evidence = self._evidence(said.start, said.end, sign, said.strength, said.confidence)
        return Reading(
            kind=said.kind, source=source, target=target, evidence=evidence, note=note or said.note
        )

    def _evidence(
        self,
        start: int,
        end: int,
        sign: Literal[-1, 0, 1] | None,
        strength: float | None,
        confidence: float,
    ) -> Evidence:
        first, last = self.text.span(start, end)
        return Evidence(
            qa_id=self.turn.qa_id,
            start=first,
            end=last,
            quote=self.turn.answer[first:last],
            sign=sign,
            strength=strength,
            confidence=confidence,
            extractor=self.name,
        )


def _same_pair(statement: Statement, probe: Reading) -> bool:
    """Say whether a statement is what the probe's reading already says."""
    if probe.source is None or probe.target is None or not probe.evidence.sign:
        return False
    cause = lexical_tie(statement.source, probe.source).similarity >= 0.6
    effect = lexical_tie(statement.target, probe.target).similarity >= 0.6
    if cause and effect:
        return True
    # "quicker buses mean more support", said of bus speed: the same thing in other words
    inside = probe.evidence.start <= statement.start and statement.end <= probe.evidence.end
    return (cause or effect) and inside


def _key(label: str | None) -> str:
    return (label or "").casefold()


def _refer_back(
    found: TurnReadings, turn: Turn, question: Question, earlier: list[TurnReadings]
) -> TurnReadings:
    """Resolve "same as before", "ditto", "same as the noise" to the turn that they mean.

    That is the last turn about the concept that the answer names, else the last about the same
    effect; "the other way round" turns its sign.
    """
    first = found.readings[0]
    open_kind = first.kind in ("unstated", "nothing", "off_topic")
    if question.family not in _PROBES or first.source is None or not open_kind:
        return found
    if _SAME_AS_BEFORE.search(turn.answer) is None:
        return found
    meant = [
        (before.qa_id, reading)
        for before in reversed(earlier)
        for reading in before.readings
        if reading.evidence.sign is not None
        and reading.target == first.target
        and reading.note in ("", "one of two sides")
    ]
    words = {stem(word) for word in content_words(turn.answer)}
    named = [pair for pair in meant if read_label(pair[1].source or "").stems & words]
    if not meant:
        return found
    qa_id, model = (named or meant)[0]
    sign, kind = model.evidence.sign, model.kind
    if sign and _TURNED.search(turn.answer):
        sign, kind = (-1, "negative") if sign > 0 else (1, "positive")
    evidence = first.evidence.replace(
        sign=sign,
        strength=model.evidence.strength,
        confidence=round(0.7 * model.evidence.confidence, 4),
    )
    back = first.replace(kind=kind, evidence=evidence, note=f"refers back to turn {qa_id}")
    return replace(found, readings=(back, *found.readings[1:]))
