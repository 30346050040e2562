"""The small pictures of the page's legend, drawn like the graph itself."""

from __future__ import annotations

from markupsafe import Markup

__all__ = ["keys"]


def keys() -> dict[str, Markup]:
    """Return the small pictures of the legend."""

    def line(name: str, width: float, opacity: float = 1.0) -> Markup:
        return Markup(
            '<g class="bg-edge bg-{n}"><path class="bg-line" d="M1 9H33" stroke-width="{w}" '
            'stroke-opacity="{o}"/><polygon points="42,9 32,4 32,14"/></g>'
        ).format(n=name, w=width, o=opacity)

    shapes = {
        "pos": line("pos", 3.5),
        "neg": line("neg", 3.5),
        "nil": line("nil", 3.5),
        "back": line("back", 1.2, 0.75),
        "wide": Markup('<path d="M1 9 L42 5 V13 Z" fill="#1a1a1a"/>'),
        "weak": line("pos", 3.5, 0.5),
        "conflict": Markup(
            '<g class="bg-edge"><circle cx="21" cy="9" r="8"/><text x="21" y="14">≠</text></g>'
        ),
        "stance": Markup(
            '<g class="bg-node bg-stance"><rect x="2" y="1" width="39" height="16" rx="5"/>'
            '<rect class="bg-inner" x="5" y="4" width="33" height="10" rx="3"/></g>'
        ),
        "bars": Markup(
            '<g class="bg-node"><rect class="bg-rail" x="1" y="3" width="42" height="12"/>'
            '<rect class="bg-before" x="16" y="3.5" width="6" height="5"/>'
            '<rect class="bg-after" x="22" y="9.5" width="13" height="5"/>'
            '<line x1="22" x2="22" y1="1" y2="17"/></g>'
        ),
    }
    frame = Markup(
        '<svg class="bg-svg" aria-hidden="true" viewBox="0 0 44 18" width="44" height="18">{}</svg>'
    )
    return {name: frame.format(shape) for name, shape in shapes.items()}
