"""Idioms by which English speakers say that something moves them, or others, to one side."""

from __future__ import annotations

import re
from functools import lru_cache

from beliefgraph.extractors.clauses import Clause

__all__ = ["find_leanings"]

_WHO = r"(?:me|us|people|folks?|them|you|anyone|everyone|him|her|a lot of \w+)"
_TOWARDS = re.compile(
    r"\b(?:"
    r"in (?:its |their )?favou?r|(?:get|be|come|am|is|are|'m) (?:more |all |fully )?(?:behind|on board|on side)|on board with"
    rf"|(?:w[io]ns?|bring(?:s)?|swing(?:s)?|draw(?:s)?|pull(?:s)?) {_WHO} (?:over|round|around|in|to it|towards?)"
    rf"|warms? (?:{_WHO} )?(?:to|up)|sells? (?:me|it|people|us)(?: on)?|come round|coming round"
    r"|lean(?:s|ing)? (?:more )?towards?|turn(?:s|ed)? (?:me|us|people|folks?|them|you|everyone|him|her) (?:on to|onto|to|two|too|towards?) (?:it|them)|be more for|(?:a )?yes from me|find it easier to|canvass(?:ing)? for|more kindly|nodding along|sweeten(?:s)? it|soften(?:s)? towards|warmer (?:to|towards?|about|on)|better disposed|root(?:ing)? for|rally round|win(?:s)? (?:me|us|people) over|the case for .{2,40} (?:would be |is )?stronger|feather in the cap|stand(?:ing)? up for|campaign(?:ing)? for|cheer(?:ing)? (?:it )?on|keener|surer|like a shot|all for|say yes|vote for|sign up|be up for|up for it"
    r"|happy with|happier with|keen(?:er)? on|more open to|look(?:s)? kindly|count(?:s)? (?:in favou?r|for it)"
    r"|make(?:s)? (?:me|people|us|them) (?:want|like) (?:it|the \w+)(?: more)?|argument for|reason (?:i'd|to) (?:back|support)"
    r")\b",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"\b(?:"
    rf"(?:turn|set|put|push|drive|scare|frighten)(?:s|ed|ing)? {_WHO} (?:right |well |straight )?(?:off|against|away)"
    rf"|put(?:s)? {_WHO} right off|cool(?:s|ed)? (?:{_WHO} )?(?:on|off|towards?)|(?:go|goes|gone|going|went) off|back(?:ing)? (?:away|out|off)"
    r"|(?:turn|be|go|am|are|'m|dead set) against|lose interest|walk away|think twice|second thoughts|count(?:s)? against"
    r"|turn(?:s|ed)? (?:my|their|your|our) backs? on|hold(?:s|ing)? (?:me|us|people|them) back"
    r"|(?:i'm|i'd be|count me) out\b|not having (?:it|that)|can't be doing with|(?:a )?no from me|run a mile|staying put"
    r"|(?:wouldn't|would never) (?:consider|dream|touch|entertain)|sees? no (?:need|point|case)|(?:nobody|no one|noone|none of us) (?:\w+ )?sees? the (?:point|need|use|case)|no (?:need|point|case) for"
    r"|less kindly|sour(?:s)? (?:me|us|people) on|dig(?:ging)? (?:my|our|their) heels in|black mark against|the case for .{2,40} (?:would be |is )?weaker|(?:some|slight|serious|real)? ?pause about|lose(?:s)? me\b|find it hard(?:er)? to|eat my hat"
    r"|(?:want|like|support|back|favou?r|fancy)(?:s|ing)? (?:it|that|them|(?!to (?!do\b))(?:a |the )?[\w-]+(?: [\w-]+){0,4}) (?:(?:a )?(?:bit|little|lot|much|far|even|whole lot) )*less\b"
    r"|say no|vote (?:against|no)|steer clear|want(?:s)? nothing to do|argument against|deal.?breaker|lean(?:s|ing)? (?:more )?against"
    r"|less (?:keen|happy|open)|(?:cooler|colder) (?:to|towards?|about|on)|more opposed|can't stand"
    r")\b",
    re.IGNORECASE,
)


def find_leanings(clause: Clause) -> list[tuple[int, int]]:
    """Return (token number, +1 or -1) for every idiom of a clause; negation is left to the caller."""
    found = []
    for start, sign in _find_idioms(clause.text):
        place = clause.start + start
        token = next(t for t in clause.tokens if t.idx + len(t) > place)
        found.append((token.i, sign))
    return found


@lru_cache(maxsize=1024)
def _find_idioms(text: str) -> tuple[tuple[int, int], ...]:
    """Return (first character, +1 or -1) of every idiom; a clause is looked through several times."""
    found: list[tuple[int, int]] = []
    taken: list[tuple[int, int]] = []
    for pattern, sign in ((_AWAY, -1), (_TOWARDS, 1)):
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue  # "less keen on" holds "keen on"
            taken.append(match.span())
            found.append((match.start(), sign))
    return tuple(found)
