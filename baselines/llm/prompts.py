"""Prompts as template files: the package's own, or a user's in their place.

Every part of a prompt is a Jinja file in `templates/` whose first comment says what it is given. A
folder of your own (`template_dir=`) need hold only the files that differ.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from beliefgraph.baselines.llm.strategies import Strategy
from beliefgraph.errors import LLMError, suggestions

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["EXPERTS", "TEMPLATES", "Prompts"]

EXPERTS: Final = ("psychologist", "sociologist", "policy_analyst")
"""Who reflects on the interview, each by a file `expert_NAME.jinja`."""
TEMPLATES: Final = (
    "role",
    "background",
    "conversation",
    "graph",
    "earlier",
    "reflections",
    "excerpts",
    "examples",
    "item",
    "answer",
    "answer_reasoned",
    *(f"expert_{name}" for name in EXPERTS),
)
"""Names of all template files, without `.jinja`."""


class Prompts:
    """The templates that a strategy uses.

    Parameters
    ----------
    strategy
        Which parts there are.
    template_dir
        A folder whose files stand in for the package's of the same name.

    Raises
    ------
    LLMError
        The folder or a file cannot be read, a file has a name that no template has, or is no
        template.
    """

    def __init__(self, strategy: Strategy, template_dir: str | Path | None = None) -> None:
        self.strategy = strategy
        own = {} if template_dir is None else _own_sources(Path(template_dir))
        self.replaced = tuple(sorted(own))
        """Templates that are the user's."""
        self.sources = {name: own.get(name) or _source(name) for name in _used(strategy)}
        """Text of every template that is used."""
        self._templates = {name: _compiled(name, text) for name, text in self.sources.items()}

    def digest(self, settings: Mapping[str, Any]) -> str:
        """Return the first 12 digits of the SHA-256 of the templates and what shapes prompts."""
        whole = {"templates": self.sources, "parts": self.strategy.parts, "settings": settings}
        text = json.dumps(whole, sort_keys=True, ensure_ascii=True, default=str)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]

    def render(self, name: str, **values: Any) -> str:
        """Fill in a template.

        Raises
        ------
        LLMError
            The template asks for what it is not given.
        """
        from jinja2 import TemplateError

        try:
            return self._templates[name].render(values).strip()
        except TemplateError as problem:
            raise LLMError(f"the template {name}.jinja: {problem}") from None


def _used(strategy: Strategy) -> tuple[str, ...]:
    answer = "answer_reasoned" if strategy.chain_of_thought else "answer"
    experts = [f"expert_{name}" for name in EXPERTS] if "reflections" in strategy.parts else []
    return ("role", *strategy.parts, answer, *experts)


def _source(name: str) -> str:
    place = files("beliefgraph.baselines.llm").joinpath("templates", f"{name}.jinja")
    return place.read_text(encoding="utf-8")


def _own_sources(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise LLMError(f"template_dir {folder}: there is no such folder")
    found = {}
    for path in sorted(folder.glob("*.jinja")):
        if path.stem not in TEMPLATES:
            raise LLMError(
                f"{path}: no template has that name. {suggestions(path.stem, TEMPLATES, n=1)}"
            )
        try:
            found[path.stem] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise LLMError(f"the template {path} cannot be read: {problem}") from None
    if not found:
        raise LLMError(
            f"template_dir {folder} holds no .jinja file; give a folder with those that are to "
            f"stand in for the package's: {', '.join(TEMPLATES)}"
        )
    return found


def _compiled(name: str, source: str) -> Template:
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,  # the text goes to a model, not into a page
        trim_blocks=True,
        lstrip_blocks=True,
    )
    try:
        return environment.from_string(source)
    except TemplateError as problem:
        raise LLMError(f"the template {name}.jinja is no Jinja template: {problem}") from None
