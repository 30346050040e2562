"""Packaged models are found, put together and checked; the command that serves one is right."""

from __future__ import annotations

import hashlib
import importlib.util
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from beliefgraph.baselines import local_models
from beliefgraph.baselines.local_models import (
    LOCAL_MODELS,
    LocalModel,
    find_local_model,
    server_command,
)
from beliefgraph.cli import main
from beliefgraph.cli.command_serve_local import _run
from beliefgraph.errors import LLMError, MissingPackageError

PARTS = (b"GGUF first ", b"second ", b"third")
WHOLE = b"".join(PARTS)


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two invented models as packages: `parted` in three parts, `single` in one file."""
    site = tmp_path / "site"
    for n, part in enumerate(PARTS):
        folder = site / f"invented_part{n}" / "data"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("raise RuntimeError('imported')")
        (folder / f"model.part{n}").write_bytes(part)
    parts = tuple((f"invented_part{n}", f"data/model.part{n}") for n in range(3))
    right = hashlib.sha256(WHOLE).hexdigest()
    models = {
        "parted": LocalModel("invented-parted", parts, right, chat_format="alpaca"),
        "single": LocalModel("invented-single", parts[:1], right),
        "absent": LocalModel("invented-absent", (("no_such_module", "model.gguf"),), right),
    }
    monkeypatch.setattr(local_models, "LOCAL_MODELS", models)
    monkeypatch.syspath_prepend(site)
    return site


def test_parts_are_put_together_once_and_checked(packaged: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    path = find_local_model("parted", folder)
    assert path.read_bytes() == WHOLE
    before = path.stat().st_mtime_ns
    assert find_local_model("parted", folder) == path
    assert path.stat().st_mtime_ns == before
    path.write_bytes(b"cut off")
    assert find_local_model("parted", folder).read_bytes() == WHOLE
    assert list(folder.iterdir()) == [path]


def test_damaged_parts_are_refused_and_leave_nothing(packaged: Path, tmp_path: Path) -> None:
    (packaged / "invented_part1" / "data" / "model.part1").write_bytes(b"other")
    with pytest.raises(LLMError, match="--force-reinstall invented-parted"):
        find_local_model("parted", tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_a_model_in_one_file_is_used_where_it_lies(packaged: Path, tmp_path: Path) -> None:
    path = find_local_model("single", tmp_path / "models")
    assert path == packaged / "invented_part0" / "data" / "model.part0"
    assert not (tmp_path / "models").exists()


def test_the_users_folder_for_caches_is_the_default(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert find_local_model("parted") == tmp_path / "cache" / "beliefgraph" / "parted.gguf"


def test_what_is_missing_names_its_command(packaged: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingPackageError, match="pip install invented-absent"):
        find_local_model("absent")
    with pytest.raises(LLMError, match=r"Did you mean 'parted'.*path of a GGUF file"):
        find_local_model("partd")


def test_the_command_serves_the_file_as_it_is_asked(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", _everything_is_there)
    name, command = server_command("parted", port=9000, threads=1, folder=tmp_path)
    given = dict(zip(command[3::2], command[4::2], strict=True))
    assert name == "parted"
    assert command[:3] == [sys.executable, "-m", "llama_cpp.server"]
    assert given == {
        "--model": str(tmp_path / "parted.gguf"),
        "--model_alias": "parted",
        "--host": "127.0.0.1",
        "--port": "9000",
        "--n_ctx": "8192",
        "--logits_all": "false",
        "--chat_format": "alpaca",
        "--n_threads": "1",
        "--n_threads_batch": "1",
    }
    own = tmp_path / "mine.gguf"
    own.write_bytes(WHOLE)
    name, command = server_command(str(own), logprobs=True)
    assert name == "mine"
    assert command[command.index("--logits_all") + 1] == "true"
    assert "--chat_format" not in command
    assert "--n_threads" not in command


_find_spec = importlib.util.find_spec


def _everything_is_there(name: str) -> object:
    return _find_spec("sys" if name == "llama_cpp" else name)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"<html>")
    with pytest.raises(LLMError, match=r"model\.gguf: no GGUF file \(it begins with b'<htm'"):
        server_command(str(path))
    with pytest.raises(LLMError, match=r"absent\.gguf: cannot be read"):
        server_command(str(tmp_path / "absent.gguf"))


def test_the_server_package_names_its_command(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "llama_cpp" else _find_spec(name),
    )
    with pytest.raises(MissingPackageError, match=r'pip install "beliefgraph\[local\]"'):
        server_command("single")


def test_real_packages_hold_what_their_entry_says(tmp_path: Path) -> None:
    found = 0
    for name, model in LOCAL_MODELS.items():
        if all(importlib.util.find_spec(module) for module, _ in model.files):
            path = find_local_model(name, tmp_path)
            assert hashlib.sha256(path.read_bytes()).hexdigest() == model.sha256
            found += 1
    if not found:
        pytest.skip("no packaged model is installed")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["serve-local", *map(str, arguments)])


def test_the_command_says_how_to_ask_and_how_it_ended(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [sys.executable, "-c", "raise SystemExit(3)"]
    monkeypatch.setattr(local_models, "server_command", lambda model, **options: ("parted", ends))
    done = call("parted", "--port", 9000)
    assert done.exit_code == 2
    assert "llm:parted@http://127.0.0.1:9000/v1" in done.stderr
    assert "the server ended with code 3" in done.stderr


def test_an_unknown_model_is_one_message() -> None:
    done = call("smolm2")
    assert done.exit_code == 2
    assert "Did you mean 'smollm2'" in done.stderr


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_is_no_failure(number: signal.Signals, tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = f"import pathlib, time; pathlib.Path({str(started)!r}).touch(); time.sleep(60)"
    here = threading.get_ident()

    def press() -> None:
        while not started.exists():
            time.sleep(0.01)
        signal.pthread_kill(here, number)

    pressing = threading.Thread(target=press)
    pressing.start()
    began = time.monotonic()
    assert _run([sys.executable, "-c", code]) == 0
    pressing.join()
    assert time.monotonic() - began < 30
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
