"""General English words by what they say of direction, size, judgement and certainty.

The lists hold everyday vocabulary of change and evaluation; no topic's own words (what is good or
bad about housing, cameras or buses is for the person to say). Words are lemmas, lower case.
"""

from __future__ import annotations

__all__ = [
    "ANTONYM_SCALES",
    "BAD",
    "CARRYING_VERBS",
    "CAUSAL_VERBS",
    "DOWN",
    "EVALUATIVE",
    "GOOD",
    "INTENTION",
    "META_WORDS",
    "NEGATIONS",
    "OPPOSE",
    "PREVENT",
    "STRENGTH",
    "SUPPORT",
    "SYNONYMS",
    "UP",
    "direction_of",
    "valence_of",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UP = _words(
    "increase raise boost grow growth rise improve improvement strengthen enhance expand gain build "
    "lift bolster spur heighten elevate amplify multiply add more higher high greater great bigger "
    "larger better increased increasing rising growing improved stronger faster longer extra "
    "additional up upward encourage promote foster drive help enable further upsurge surge "
    "increment feed fuel attract deepen double triple skyrocket soar maximize maximise "
    "plenty abundance enough adequate sufficient wider easier push prop intensify climb mount swell "
    "creep jump leap shoot flourish thrive blossom bloom peak accelerate escalate bounce nudge bump"
)
"""More of something, or an act that brings more of it."""

DOWN = _words(
    "decrease reduce reduction lower low lessen drop fall decline diminish shrink weaken cut lose "
    "loss erode less few fewer little hurt harm damage undermine hinder discourage deter limit limited "
    "restrict minimize minimise worsen worse weaker slower decreased decreasing falling "
    "declining reduced diminished lack shortage scarcity absence down downward drain "
    "deplete dampen curb suppress slow sink plummet dwindle fade subtract dent detract impede hamper "
    "jeopardize threaten spoil ruin destroy kill wreck deteriorate ease relieve mitigate alleviate "
    "smaller shorter chip poor insufficient inadequate harder dip tumble plunge crash slump sag "
    "lag wane ebb subside recede vanish disappear evaporate collapse slip slide dry suffer cutback"
)
"""Less of something, or an act that brings less of it."""

PREVENT = _words(
    "prevent stop avoid block ban end eliminate remove fight combat tackle solve fix resolve address "
    "deter protect against save free rid halt counter avert forestall preclude hinder foil thwart "
    "eradicate abolish curtail prohibit forbid outlaw"
)
"""Acts on a thing that make it less so; on a bad thing they are good."""

NEGATIONS = _words(
    "not n't nt no never neither nor without cannot hardly barely nobody none nothing cant "
    "dont doesnt didnt wont wouldnt isnt arent wasnt couldnt shouldnt aint havent hasnt"
)

SUPPORT = _words(
    "support supportive supporter favor favour approve approval back accept acceptance agree embrace "
    "endorse welcome receptive willing willingness sympathetic enthusiastic "
    "advocate vote buy-in backing favorable favourable supporting pro onboard keen"
)
"""Taking the side of something."""

INTENTION = _words("intention intent wanting willingness desire wish plan inclination")
"""Names of a stance that is an intention to act."""

OPPOSE = _words(
    "oppose opposition opposed object objection resist resistance resistant reject rejection against "
    "backlash pushback protest refuse disapprove disapproval opponent skeptical sceptical reluctant "
    "reluctance hostile anti hesitant hesitation unwilling"
)
"""Taking the other side."""

GOOD = _words(
    "good great beneficial benefit helpful nice happy happier glad safe safer fair fairer better best "
    "love like enjoy want prefer trust comfortable peace win favorable favourable wonderful excellent "
    "useful valuable success successful worth worthwhile plus advantage comfort convenient confidence "
    "reassure healthy healthier clean cleaner pleasant ideal effective efficient positively"
)
"""Judged as good."""

BAD = _words(
    "bad harmful terrible horrible awful worse worst negative problem trouble concern worry worried "
    "worrying fear afraid scared scary risk risky danger dangerous issue unhappy upset angry anger "
    "annoy annoyed annoying burden waste hate dislike unfair wrong stress stressful stressed "
    "disaster nightmare detrimental drawback downside disadvantage invasive intrusive invasion "
    "uncomfortable complain complaint suffer pain painful struggle crime abuse misuse corrupt "
    "corruption distrust mistrust doubt anxious anxiety frustrate frustrated frustrating "
    "discrimination prejudice bias inequality poverty pollution congestion noise violence theft "
    "misconduct violation overreach expensive costly unaffordable inflation overcrowd crowded "
    "overcrowding chaos conflict negatively unsafe sick illness disease lonely loneliness "
    "exploitation greed homeless debt delay shortage lack damage harm bill fee cost expense tax"
)
"""Judged as bad, by nearly everyone."""

STRENGTH: dict[str, float] = {
    **dict.fromkeys(
        "strong strongly huge hugely big significant significantly major massive massively very "
        "enormous enormously tremendous tremendously large greatly dramatically drastically heavily "
        "hard lot extremely powerful critical crucial vital essential integral paramount deeply "
        "profound profoundly considerably substantial substantially immensely really heavy "
        "definitely absolutely biggest strongest main enormously super high highly".split(),
        0.8,
    ),
    **dict.fromkeys(
        "moderate moderately medium fairly average decent reasonable middling".split(), 0.5
    ),
    **dict.fromkeys(
        "weak weakly small slight slightly little minor minimal minimally mild mildly somewhat bit "
        "marginal marginally modest modestly negligible tad touch smidge smidgen fraction whisker barely hardly low limited".split(),
        0.25,
    ),
}
"""How large an effect is said to be."""

META_WORDS = _words(
    "effect effects impact impacts influence influences connection connections relationship relation "
    "relations correlation change changes strength shift shifts difference positive negative immediate "
    "significant noticeable strong weak small large direct directly time develop development "
    "immediacy significance causation cause causes result results outcome outcomes factor factors "
    "confident confidence certainty certain uncertain increase increasing decrease decreasing "
    "increases decreases strongly positively negatively moderate question answer opinion yes no none "
    "ripple both neutral mixed big huge overall general other others things thing something anything "
    "everything nothing way lot kind type reason reasons example perception level degree amount "
    "immediately eventually gradual long short term"
)
"""Words that speak of effects and not of what has them; a label made of them is no concept."""

EVALUATIVE = _words(
    "good bad better worse best worst great nice benefit benefits advantage advantages disadvantage "
    "disadvantages positives negatives upside upsides downside downsides drawback drawbacks pro pros "
    "con cons plus pain problem problems trouble trouble issue issues concern concerns clear real true "
    "certain main important possible potential many much few several lots such own whole same new big "
    "cause causes direction argument arguments solution solutions option options point points case"
)
"""Words that judge or count things; a label made of them alone is about nothing in particular."""

CAUSAL_VERBS: dict[str, int] = {
    **dict.fromkeys(
        "cause create produce generate bring lead result make mean trigger spark encourage promote "
        "foster drive increase raise boost improve help strengthen enhance enable allow build "
        "attract spur fuel feed expand contribute push add prop lift grow give provide ensure "
        "guarantee heighten bolster motivate inspire spread multiply amplify deepen double pump "
        "intensify facilitate maintain secure protect preserve favour favor nudge sustain nourish "
        "breed stoke swell widen revive reinforce cement stimulate accelerate hasten speed further "
        "escalate elevate magnify compound aid assist support invite nurture cultivate stir fan "
        "propel ramp bump inflate hike top underpin uphold aggravate exacerbate usher "
        "spawn spell herald beget induce elicit prompt stoke galvanise galvanize kindle ignite yield "
        "unleash unlock buoy shore anchor sharpen enrich enliven embolden energise energize".split(),
        1,
    ),
    **dict.fromkeys(
        "reduce decrease lower lessen cut hurt harm damage undermine hinder discourage deter limit "
        "restrict minimize minimise prevent stop avoid block weaken erode diminish destroy ruin "
        "kill threaten jeopardize jeopardise impede hamper curb drain deplete dampen suppress slow "
        "relieve ease alleviate mitigate solve fix eliminate remove end wreck spoil violate invade "
        "compromise lose sacrifice disrupt combat tackle counter ban displace shrink squeeze stifle "
        "obstruct inhibit wreck dent sap starve choke quash crush blunt tame contain stunt cripple "
        "trim slash halve offset undo undercut depress restrain constrain soften calm dilute chip "
        "nibble gnaw thwart smother quell dim shatter scare frighten distract deprive rob "
        "strip shrivel drag knock dash impair poison gut curtail stem "
        "stall freeze shave whittle hammer flatten batter pummel slam torpedo derail scupper "
        "sabotage decimate crush wipe throttle scotch douse dispel blight cripple corrode deflate "
        "demolish devastate disarm dissuade drown exhaust fray gobble hobble mar nullify outstrip "
        "pare plague puncture quench rein repel rout sully tarnish temper unravel upend vanquish "
        "void warp wither avert forestall preclude foil bar forbid prohibit outlaw retard "
        "repress subdue disable disallow exclude deny refuse withhold hamstring handicap burden "
        "interrupt interfere neutralise neutralize counteract eradicate evade escape "
        "abolish scrap suspend cancel repeal revoke delay postpone".split(),
        -1,
    ),
}
"""Verbs whose subject acts on their object, with the sign of the act."""

CARRYING_VERBS = _words(
    "bring push drive send drag keep put pull take get let hold turn leave force move see find give "
    "have come end wind carry tip shift knock nudge"
)
"""Verbs whose direction is in their particle or object: "bring it down", "let it rise"."""

ANTONYM_SCALES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (_words(up), _words(down))
    for up, down in (
        ("safety safe security secure", "crime danger dangerous unsafe insecurity violence theft"),
        (
            "affordability affordable cheap cheapness",
            "cost price expense expensive unaffordable rent costly fee",
        ),
        ("quiet peace silence calm", "noise noisy loud"),
        ("trust confidence", "distrust mistrust suspicion"),
        ("freedom liberty choice", "restriction control constraint oppression"),
        ("health healthy wellbeing", "illness disease sickness sick"),
        ("wealth prosperity rich", "poverty poor debt"),
        (
            "equality equity fairness fair justice",
            "inequality inequity unfairness unfair injustice discrimination",
        ),
        ("employment job", "unemployment joblessness layoff"),
        ("supply availability abundance", "shortage scarcity unavailability"),
        ("speed fast quick punctuality", "delay slowness slow wait lateness late"),
        ("cleanliness clean", "pollution dirt dirty trash litter pollute"),
        ("accuracy accurate precision", "error mistake inaccuracy inaccurate"),
        ("honesty transparency openness transparent", "secrecy corruption dishonesty"),
        ("happiness joy happy satisfaction", "sadness unhappiness misery depression"),
        ("efficiency efficient", "inefficiency waste inefficient bureaucracy"),
        ("success", "failure"),
        ("unity cohesion belonging community", "division isolation loneliness"),
        ("privacy private", "intrusion invasion exposure"),
        ("comfort comfortable", "discomfort uncomfortable"),
        ("focus attention concentration", "distraction"),
        ("strength strong", "weakness weak"),
        ("support approval acceptance", "opposition resistance backlash pushback"),
        ("gain profit growth", "loss decline"),
        ("relaxation ease", "stress anxiety worry tension"),
        ("access reachability", "barrier exclusion"),
    )
)
"""Two ends of one scale; the first holds the end that is named when the scale is named."""


SYNONYMS: dict[str, str] = {
    word: group.split()[0]
    for group in (
        "house houses home homes housing",
        "price prices cost costs pricing",
        "child children kid kids",
        "pupil pupils student students",
        "car cars vehicle vehicles automobile automobiles",
        "job jobs employment",
        "road roads street streets",
        "doctor doctors physician physicians",
        "police cop cops policing",
        "shop shops store stores",
        "rubbish trash garbage",
        "money funds funding",
    )
    for word in group.split()
}
"""Everyday words for one thing, each with the word that stands for its group."""


def direction_of(word: str) -> int:
    """Return +1 for a word that says more, -1 for one that says less, 0 otherwise."""
    return (word in UP) - (word in DOWN)


def valence_of(word: str) -> int:
    """Return +1 for a word that nearly everyone uses of good things, -1 of bad ones, else 0."""
    return (word in GOOD) - (word in BAD)
