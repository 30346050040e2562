"""How English speakers say that there is no effect, that they do not know, that others say so."""

from __future__ import annotations

import re

__all__ = [
    "CONTRARY",
    "DENIED",
    "DEPENDS",
    "DISAGREE",
    "DONT_KNOW",
    "DOUBLE_NEGATION",
    "LARGER_SHIFT",
    "MAKES_NO_SENSE",
    "MIXED",
    "NOT_UNDERSTOOD",
    "NO_EFFECT",
    "NO_EFFECT_NEG",
    "OWN",
    "SAYS",
    "any_of",
    "find_report",
]


def any_of(*patterns: str) -> re.Pattern[str]:
    """Compile one pattern that matches where any of several does, whatever the case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


MAKES_NO_SENSE = any_of(
    r"(?:that|it|this)(?: just| really)? (?:doesn't|does not|don't|didn't|makes no|make no)"
    r"(?: really| quite| even)? (?:make (?:any |much )?)?sense",
    r"makes no sense",
)
"""Said of the question, or of the state of things: after an explanation it is the latter."""
NOT_UNDERSTOOD = any_of(
    r"question(?: just| really)? (?:doesn't|does not|don't|didn't|makes no|make no)"
    r"(?: really| quite| even)? (?:make (?:any |much )?)?sense",
    r"(?:don't|do not|didn't|can't) (?:really |quite |even )?(?:understand|get|follow)"
    r" (?:the|that|this|your|what|it\b)(?! point)",
    r"(?:don't|do not|no idea)(?: really| even)? ?(?:know )?what (?:you mean|you're|you are|that means|it means|this means|that is\b)",
    r"what (?:do|does|did) (?:you|that|this|it) (?:even )?mean",
    r"(?:can|could) you (?:please )?(?:rephrase|repeat|explain|clarify)",
    r"not sure (?:what|i understand|i follow)",
    r"\b(?:come again|pardon\b|sorry,? what\b|what was the question|(?:you've )?lost me\b|i'?m (?:completely |totally )?lost\b|(?:i )?(?:lost|missed) you\b|say that again|not following|over my head|what's that supposed)",
    r"(?:weird|odd|strange|nonsense|confusing) question|question is (?:unclear|confusing)",
)
DONT_KNOW = any_of(
    r"\b(?:i|we) (?:really |honestly |just )?(?:don't|do not|dont|wouldn't|couldn't) (?:really |honestly )?know\b(?! (?:how|what you|any|many|if people|people))",
    r"\b(?:not|n't) (?:really |too |so |very |entirely |all that )?sure\b",
    r"\bno (?:idea|clue|opinion)\b",
    r"\b(?:can't|couldn't|cannot|can not) (?:really )?(?:say|tell|answer)\b",
    r"\bhard to (?:say|tell|know)\b",
    r"\b(?:haven't|never) (?:really )?thought about\b",
    r"\bnot a clue\b|\b(?:haven't|don't have|have no|no) (?:got )?(?:a |any )?(?:\w+ )?(?:view|clue|idea|opinion|feeling)s?\b",
    r"\b(?:wouldn't|would not) (?:like|want|care) to (?:say|guess)\b|\bbeats me\b|\bsearch me\b|\byour guess\b|\bask me another\b|\bout of my depth\b|\bcan't comment\b",
    r"\bi'?m unsure\b|\bunsure\b|\bdunno\b|\bwho knows\b|\bcouldn't tell you\b|\bi pass\b|^pass\b",
)
NO_EFFECT = any_of(
    r"\b(?:no|zero|any|much of an|without) (?:real |direct |big |major |significant |noticeable |particular |strong |at all )?"
    r"(?:effect|impact|influence|difference|bearing|connection|relationship|correlation|relation|link)\b",
    r"\bdoes(?:n't| not|nt) (?:really |even )?(?:matter|affect|change|influence|impact|make(?! (?:any |much |a lot of )?sense)|come into|enter|factor|bother|move|sway|play)",
    r"\bdo(?:n't| not|nt) (?:really |even )?(?:think|believe|see|feel)(?: that)? [\w' ]{0,60}?"
    r"\b(?:matters?|affects?|changes?|influences?|impacts?|makes? (?:a|any|much)|is related|are related)\b",
    r"\b(?:won't|wouldn't|would not|will not|can't|cannot) (?:really |probably )?(?:matter|affect|change|influence|impact|make|sway|move)\b",
    r"\b(?:stay|remain)s? (?:exactly |just |much |pretty much |about )?(?:the same|unchanged)\b|^\W*(?:none|nothing|no|not)(?: really)?(?: at all| whatsoever)?\W*$",
    r"\b(?:can't|cannot|don't|couldn't) (?:really )?see (?:a|any|the|what|how|why|that|it|one)\b(?=.*\b(?:link|connection|effect|difference|bearing|do with|matter|affect|change)\b)",
    r"\bneither here nor there\b|\bnot a factor\b|\bnothing in it\b|\bone way or the other\b|\btwo (?:separate|different) things\b",
    r"\bcould(?:n't| not)? care less\b|\bwhether or not\b|\b(?:wouldn't|won't|don't|didn't) (?:even |really )?notice\b|\bnothing really\b",
    r"\bnot (?:really )?(?:positive|negative)\b.{0,25}\bnot (?:really )?(?:positive|negative)\b|^\W*(?:that|it|this) (?:doesn't|does not|wouldn't|won't|didn't)\W*(?:no\b)?\W*(?:$|\.)",
    r"\b(?:wouldn't|doesn't|won't|don't|didn't) (?:really )?(?:depend on|hinge on|budge|shift|respond)\b|\bwhatever you did\b|\bdo what you (?:like|liked|want)\b",
    r"\bneither\b|\bnothing to do with\b|\b(?:un|not (?:really )?)(?:related|connected)\b",
    r"\b(?:irrelevant|doesn't come into it|makes no odds|beside the point)\b",
    r"\bnot (?:have )?(?:a|an|any|much) (?:effect|impact|influence|difference)\b",
)
NO_EFFECT_NEG = re.compile(
    r"\b(?:same|unchanged|separate|different|in it|other|no|none|not|can't|cannot|zero|not|n't|never|neither|nor|without|nothing|un\w+|irrelevant|doesnt|dont)\b|n't",
    re.I,
)
DOUBLE_NEGATION = any_of(
    r"(?:\bnot (?:that|like|saying|as if)|(?:n't|\bnot) (?:think|believe|say|mean|say that)|\bcan't say|\bwouldn't say)\b[^.,;]{0,30}$"
)
DEPENDS = any_of(
    r"\b(?:it |that |this |all )*depend(?:s|ing|ent)?\b",
    r"\b(?:both|a mix|mixed|either way)\b",
)
"""Said of the direction, or only of when and how much: the question tells."""
MIXED = any_of(
    r"\bup to a (?:certain )?point\b",
    r"\b(?:both ways|go either|cuts both|two sides|double.edged|swings and roundabouts)\b",
    r"\b(?:up|good|better|helps?|great|fine|positive) (?:for|with) (?:some|a few|half)\b.*\b(?:down|bad|worse|hurts?|others?|rest|half)\b",
    r"\bon (?:the )?one hand\b|\bhalf and half\b|\bswings both\b",
    r"\bpositive and (?:a )?negative\b|\bnegative and (?:a )?positive\b",
    r"\b(?:could|can|might) be (?:either|both|positive or negative|good or bad)\b",
)
SAYS = (
    r"(?:might |may |would |will |'ll )?(?:reckons?|claims?|swears?|thinks?|says?|said|argues?|believes?|insists?|fears?"
    r"|tells? (?:you|me|us)|(?:is|are|'s|'re) convinced|keeps? (?:on )?saying)"
)
_REPORTED = any_of(
    rf"\b(?:some|many|most|other|a lot of|lots of|certain|the|my|a|his|her|their|our) [\w' ]{{2,30}}? {SAYS}\b",
    rf"\b(?:they|people|others|everyone|everybody|he|she) ?{SAYS}\b",
)
_TOPIC = re.compile(r"\b(?:what|whatever|how|who)\W+(?:\w+\W+){0,3}$", re.IGNORECASE)


def find_report(text: str) -> re.Match[str] | None:
    """Find where others are reported to say something; "what people say" is only a topic."""
    for match in _REPORTED.finditer(text):
        if not _TOPIC.search(text[: match.start()]):
            return match
    return None


OWN = any_of(
    r"^\W*(?:but|whereas|though|although|however|yet|to me|for me|personally|(?:he|she|they)(?:'s|'re| is| are) wrong"
    r"|i (?:don't|do not|dont) (?:agree|see it|buy|think so)|i (?:disagree|think|reckon|'d say|would say|say)|i'd say|not me\b|from where i)"
)
DISAGREE = any_of(
    r"\b(?:i (?:don't|do not|dont) (?:agree|buy|see it that way|think so|believe (?:that|it)\b[.,]?$)|i disagree|not me\b"
    r"|i'm not with (?:her|him|them)|(?:he|she|they)(?:'s|'re| is| are) wrong)"
)
DENIED = any_of(
    r"\b(?:don't|do not|dont|can't|cannot|doesn't|wouldn't) (?:really )?(?:think|believe|see|expect|imagine)\b"
)
CONTRARY = any_of(
    r"\b(?:quite|just|rather|exactly|on|if anything,?) the (?:opposite|contrary|reverse)\b",
    r"\bthe (?:exact |very )?(?:opposite|reverse)\W*$",
)
"""After a denial: "it doesn't hurt it, quite the opposite"."""
LARGER_SHIFT = any_of(
    r"\blarger?\b",
    r"\bbigger?\b",
    r"\bhuge shift",
    r"\bmajor (?:change|shift)",
    r"\bsmall changes? (?:would |will |do |does )?(?:not|n't|probably won't|won't|wouldn't)",
)
