"""A report as one self-contained HTML page: no script, nothing from the network.

The look is that of the belief graph's page (`beliefgraph/formats/page.css.jinja`), with the plots'
colours as variables so that the page also reads in the dark. What is folded is not printed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

import beliefgraph
from beliefgraph.benchmark.report.figures import NOT_SCORED
from beliefgraph.benchmark.report.plots import PLOT_STYLE, run_mark
from beliefgraph.benchmark.report.sections import report_sections

if TYPE_CHECKING:
    import jinja2

    from beliefgraph.benchmark.report.report import Report

__all__ = ["report_html"]

_NOT_TEXT: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that HTML may not hold."""


def report_html(report: Report) -> str:
    """Make the page of a report.

    Parameters
    ----------
    report
        What `build_report` returned.

    Returns
    -------
    str
        The page; the same report gives the same page.
    """
    environment = _environment()
    style = environment.get_template("report.css.jinja").render(
        svg_width=0, landscape=False, plot_style=PLOT_STYLE
    )
    page = environment.get_template("report.html.jinja").render(
        title=report.title,
        summary=report.summary,
        sections=report_sections(report),
        key=[
            {"mark": _key(entry.number), "number": entry.number, "name": entry.name}
            for entry in report.entries
        ],
        style=Markup(style),
        not_scored=NOT_SCORED,
        version=beliefgraph.__version__,
        made=[f"beliefgraph {beliefgraph.__version__}", *report.made],
    )
    return _NOT_TEXT.sub("\ufffd", page)


def _key(number: int) -> Markup:
    return Markup(
        '<svg class="bp" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16">{}</svg>'
    ).format(run_mark(number, 8, 8, 5))


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("beliefgraph.benchmark.report", package_path="."),
                jinja2.PackageLoader("beliefgraph.formats", package_path="."),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
