"""Where a model is reached: base URL, key and model name, from arguments or the environment.

The key lives in a `SecretStr` and leaves it only for the header of a request; every text that is
shown passes `Endpoint.scrub` first, because some servers repeat the key in their error messages.
"""

from __future__ import annotations

import base64
import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from beliefgraph.errors import LLMError

__all__ = ["Endpoint"]

HOSTED = "https://api.openai.com/v1"
_KEY_NAMES = frozenset({"key", "api_key", "apikey", "api-key", "token", "access_token"})


@dataclass(frozen=True)
class Endpoint:
    """A model behind a URL."""

    url: str
    """Address of the chat endpoint, without user, password or key."""
    model: str
    key: SecretStr | None
    login: SecretStr | None = None
    """`user:password` that stood in the URL."""

    @classmethod
    def find(cls, base_url: str | None, api_key: str | None, model: str | None) -> Endpoint:
        """Fill in from the environment what was not given.

        Raises
        ------
        LLMError
            Something is missing or not as it must be.
        """
        base = base_url or os.environ.get("OPENAI_BASE_URL") or HOSTED
        parts, login = _split(base.strip())
        name = (model or os.environ.get("BELIEFGRAPH_MODEL") or "").strip()
        if not name:
            raise LLMError(
                'no model is named. Give it (model="...") or set BELIEFGRAPH_MODEL; a local '
                f"server lists its models at {urlunsplit(parts)}/models"
            )
        text = (api_key if api_key is not None else os.environ.get("OPENAI_API_KEY", "")).strip()
        if not text.isascii() or any(character.isspace() for character in text):
            raise LLMError(
                "the API key holds characters that no key has (spaces, line ends or letters beyond "
                "ASCII); copy it again. It is not shown here on purpose"
            )
        if not text and login is None and parts.hostname == "api.openai.com":
            raise LLMError(
                f"{HOSTED} needs a key. Set OPENAI_API_KEY or give api_key=; for a server of your "
                'own give base_url= (Ollama: "http://localhost:11434/v1")'
            )
        path = f"{parts.path}/chat/completions"
        url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
        return cls(
            url=url,
            model=name,
            key=SecretStr(text) if text else None,
            login=login,
        )

    def headers(self) -> dict[str, str]:
        """Return the headers of a request; the only place where the key is written out."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key.get_secret_value()}"
        elif self.login is not None:
            token = base64.b64encode(self.login.get_secret_value().encode()).decode()
            headers["Authorization"] = f"Basic {token}"
        return headers

    def scrub(self, text: str) -> str:
        """Return the text without key and password."""
        secrets = [secret.get_secret_value() for secret in (self.key, self.login) if secret]
        if self.login is not None:
            secrets.append(secrets[-1].partition(":")[2])
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, "[key]")
        return text

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, so that no proxy stands in between."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")


def _split(base: str) -> tuple[SplitResult, SecretStr | None]:
    """Take a base URL apart: without user and password, without the chat path at its end."""
    try:
        parts = urlsplit(base)
        host, port = parts.hostname, parts.port
    except ValueError as problem:
        raise LLMError(f"the base URL cannot be read: {problem}") from None
    if parts.scheme not in ("http", "https") or not host:
        shown = base.rpartition("@")[2]
        raise LLMError(
            f"the base URL must start with http:// or https:// and name a server (got {shown!r}); "
            f'for example "{HOSTED}" or "http://localhost:11434/v1"'
        )
    if any(name.casefold() in _KEY_NAMES for name, _ in parse_qsl(parts.query)):
        raise LLMError(
            f"the base URL of {host} holds a key in its query, where logs would show it; "
            "take it out and give it as api_key="
        )
    login = None
    if parts.username or parts.password:
        login = SecretStr(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}")
    shown_host = f"[{host}]" if ":" in host else host
    netloc = shown_host if port is None else f"{shown_host}:{port}"
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return SplitResult(parts.scheme, netloc, path, parts.query, ""), login
