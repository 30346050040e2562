"""Wordings that join a cause and its effect, with the sign of what they say."""

from __future__ import annotations

import re

from beliefgraph.extractors.phrasings import any_of

__all__ = [
    "BLAME",
    "CAUSE_AFTER",
    "CAUSE_BEFORE",
    "CONSEQUENCE",
    "EFFECT_ON",
    "FAREWELL",
    "HELP_WITH",
    "NEGATIVE_WORD",
    "PARTICLES",
    "PHRASES",
    "POSITIVE_WORD",
    "REASON",
    "SCENE",
]

PARTICLES = {"up": 1, "down": -1, "away": -1, "off": -1, "back": -1, "under": -1, "out": -1}
_TO = r"(?:to|on|for|against|of)"
PHRASES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (any_of(*patterns), sign)
    for sign, patterns in (
        (-1, (
            r"\b(?:eat|ate|eating|cut|dig|dug|bite|bit)(?:s|ing)? into\b", r"\b(?:chip|eat|nibble|whittle|wear)(?:s|d|ed|ing)? away\b",
            r"\b(?:tak(?:e|es|ing)|took) (?:\w+ ){0,2}(?:away )?from\b", r"\bdetract", r"\bin the way of\b", r"\bhavoc with\b", r"\bput(?:s|ting)? paid to\b", r"\ba (?:\w+ )?bite out of\b", r"\bthe sting out of\b", r"\b(?:kick|smack|slap|blow|body blow) (?:in the \w+ )?(?:for|to)\b", r"\bblack mark against\b",
            r"\bat the (?:expense|cost) of\b", r"\bto the detriment of\b", r"\b(?:work|go|count|tell|militate|guard|insure|safeguard)(?:s|ed|ing)? against\b",
            r"\b(?:brake|dent|damper|stop|end|strain|squeeze|lid|cap|hole|check|curb|limit|ban|restraint|drain)s? (?:on|in|to)\b", r"\bcrowd(?:s|ed|ing)? out\b",
            r"\b(?:wear|wore)(?:s|ing)? down\b", r"\b(?:get|got)(?:s|ting)? rid of\b", r"\brul(?:e|es|ed|ing) out\b", r"\bbad news for\b", r"\btak(?:e|es|ing) (?:\w+ ){1,3}off\b", r"\b(?:the )?(?:end|death|ruin|loss|undoing) of\b",
            r"\bweigh(?:s|ed|ing)? (?:on|down)\b", r"\bmak(?:e|es|ing) it (?:harder|difficult|impossible) (?:for|to)\b|\bmade it (?:harder|difficult|impossible) (?:for|to)\b",
            rf"\b(?:barrier|obstacle|deterrent|hindrance|impediment|disincentive|threat|stumbling block|antidote|bar|danger|disservice) {_TO}\b",
            r"\b(?:cure|remedy|safeguard|protection|defen[cs]e|insurance|shield|bulwark) (?:for|against|from)\b",
            r"\b(?:ward|stave|head|fend|fight|hold|choke|shut)(?:s|ed|ing)? off\b", r"\b(?:keep|kept|hold|held)(?:s|ing)? (?:\w+ ){0,3}(?:at bay|in check|back)\b",
            r"\b(?:crack|clamp)(?:s|ed|ing)? down on\b", r"\b(?:do|does|did|doing|done) away with\b", r"\bstand(?:s|ing)? in the way\b",
            r"\bput(?:s|ting)? (?:an end|a stop|the brakes|a lid|a damper) (?:to|on)\b", r"\bbring(?:s|ing)? an end to\b",
        )),
        (1, (
            r"\b(?:lead|leads|leading|led)\b.{0,12}\bto\b", r"\bresult(?:s|ed|ing)? in\b", r"\b(?:bring|brought)(?:s|ing)? (?:about|on)\b",
            r"\bcontribut\w+ to\b", r"\bpav\w+ the way (?:for|to)\b", r"\b(?:engine|force|motor|fuel) behind\b", r"\bblessing for\b", r"\bboon (?:for|to)\b", r"\bfeather in the cap of\b", r"\bwonders for\b", r"\bshot in the arm for\b", r"\badd(?:s|ed|ing)? to\b", r"\b(?:give|gives|gave|given|giving) rise to\b", r"\bgood news for\b", r"\b(?:bad|worse|terrible|awful|rubbish|good|great|better|brilliant) for\b",
            r"\bhand in hand\b", r"\b(?:open|opens|opened|opening)(?: up)? (?:the door|the way) (?:to|for)\b", r"\b(?:mak(?:e|es|ing)|made) for\b",
            r"\btranslat\w+ (?:in)?to\b", r"\b(?:carr(?:y|ies|ied)|spill|spills|spilled|feed|feeds|fed|turn|turns|turned|run|runs|ran|bleed|bleeds) "
            r"(?:over |through |on )?(?:in)?to\b", r"\bmean(?:s|ing|t)?\b", r"\b(?:mak(?:e|es|ing)|made) it (?:easier|possible) (?:for|to)\b", r"\bset(?:s|ting)? off\b", r"\bend(?:s|ed)? up with\b",
            r"\b(?:count|tell)(?:s|ed)? in favou?r of\b", r"\b(?:do(?:es)?|did) wonders for\b", r"\b(?:leav\w+|left) (?:us|you|people|them) with\b",
            r"\b(?:help|incentive|encouragement|spur|stimulus|aid|boost|lift|fillip|invitation) (?:to|for)\b",
        )),
    )
)  # fmt: skip
EFFECT_ON = any_of(
    r"\b(?:effect|affect|impact|influence|bearing|toll|hold)s? (?:up)?on\b|\ba say (?:on|in|over)\b"
)
POSITIVE_WORD = any_of(r"\b(?:positive|good|great|favou?rable|beneficial)\b")
NEGATIVE_WORD = any_of(r"\b(?:negative|bad|adverse|terrible|detrimental|toll)\b")
FAREWELL = any_of(r"\b(?:forget (?:about)?|(?:kiss|say|wave) goodbye to|whistle for)\s*$")
HELP_WITH = any_of(r"\bhelp(?:s|ing)? (?:\w+ )?with\b")
CAUSE_AFTER = any_of(
    r"\b(?:because of|due to|thanks to|owing to|as a result of|result(?:s|ed|ing)? from"
    r"|(?:com(?:es?|ing)|came) (?:\w+ )?(?:from|out of|down to)|stem(?:s|med)? from|down to|on account of"
    r"|(?:caused|driven|brought|made|fuelled|fueled|held|kept|pushed|dragged|lifted|hit|hurt|helped"
    r"|raised|lowered|reduced|boosted|damaged|cut|improved|worsened|increased) (?:\w+ ){0,2}by"
    r"|out of|in the wake of|off the back of|on the back of"
    r"|but for|the (?:price|result|product|upshot|consequence|cost|by-product|fruit|outcome) of"
    r"|(?:suffer|benefit|profit|gain)(?:s|ed|ing)? (?:from|under)"
    r"|(?:depend|rel(?:y|ie)|hinge)(?:s|ing)? on|(?:grow|rise|fall|go|improve|drop)(?:s|ing)? (?:up |down )?with)"
    r"(?: (?:having|getting|seeing))?\s*$",
)
CAUSE_BEFORE = any_of(
    r"^\W*(?:(?:and|but|so|well|yeah|then|because|that) )*(?:with|without|because of|due to|thanks to|given|as a result of)\b"
)
CONSEQUENCE = any_of(
    r"\b(?:knock-on|knock on|flip side|upshot|result|consequence|effect|outcome|downside|upside|price|trouble|thing)s?"
    r"(?: effects?)? (?:from|of|with|about|to)\s*(?:the |a |having )?$",
    r"\bwhat (?:comes|follows|you get) (?:out )?(?:of|from)\s*$",
)
REASON = any_of(
    r"\bway to (?:get|have|win|see|bring|reach)\s*(?:about )?$",
    r"\breasons? (?:\w+'?\w* ){0,4}$",
    r"\bcauses? of\s*$",
)
BLAME = any_of(r"\bblam\w+\b")
SCENE = any_of(
    r"\b(?:every time|whenever|the moment|as soon as|once|wherever|the minute|each time)\b"
)
