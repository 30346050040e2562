"""English words that decide what a noun phrase is about: heads that name nothing, and governors."""

from __future__ import annotations

__all__ = [
    "ADJECTIVE_NOUNS",
    "ANAPHORS",
    "ATTACHED",
    "COMPARATIVES",
    "EMPTY_HEADS",
    "FALLING",
    "GENERIC_SUBJECTS",
    "GOVERNING_LESS",
    "GOVERNING_MORE",
    "JUDGED_FOR",
    "LIGHT_VERBS",
    "PREDICATES",
    "RELATIVES",
    "RISING",
    "UNATTACHED",
]

EMPTY_HEADS = frozenset(
    "people person everyone everybody someone somebody anyone folk guy man woman one thing something "
    "anything everything nothing stuff way time day year week month lot bit kind sort type example "
    "fact point question answer reason idea case end side hand sense part rest opinion view mind "
    "number couple bunch course matter moment minute effect impact influence change difference "
    "factor connection relationship result issue problem situation place area world country it he "
    "she we you i they me us them him her who what which that this these those there all both each "
    "some many most any other another knock-on flip growth drop rise fall brake expense honest god "
    "stake shot hour second touch smidge deal plenty knock upshot consequence outcome sum total "
    "account wake heels cards grounds back favour favor start beginning middle long-run run term scheme heart mile ton round picture equation board barrier "
    "obstacle deterrent hindrance impediment disincentive incentive antidote stop odds".split()
)
RELATIVES = frozenset(
    "brother sister mum mom dad mother father wife husband partner son daughter niece nephew aunt "
    "uncle gran grandma grandad friend mate neighbour neighbor boss colleague cousin parent".split()
)
"""Somebody the speaker knows acts in a story, not in a belief."""
ANAPHORS = frozenset("it that this which they these those".split())
ATTACHED = frozenset(
    "of in for between among amongst from on at with to about around against by under over".split()
)
UNATTACHED = frozenset(
    "side knock on upshot result consequence effect outcome downside upside thing expense reason "
    "account wake strength heels cards grounds hands way account favour favor brake damper dent stop strain lid cap cause cure part difference odds impact influence moment fault key answer blame problem factor detriment "
    "barrier obstacle deterrent hindrance impediment disincentive incentive antidote threat check curb".split()
)
"""Heads whose "of" or "from" joins two concepts ("the result of crowding") and not one."""
COMPARATIVES = frozenset("more less fewer worse better higher lower easier harder".split())
GENERIC_SUBJECTS = frozenset("you we they i one people there it".split())
"""Subjects that cause nothing: "if you took away the noise"."""
GOVERNING_LESS = frozenset(
    "lose cut reduce ban remove stop lower scrap drop slash take trim limit avoid abolish tackle end "
    "shrink lessen decrease curb rid strip ditch axe dump eliminate withdraw erase shed "
    "wipe halve dial tone scale prevent avert forestall preclude deter hinder halt curtail prohibit "
    "outlaw forbid discourage escape evade eradicate minimise minimize".split()
)
GOVERNING_MORE = frozenset(
    "raise add increase improve build boost grow expand gain get crank ramp beef step lift pump".split()
)
LIGHT_VERBS = frozenset(
    "be have do go get make say see take come give keep let support back".split()
)
PREDICATES = {
    **dict.fromkeys("up higher more high stronger bigger larger greater roof".split(), 1),
    **dict.fromkeys(
        "down lower less low weaker smaller scarcer poorer floor drain needed".split(), -1
    ),
}
"""Words behind a phrase that move it: "rents would be lower", "keeps rents low"; of what is needed
there is too little."""
JUDGED_FOR = {
    **dict.fromkeys("bad worse terrible awful rubbish rough hard".split(), -1),
    **dict.fromkeys("good great better brilliant excellent".split(), 1),
}
"""Adjectives before "for" that say what something does to the thing named."""
RISING = frozenset(
    "rise grow climb increase improve soar flourish thrive jump mount swell creep shoot pick balloon snowball spike "
    "bloom blossom rocket skyrocket surge mushroom escalate accelerate multiply expand intensify deepen rebound recover "
    "recuperate revive boom double triple strengthen multiply widen lengthen heighten burgeon prosper bounce edge".split()
)
FALLING = frozenset(
    "fall drop decrease decline shrink suffer disappear sink diminish weaken fade vanish dip tumble plunge crash slump "
    "sag wane dwindle collapse plummet slip slide evaporate lessen nosedive wither ebb subside recede deteriorate tank "
    "crumble dissolve stall flag languish perish die shut close wilt crater nose-dive halve tail thin drain dry melt erode lapse "
    "disintegrate worsen contract falter soften ease abate decay".split()
)
ADJECTIVE_NOUNS = {
    "safe": "safety", "affordable": "affordability", "cheap": "affordability",
    "expensive": "cost", "crowded": "crowding", "noisy": "noise", "loud": "noise",
    "anxious": "anxiety", "lonely": "loneliness", "happy": "happiness", "healthy": "health",
    "stressed": "stress", "stressful": "stress", "worried": "worry", "angry": "anger",
    "convenient": "convenience", "efficient": "efficiency", "accessible": "accessibility",
    "clean": "cleanliness", "dangerous": "danger", "tired": "tiredness",
    "distracted": "distraction", "sick": "sickness", "ill": "illness", "fair": "fairness",
    "reliable": "reliability", "productive": "productivity", "isolated": "isolation",
    "hungry": "hunger", "polluted": "pollution", "congested": "congestion",
    "frustrated": "frustration", "bored": "boredom", "guilty": "guilt", "confident": "confidence",
    "comfortable": "comfort", "quiet": "quiet", "punctual": "punctuality", "late": "lateness",
    "fit": "fitness", "calm": "calm", "relaxed": "relaxation", "motivated": "motivation",
}  # fmt: skip
