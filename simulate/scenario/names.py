"""What a concept's name is about, beyond its bag of words: its main name, its act, its measure.

"Fines for driving in the lane" is about fines, "Number of cars in town" about cars, "How often the
bus comes" about something that happens every so many minutes, "Paying for the meter" about an act.
No word list here is about a topic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from beliefgraph.simulate.scenario.words import Clause, is_direction, naming_words
from beliefgraph.text import content_words, read_label, same_stem, scale_side, stem
from beliefgraph.text.lexicon import BAD, GOOD

__all__ = [
    "act_said",
    "acts_on_another",
    "before_preposition",
    "main_name",
    "measured",
    "names_another",
    "names_main",
    "quality_of",
    "same_word",
    "vague",
    "with_plurals_of",
    "without_compounds",
]

_PREPOSITIONS: Final = frozenset(
    "of in on for to with by from at between among about against without within over near around "
    "through during towards toward under".split()
)
_QUANTITIES: Final = re.compile(
    r"^(?:the )?(?:number|amount|level|volume|rate|share|degree|extent|use|usage|presence|spread)s?"
    r" of (?:the )?(?=\w)",
    re.IGNORECASE,
)
"""Start of a label that names how much there is of the thing that follows."""
_VAGUE: Final = frozenset(
    stem(word)
    for word in (
        "number amount level volume rate share degree extent use usage time way people person "
        "place thing part kind work money day week month year hour life need chance right loss "
        "lack access quality support control change effect problem question feeling sense impact"
    ).split()
)
"""Words that say little without what follows them: "time" is not "Time with my children"."""
_ACT: Final = re.compile(
    r"^(?P<act>[a-z]{2,}ing) (?:for|of|on|in|to|at|with|about|up|off|out|down|away|the|an?|my|our"
    r"|your|their|his|her|its|what|who|how)\b",
    re.IGNORECASE,
)
"""Start of a label that names an act, and no noun that takes another: not "Parking spaces"."""
_PAST: Final = {
    "sold": "sell", "paid": "pay", "built": "build", "spent": "spend", "kept": "keep",
    "bought": "buy", "dug": "dig", "found": "find", "taught": "teach", "driven": "drive",
    "taken": "take", "given": "give", "held": "hold", "sent": "send", "spied": "spy",
    "broken": "break", "stolen": "steal", "hidden": "hide", "ridden": "ride", "written": "write",
}  # fmt: skip
"""Forms in which an act may be said, where no ending tells the verb."""
_EMPTY_ACTS: Final = frozenset("using having getting being doing making taking going".split())
_MODALS: Final = frozenset("to will would can could may might must shall should".split())
_DETERMINERS: Final = frozenset(
    "the a an any some every each all their his her its our your my this that these those".split()
)
_MEASURES: Final = (
    (
        re.compile(r"^how (?:often|frequently|regularly)\b|\bfrequency\b", re.IGNORECASE),
        re.compile(
            r"\bevery (?:\w+ )?(?:second|minute|hour|day|week|month|year)s?\b|\boften\b|\bfrequent"
            r"|\btimes (?:a|an|per) |\b(?:once|twice) (?:a|an|every) |\bhourly\b|\bdaily\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"^how long\b|\b(?:length|duration) of\b", re.IGNORECASE),
        re.compile(
            r"\b(?:after|for|within|than|to) (?:(?:only|just|about|up to|at most|at least) )*"
            r"[\w-]+ (?:second|minute|hour|day|week|month|year)s?\b",
            re.IGNORECASE,
        ),
    ),
)
"""Names of a measure, and how a clause states it in numbers."""


def same_word(one: str, other: str) -> bool:
    """Whether two words share a stem, or are singular and plural of each other.

    The stems of short words miss some plurals: "fare" and "fares".
    """
    return same_stem(one, other) or one + "s" == other or other + "s" == one


def vague(word: str) -> bool:
    """Whether a word says little without another: "use" of "car use"."""
    return stem(word) in _VAGUE


def with_plurals_of(label: str, words: Sequence[str]) -> str:
    """Return a label with singular or plural as the words have it.

    >>> with_plurals_of("Bus fares", ["fare"])
    'Bus fare'
    """
    forms = {
        form: word
        for word in words
        if len(word) > 2
        for form in (word + "s", word[:-1] if word[-1:] == "s" else word)
    }
    return " ".join(forms.get(part.lower(), part) for part in label.split(" "))


@lru_cache(maxsize=4096)
def main_name(label: str) -> tuple[str, ...]:
    """Return the content words of the part of a name that can stand for the whole; () for none.

    >>> main_name("Fines for driving in the lane"), main_name("Number of cars in town")
    (('fines',), ('cars',))
    >>> main_name("Time with my children"), main_name("Bus speed")
    ((), ())
    """
    if _ACT.match(label) or label.lower().startswith("how "):
        return ()
    base = read_label(label).base
    stripped = _QUANTITIES.sub("", base)
    first = before_preposition(stripped)
    if first == base:
        return ()
    name = tuple(content_words(first))
    telling = [word for word in name if stem(word) not in _VAGUE and not _leans(word)]
    return name if telling and len(telling) == len(name) else ()


def before_preposition(label: str) -> str:
    """Return the words of a label before its first preposition; all where it opens with one.

    >>> before_preposition("Envy between teams")
    'Envy'
    """
    words = label.split()
    cut = next((n for n, word in enumerate(words) if word.lower() in _PREPOSITIONS), None)
    return " ".join(words[:cut] or words)


def names_main(words: str, label: str) -> bool:
    """Whether words are the main name of a label: "fine" of "Fines for speeding"."""
    name, said = main_name(label), content_words(words)
    return 0 < len(name) == len(said) and all(map(same_word, said, name))


def names_another(clause: Clause, end: int, label: str) -> bool:
    """Whether a clause goes on after its `end`-th word as the label does, with another thing.

    "Trust in the police" for "Trust in the council"; "trust in May" fills the same place too.
    """
    joint, *after = clause.words[end : end + 4] or ("",)
    own = label.lower().split()
    if joint not in _PREPOSITIONS or joint not in own:
        return False
    other = naming_words(tuple(after))
    filled = content_words(" ".join(own[own.index(joint) + 1 :]))
    return bool(other) and not any(same_word(a, b) for a in other for b in filled)


def _leans(word: str) -> bool:
    """Whether a word says a direction, a scale or a judgement and so needs what it is said of."""
    return (
        is_direction(word)
        or scale_side(word) is not None
        or word in GOOD | BAD
        or word.rstrip("s") in GOOD | BAD
    )


@lru_cache(maxsize=4096)
def without_compounds(label: str) -> str:
    """Return a label whose hyphenated words have lost a part that only looks like a direction.

    >>> without_compounds("Cut-through traffic")
    'through traffic'
    """

    def shorten(match: re.Match[str]) -> str:
        parts = match[0].split("-")
        kept = [part for part in parts if not is_direction(part.lower())]
        return "-".join(kept or parts)

    return re.sub(r"\b[^\W\d_]+(?:-[^\W\d_]+)+\b", shorten, label)


def act_said(clause: Clause, label: str) -> bool:
    """Whether a clause says the act that a label names, where it names one: "Paying for meters".

    Acts of more and less ("Losing pay") and empty ones ("Using cars") are said by their objects.
    """
    act = _ACT.match(label)
    if act is None:
        return True
    word = act["act"].lower()
    if word in _EMPTY_ACTS or is_direction(word):
        return True
    own = scale_side(word)
    return any(
        same_word(_PAST.get(said, said), word)
        or (own is not None and (side := scale_side(said)) is not None and side[0] == own[0])
        for said in clause.words
    )


def acts_on_another(clause: Clause, start: int, end: int, label: str) -> bool:
    """Whether the words are a verb with an object that the label does not name.

    "Would pay the wages" is about wages: it does not name "Sick pay".
    """
    words = clause.words
    if end - start != 1 or not start or words[start - 1] not in _MODALS or end >= len(words):
        return False
    if words[end] not in _DETERMINERS:
        return False
    following = naming_words(words[end + 1 : end + 3])
    return bool(following) and not any(
        same_word(said, own) for said in following for own in content_words(label)
    )


def quality_of(label: str, clause: Clause, topic: str) -> bool:
    """Whether a label is one noun made of an adjective, and a clause speaks of the topic's thing.

    "Punctuality" names no thing, since the topic says of what: of buses, for "Support for bus
    lanes".
    """
    return (
        re.fullmatch(r"[a-z]{3,}(?:ity|ness)", label.strip(), re.IGNORECASE) is not None
        and any(same_word(said, own) for said in clause.words for own in content_words(topic))
    )  # fmt: skip


def measured(clause: Clause, words: tuple[str, ...], label: str) -> bool:
    """Whether a clause states in numbers what a label measures, of the thing that words name.

    "A bus every five minutes" for "How often the bus comes".
    """
    for names, states in _MEASURES:
        if names.search(label) and states.search(clause.text):
            thing = content_words(names.sub(" ", label))[:1]
            return len(words) == 1 and any(same_word(words[0], own) for own in thing)
    return False
