"""The prompt of the language-model reader: a template file that a user can replace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beliefgraph.errors import LLMError
from beliefgraph.extractors.llm_output import SCHEMA

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["Prompt", "PromptTurn"]

_NEEDED = ("system", "user")
_REPAIR = "That answer breaks the rules:\n{}\nGive the whole answer again, as one JSON object."


@dataclass(frozen=True)
class PromptTurn:
    """One turn as the template sees it."""

    number: int
    question: str
    answer: str


class Prompt:
    """A template with the blocks `system`, `user` and, where it has its own, `repair`.

    Parameters
    ----------
    path
        The template; the package's own where it is not given.

    Raises
    ------
    LLMError
        The file is not there or is no such template.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        if path is None:
            place = files("beliefgraph.extractors").joinpath("llm_reader.jinja")
            self.source = place.read_text(encoding="utf-8")
        else:
            try:
                self.source = Path(path).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as problem:
                raise LLMError(f"the prompt {path} cannot be read: {problem}") from None
        self.name = "the package's prompt" if path is None else f"the prompt {path}"
        whole = self.source + json.dumps(SCHEMA, sort_keys=True)
        self.hash = hashlib.sha256(whole.encode()).hexdigest()[:12]
        """First digits of the SHA-256 of template and schema."""
        self._template = self._compiled()

    def _compiled(self) -> Template:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined,
            autoescape=False,  # the text goes to a model, not into a page
            keep_trailing_newline=False,
        )
        try:
            template = environment.from_string(self.source)
        except TemplateError as problem:
            raise LLMError(f"{self.name} is no Jinja template: {problem}") from None
        missing = [name for name in _NEEDED if name not in template.blocks]
        if missing:
            raise LLMError(
                f"{self.name} lacks the block {' and '.join(missing)}; it needs "
                "{% block system %}...{% endblock %} and {% block user %}...{% endblock %}"
            )
        return template

    def system(self, stance: str, topic: str) -> str:
        """Return the rules of reading."""
        return self._block("system", stance=stance, topic=topic)

    def user(
        self, stance: str, topic: str, earlier: Sequence[PromptTurn], turns: Sequence[PromptTurn]
    ) -> str:
        """Return the turns to read, with those before them."""
        return self._block("user", stance=stance, topic=topic, earlier=earlier, turns=turns)

    def repair(self, problems: Sequence[str]) -> str:
        """Return what is said after an answer that breaks the rules."""
        if "repair" not in self._template.blocks:
            return _REPAIR.format("\n".join(f"- {problem}" for problem in problems))
        return self._block("repair", problems=problems)

    def _block(self, name: str, **values: Any) -> str:
        from jinja2 import TemplateError

        template = self._template
        try:
            return "".join(template.blocks[name](template.new_context(values))).strip()
        except TemplateError as problem:
            raise LLMError(f"{self.name}, block {name}: {problem}") from None
