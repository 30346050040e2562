"""From log-probabilities of tokens to a distribution over the scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from beliefgraph.baselines.llm.options import Option
from beliefgraph.llm import TokenLogprob

__all__ = ["option_distribution"]

_DRESS: Final = " \n\t\"'*{}(.):,▁Ġ"
"""What a token may hold beside the letter."""
_OPENED: Final = '"answer":'
"""What stands before the letter of an answer in JSON, without spaces."""


def option_distribution(
    tokens: Sequence[TokenLogprob], options: Sequence[Option]
) -> tuple[tuple[float, ...], float] | None:
    """Return the probability of every option, in the order of the scale, and the mass they share.

    The place of the letter is that of the first token which is a letter of the options and nothing
    else, behind `"answer":` where the answer is JSON. Variants of one letter (`B`, ` B`, `"B`) are
    summed, and the options renormalised. An option that is not among the listed tokens has at most
    the probability of the least of them; it gets that, or its even part of what the list leaves,
    whichever is less.

    Parameters
    ----------
    tokens
        The first tokens of the answer, with the likeliest in their places.
    options
        In the order of their letters.

    Returns
    -------
    tuple or None
        Probabilities in the order of the scale's points, and the probability that the listed tokens
        gave to options before renormalisation. None where no token is an option's letter, or the
        server lists nothing in its place.

    Examples
    --------
    >>> token = TokenLogprob(token="A", logprob=-0.51, top=(("A", -0.5108), (" B", -1.2040)))
    >>> found = option_distribution([token], [Option("A", 1), Option("B", -1)])
    >>> [round(p, 2) for p in found[0]], round(found[1], 2)
    ([0.33, 0.67], 0.9)
    """
    place = _letter_place(tokens, options)
    if place is None or not place.top:
        return None
    masses = dict.fromkeys((option.letter for option in options), 0.0)
    listed = [(token, exp(logprob)) for token, logprob in place.top]
    if all(token != place.token for token, _ in listed):
        listed.append((place.token, exp(place.logprob)))
    for token, probability in listed:
        letter = token.strip(_DRESS)
        if letter in masses:
            masses[letter] += probability
    mass = sum(masses.values())
    if not mass > 0:
        return None
    absent = [letter for letter, p in masses.items() if p == 0]
    if absent:
        left = max(0.0, 1 - sum(p for _, p in listed))
        share = min(min(p for _, p in listed), left / len(absent))
        masses.update(dict.fromkeys(absent, share))
    total = sum(masses.values())
    in_order = sorted(options, key=lambda option: option.point)
    return tuple(masses[option.letter] / total for option in in_order), min(mass, 1.0)


def _letter_place(tokens: Sequence[TokenLogprob], options: Sequence[Option]) -> TokenLogprob | None:
    letters = {option.letter for option in options}
    json = bool(tokens) and "".join(token.token for token in tokens).lstrip().startswith("{")
    said = ""
    for token in tokens:
        said += token.token
        if json and _OPENED not in "".join(said.split()):
            continue
        own = token.token.rpartition(_OPENED)[2] if json else token.token
        bare = own.strip(_DRESS)
        if bare in letters:
            return token
        if bare:
            return None  # something else stands where the letter should
    return None
