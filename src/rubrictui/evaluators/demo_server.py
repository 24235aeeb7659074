"""The demo's judge: a server on the loopback that speaks OpenAI's chat completions and always answers the same.

It has read one piece of work, the harbour gauges of the sample data, and answers it as the guide's judge does
(section 14). Of everything else it takes the highest level but one, and says so. Nothing leaves the machine.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, NamedTuple

from rubrictui.evaluators.config import (
    DECISION_VARIABLE,
    FILE_VARIABLE,
    MODEL_VARIABLE,
    URL_VARIABLE,
)

MODEL: Final = "demo-judge"

_MOST_BYTES: Final = 64 * 2**20
_CHARACTERS_PER_TOKEN: Final = 4

_KEY: Final = re.compile(r"^Key: `([^`]+)`", re.MULTILINE)
_LEVEL: Final = re.compile(r'^- "([^"\n]+)"', re.MULTILINE)
_OPTION: Final = re.compile(r"^([A-Z]) = (.+?)\s*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"^A number from (\S+) to ([^,;\s]+)(?:, in steps of ([^;\s]+))?", re.MULTILINE)
_PAGE: Final = re.compile(r"^Page \d+ of (\d+)")
_TEXT: Final = re.compile(r"^\[text\]\n+([^\n]{8,})", re.MULTILINE)
_BLOCK: Final = "<rubric-subject "


class _Known(NamedTuple):
    chosen: str
    confidence: float
    rationale: str
    quote: str


#: What the known work is told by, and the answers to it.
_MARK: Final = "Pellow Quay"
_ANSWERS: Final = {
    "accuracy": _Known(
        "Partial",
        0.62,
        "Gauges and causes agree with the files, but Pellow Quay is under 95 % and is not counted.",
        "A fourth gauge, Pellow Quay, stands at 94.96 %.",
    ),
    "sourcing": _Known(
        "Meets",
        0.91,
        "Every cause carries the number of a work order.",
        "Sensor silted up; cleaned on 2 September",
    ),
    "completeness": _Known(
        "Meets",
        0.88,
        "Gauges and causes are both answered, and what is not known is said.",
        "order 4503 is still open, and the cause is not known",
    ),
}


def reply(body: Mapping[str, Any]) -> dict[str, Any]:
    """The chat completion that answers a request."""
    messages = [one for one in body.get("messages") or [] if isinstance(one, dict)]
    texts = [_text(one) for one in messages]
    everything = "\n".join(texts)
    system = texts[0] if texts else ""
    chances: dict[str, float] | None = None
    calls: list[tuple[str, dict[str, Any]]] = []
    said = ""
    if body.get("logprobs"):
        chances = _chances(system, everything)
        said = max(chances, key=lambda code: chances[code]) if chances else ""
    elif body.get("tools"):
        given = [text for one, text in zip(messages, texts, strict=True) if one.get("role") == "tool"]
        rubric = [text for text in given if _BLOCK not in text]
        calls = _next_calls(given, rubric)
        said = "" if calls else json.dumps({"decisions": _decisions("\n\n".join(rubric), everything)})
    else:
        decided = _decisions(system, everything)
        is_single = '"decisions"' not in system and len(decided) == 1
        said = json.dumps(decided[0] if is_single else {"decisions": decided})
    return _completion(body, said, chances=chances, calls=calls, asked=len(everything))


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _next_calls(given: Sequence[str], rubric: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """What the agent reads next: rubric and work at once, then the other pages of the rubric."""
    if not given:
        return [("get_rubric", {"page": 1}), ("get_subject", {"page": 1})]
    pages = _PAGE.match(rubric[0]) if rubric else None
    if pages is not None and len(rubric) < int(pages[1]):
        return [("get_rubric", {"page": len(rubric) + 1})]
    return []


def _decisions(rubric: str, everything: str) -> list[dict[str, Any]]:
    """An entry for each criterion that the text of a rubric describes."""
    found = []
    for part in ("\n" + rubric).split("\n## ")[1:]:
        key = _KEY.search(part)
        if key is None:
            continue
        known = _ANSWERS.get(key[1]) if _MARK in everything else None
        levels = _LEVEL.findall(part)
        if known is not None and known.chosen in levels:
            entry = {
                "key": key[1],
                "chosen": known.chosen,
                "confidence": known.confidence,
                "rationale": known.rationale,
                "evidence": [known.quote],
            }
        else:
            quote = _TEXT.search(everything)
            entry = {
                "key": key[1],
                "chosen": _usual(part, levels),
                "confidence": 0.5,
                "rationale": "The demo's judge has not read this; it takes the highest level but one.",
                "evidence": [quote[1]] if quote else [],
            }
        found.append(entry)
    return found


def _usual(part: str, levels: Sequence[str]) -> str | float:
    """The highest level but one, of a range the middle; levels stand from low to high."""
    if levels:
        return levels[max(0, len(levels) - 2)]
    span = _NUMBER.search(part)
    if span is None:
        return "N/A"
    try:
        low, high = float(span[1]), float(span[2])
        step = float(span[3]) if span[3] else 0.0
    except ValueError:
        return "N/A"
    middle = (high - low) / 2
    return low + (math.floor(middle / step) * step if step > 0 else middle)


def _chances(system: str, everything: str) -> dict[str, float]:
    """The probability of each option's letter."""
    options = dict(_OPTION.findall(system))
    key = _KEY.search(system)
    known = _ANSWERS.get(key[1]) if key is not None and _MARK in everything else None
    likeliest = next((code for code, label in options.items() if known and label == known.chosen), None)
    if likeliest is None:
        likeliest = list(options)[max(0, len(options) - 2)] if options else "A"
    share = known.confidence if known is not None else 0.5
    others = [code for code in options if code != likeliest]
    return {likeliest: share} | {code: (1 - share) / len(others) for code in others}


def _completion(
    body: Mapping[str, Any],
    said: str,
    *,
    chances: Mapping[str, float] | None,
    calls: Sequence[tuple[str, dict[str, Any]]],
    asked: int,
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said or None}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(calls)
        ]
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    if chances:
        listed = [
            {"token": code, "logprob": math.log(share), "bytes": list(code.encode())}
            for code, share in chances.items()
        ]
        first = max(listed, key=lambda one: float(str(one["logprob"])))
        choice["logprobs"] = {"content": [{**first, "top_logprobs": listed}]}
    sent, back = 1 + asked // _CHARACTERS_PER_TOKEN, 1 + len(said) // _CHARACTERS_PER_TOKEN
    return {
        "id": "demo",
        "object": "chat.completion",
        "created": 0,
        "model": str(body.get("model") or MODEL),
        "choices": [choice],
        "usage": {"prompt_tokens": sent, "completion_tokens": back, "total_tokens": sent + back},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat completion; what is no such request gets an error of the same shape."""
        try:
            length = int(self.headers.get("content-length") or 0)
            if not 0 < length <= _MOST_BYTES:
                raise ValueError("no body, or one too long")
            body = json.loads(self.rfile.read(length))
            if not isinstance(body, dict) or not self.path.endswith("/chat/completions"):
                raise ValueError("only chat completions are answered")
            self._send(200, reply(body))
        except ValueError as error:
            self.close_connection = True
            self._send(400, {"error": {"message": str(error), "type": "invalid_request_error"}})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written where the application draws."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle of an answer is no error."""


_HIDDEN: Final = (MODEL_VARIABLE, DECISION_VARIABLE, URL_VARIABLE)

_CONFIG: Final = """default_model = "{model}"
decision_model = "{model}"

[providers.demo]
base_url = "{url}"
api_key = "demo"

[models.{model}]
provider = "demo"
input_price = 0.0
output_price = 0.0
"""


@contextmanager
def demo_judge() -> Iterator[str]:
    """Run the judge on a free port of the loopback, as the model of this process; gives its address.

    The user's own models are left aside meanwhile, and none of her keys is read.
    """
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, name="demo-judge", daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    before = {name: os.environ.get(name) for name in (*_HIDDEN, FILE_VARIABLE)}
    try:
        with tempfile.TemporaryDirectory(prefix="rubrictui-demo-") as folder:
            config = Path(folder) / "ai.toml"
            config.write_text(_CONFIG.format(model=MODEL, url=url), encoding="utf-8")
            config.chmod(0o600)
            for name in _HIDDEN:
                os.environ.pop(name, None)
            os.environ[FILE_VARIABLE] = str(config)
            yield url
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        server.shutdown()
        server.server_close()
        thread.join(5)
