"""Saved runs as one report: a page, Markdown, CSV and leaderboard rows from one structure."""

from __future__ import annotations

from beliefgraph.benchmark.report.build import build_report
from beliefgraph.benchmark.report.figures import Figure
from beliefgraph.benchmark.report.html import report_html
from beliefgraph.benchmark.report.layout import Section, Table
from beliefgraph.benchmark.report.markdown import report_markdown
from beliefgraph.benchmark.report.published import COMPARABLE, PublishedRow, read_published
from beliefgraph.benchmark.report.report import Entry, Report
from beliefgraph.benchmark.report.rows import report_csv, report_leaderboard
from beliefgraph.benchmark.report.sections import report_sections

__all__ = [
    "COMPARABLE",
    "Entry",
    "Figure",
    "PublishedRow",
    "Report",
    "Section",
    "Table",
    "build_report",
    "read_published",
    "report_csv",
    "report_html",
    "report_leaderboard",
    "report_markdown",
    "report_sections",
]
