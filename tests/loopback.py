"""A chat endpoint on loopback that answers by script, faults included."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server does with one request."""

    status: int = 200
    body: str | bytes = ""
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    hang_up: bool = False
    content_type: str = "application/json"


def said(text: str, **more: Any) -> Reply:
    """A chat completion of a text."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    body = {"model": "tiny-1", "choices": [choice | more.pop("choice", {})], "usage": usage} | more
    return Reply(body=json.dumps(body))


def failed(status: int, message: str = "no", **headers: str) -> Reply:
    """An error in OpenAI's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps({"error": {"message": message}}), named)


Script = Callable[[dict[str, Any], int], Reply]


class Server:
    """The requests it got, and its address."""

    def __init__(self, script: Script | list[Reply]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self._script = script
        self._lock = threading.Lock()
        self.done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            number = len(self.bodies)
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
            self.paths.append(handler.path)
            self.times.append(time.monotonic())
        reply = self._script(body, number) if callable(self._script) else self._script[number]
        self.done.wait(reply.seconds)
        if reply.hang_up:
            handler.close_connection = True
            return
        raw = reply.body.encode() if isinstance(reply.body, str) else reply.body
        try:
            handler.send_response(reply.status)
            handler.send_header("Content-Type", reply.content_type)
            handler.send_header("Content-Length", str(len(raw)))
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(raw)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up waiting


@contextmanager
def serving(script: Script | list[Reply]) -> Iterator[Server]:
    """Serve on loopback until the block ends."""
    server = Server(script)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.done.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()
