"""A server of this machine that speaks OpenAI's chat completions, with every misbehaviour that tests need.

The real client talks to it over a loopback socket. ``python openai_server.py --delay 0.1`` runs it alone and prints
its address; it then answers every prompt of ours with the first level of each criterion, for benchmarks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

KEYS = re.compile(r"^Key: `([^`]+)`", re.MULTILINE)
LEVEL = re.compile(r'^- "([^"]+)"', re.MULTILINE)


@dataclass
class Say:
    """One answer of the server.

    ``text`` is what the model says. ``status`` with ``body`` is an HTTP error; ``raw`` is sent as the body as it
    is; ``chances`` are tokens with probabilities for the first place; ``calls`` are tool calls; ``delay`` seconds
    pass before; ``cut`` closes the connection after so many bytes of the body; ``size`` sends so many bytes of
    padding inside of the reply.
    """

    text: str = ""
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    chances: dict[str, float] | None = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    delay: float = 0.0
    cut: int | None = None
    size: int = 0
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 20)


Script = Callable[[dict[str, Any], int], Say]


def in_turn(*says: Say | str) -> Script:
    """Give these answers one after the other, the last one for ever."""
    made = [one if isinstance(one, Say) else Say(one) for one in says]
    return lambda body, number: made[min(number, len(made) - 1)]


@dataclass
class Server:
    """A running server. ``requests`` are the bodies it was sent, ``headers`` those of the requests."""

    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    port: int = 0
    running: int = 0
    most_running: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def system(self, number: int = 0) -> str:
        return str(self.requests[number]["messages"][0]["content"])

    def user(self, number: int = 0) -> str:
        return str(self.requests[number]["messages"][1]["content"])

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:] if line)
        }
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(headers)
        say = self.script(body, number)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(say.delay)
        self.running -= 1
        if say.status == 200 and body.get("stream") and say.raw is None:
            content, kind = _stream(say, body), "text/event-stream"
        else:
            content, kind = _content(say, body), "application/json"
        kind = say.headers.get("content-type", kind)
        reply = [f"HTTP/1.1 {say.status} X", f"content-length: {len(content)}", f"content-type: {kind}"]
        reply += [f"{name}: {value}" for name, value in say.headers.items() if name != "content-type"]
        writer.write("\r\n".join([*reply, "", ""]).encode())
        if say.cut is not None:
            writer.write(content[: say.cut])
            await writer.drain()
            return False
        writer.write(content)
        await writer.drain()
        return True


def _content(say: Say, body: dict[str, Any]) -> bytes:
    if say.raw is not None:
        return say.raw
    if say.status != 200:
        return json.dumps(say.body or {"error": {"message": "no", "type": "x"}}).encode()
    message: dict[str, Any] = {"role": "assistant", "content": say.text + " " * say.size}
    if say.calls:
        message["content"] = say.text or None
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(say.calls)
        ]
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if say.calls else say.finish,
    }
    if say.chances is not None:
        choice["logprobs"] = {"content": [_chances(say.chances)]}
    made: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", "m"),
        "choices": [choice],
    }
    if say.usage is not None:
        asked, given = say.usage
        made["usage"] = {"prompt_tokens": asked, "completion_tokens": given, "total_tokens": asked + given}
    return json.dumps(made).encode()


def _chances(chances: dict[str, float]) -> dict[str, Any]:
    import math

    listed = [
        {"token": token, "logprob": math.log(share), "bytes": list(token.encode())}
        for token, share in chances.items()
    ]
    return {**max(listed, key=lambda one: one["logprob"]), "top_logprobs": listed}


def _stream(say: Say, body: dict[str, Any]) -> bytes:
    base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "m")}
    pieces = [say.text[at : at + 7] for at in range(0, len(say.text), 7)]
    chunks: list[dict[str, Any]] = [
        {
            **base,
            "choices": [
                {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
            ],
        }
        for piece in pieces
    ]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": say.finish}]})
    if say.usage is not None:
        asked, given = say.usage
        usage = {"prompt_tokens": asked, "completion_tokens": given, "total_tokens": asked + given}
        chunks.append({**base, "choices": [], "usage": usage})
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


def first_levels(body: dict[str, Any], number: int = 0) -> Say:
    """An answer to whatever evaluator prompt comes: each criterion on the first level that stands under it."""
    system = str(body["messages"][0]["content"])
    entries = []
    for part in system.split("\n## ")[1:]:
        key, level = KEYS.search(part), LEVEL.search(part)
        if key and level:
            entries.append({"key": key[1], "chosen": level[1], "rationale": "as it stands", "evidence": []})
    return Say(json.dumps({"decisions": entries}))


@contextmanager
def serving(script: Script | Say | str) -> Iterator[Server]:
    """A server on a free port of the loopback, in a thread of its own."""
    chosen = script if callable(script) else in_turn(script)
    server = Server(chosen)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def open_() -> asyncio.Server:
        return await asyncio.start_server(server.handle, "127.0.0.1", 0, limit=2**26)

    def run() -> None:
        asyncio.set_event_loop(loop)
        listening = loop.run_until_complete(open_())
        server.port = listening.sockets[0].getsockname()[1]
        ready.set()
        loop.run_forever()
        listening.close()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def main(delay: float) -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        say = first_levels(body, number)
        say.delay = delay
        return say

    server = Server(script)
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0, limit=2**26)
    server.port = listening.sockets[0].getsockname()[1]
    print(server.url, flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.1)
    asyncio.run(main(parser.parse_args().delay))
