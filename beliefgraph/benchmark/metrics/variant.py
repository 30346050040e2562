"""The choices that a score rests on: the published ones by default, and the grid around them."""

from __future__ import annotations

from itertools import product
from typing import ClassVar, Literal

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record

__all__ = ["VARIANTS", "Variant", "variant_grid"]


class Variant(Record):
    """How outcomes are counted; the defaults are the published definitions.

    Examples
    --------
    >>> Variant().name
    'published'
    >>> Variant(previous="true", tolerance=0).name
    'previous=true, tolerance=0'
    """

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    mae: Literal["halved", "linear"] = "halved"
    """Errors on the 5-point scale: those of ten points halved, or every scale times 4 / range."""
    previous: Literal["predicted", "true"] = "predicted"
    """What a predicted change starts from: the predicted baseline stance, or the true one."""
    unparsed: Literal["wrong", "exclude"] = "wrong"
    """No answer is wrong with the greatest possible error, or is left out."""
    tolerance: int | None = Field(default=None, ge=0)
    """Points that an answer may be off, on every BDU scale; None for each scale's own."""
    items: Literal["all", "without_experience", "stance"] = "all"
    """Which BDU items count: all, all but the experience questions, or stance items only."""
    average: Literal["domains", "pooled"] = "domains"
    """Which figure is the headline: the mean of domains, or over all items."""

    @property
    def name(self) -> str:
        """The choices that differ from the published ones."""
        changed = [
            f"{field}={getattr(self, field)}"
            for field, info in type(self).model_fields.items()
            if getattr(self, field) != info.default
        ]
        return ", ".join(changed) or "published"


_CHOICES: dict[str, tuple[object, ...]] = {
    "mae": ("halved", "linear"),
    "previous": ("predicted", "true"),
    "unparsed": ("wrong", "exclude"),
    "tolerance": (None, 0, 1),
    "items": ("all", "without_experience", "stance"),
    "average": ("domains", "pooled"),
}


def variant_grid() -> tuple[Variant, ...]:
    """Return every combination of the declared choices, the published one first.

    >>> len(variant_grid()), variant_grid()[0].name
    (144, 'published')
    """
    return tuple(
        Variant.model_validate(dict(zip(_CHOICES, values, strict=True)))
        for values in product(*_CHOICES.values())
    )


VARIANTS: tuple[Variant, ...] = (
    Variant(),
    *(
        Variant.model_validate({field: choice})
        for field, choices in _CHOICES.items()
        for choice in choices[1:]
    ),
)
"""The published variant, and those that differ from it in one choice."""
