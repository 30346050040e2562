"""What hinders: verbs, nouns and phrases that make their object less, and whose act it is."""

from __future__ import annotations

import pytest

from beliefgraph.extractors.pipeline import parse_texts
from beliefgraph.extractors.statements import find_statements

pytestmark = pytest.mark.needs_pipeline


def links(text: str) -> set[tuple[str, str, int]]:
    (doc,) = parse_texts([text])
    return {(s.source.lower(), s.target.lower(), s.sign) for s in find_statements(doc, *[None] * 3)}


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("A curfew prevents fights.", ("curfew", "fights", -1)),
        ("Fights are prevented by a curfew.", ("curfew", "fights", -1)),
        ("Floods were averted by good drains.", ("good drains", "floods", -1)),
        ("The high fee was an obstacle to membership.", ("fee", "membership", -1)),
        ("Lights are a deterrent to theft.", ("lights", "theft", -1)),
        ("Vaccines ward off illness.", ("vaccines", "illness", -1)),
        ("Rain ruled out the picnic.", ("rain", "picnic", -1)),
        ("The ban put a stop to smoking.", ("ban", "smoking", -1)),
        ("Parking fees get in the way of trade.", ("parking fees", "trade", -1)),
        ("Helmets protect riders from injury.", ("helmets", "injury", -1)),
        ("The fence keeps the dogs from the beds.", ("fence", "beds", -1)),
        ("The noise stops families from visiting.", ("noise", "visiting", -1)),
        # the aim of an act is moved by who acts, and once only
        ("Wardens give talks to prevent theft.", ("wardens", "theft", -1)),
        ("The council hired wardens to cut litter.", ("wardens", "litter", -1)),
        ("Fines are aimed at curbing litter.", ("fines", "litter", -1)),
        # past tense
        ("The rain resulted in floods.", ("rain", "floods", 1)),
        ("Cheap fares brought about more trips.", ("cheap fares", "trips", 1)),
        # the subject acts, and not what stands next to the verb
        ("Lamps along the canal reduce accidents.", ("lamps", "accidents", -1)),
        ("Fees for kids during winter would cut visits.", ("fees for kids", "visits", -1)),
    ],
)
def test_hindering(text: str, link: tuple[str, str, int]) -> None:
    assert link in links(text)


def test_out_of_a_place_is_no_motive() -> None:
    assert links("The gate kept cars out of the square.") == set()
