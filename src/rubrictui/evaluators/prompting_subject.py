"""The subject as a model reads it: one message of its own, between tags that its text cannot close.

The tags carry a random code that does not occur in the content, so nothing in it can end the block. The content
never passes through a template.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.errors import EvaluatorError

TAG: Final = "rubric-subject"

#: A subject is cut to so many characters where the model's own budget is not known.
DEFAULT_BUDGET: Final = 400_000


def new_nonce() -> str:
    """Sixteen random hex digits."""
    return secrets.token_hex(8)


class SubjectMessage(NamedTuple):
    """The user message, and what was left out of the content ("" when nothing was)."""

    text: str
    note: str


def subject_text(content: SubjectContent) -> str:
    """Everything of a subject that is text: title, text, data, text files; each under a line that names it."""
    parts = []
    if content.title.strip():
        parts.append(f"[title]\n{content.title}")
    if content.text.strip():
        parts.append(f"[text]\n{content.text}")
    if content.data:
        parts.append(f"[data]\n{data_text(content)}")
    for file in content.files:
        if file.text is not None:
            parts.append(f"[file {file.name}]\n{file.text}")
        else:
            parts.append(f"[file {file.name}, {file.media_type}: its content is not shown here]")
    return "\n\n".join(parts)


def data_text(content: SubjectContent) -> str:
    """The data as indented JSON; "" without data."""
    if not content.data:
        return ""
    return msgspec.json.format(msgspec.json.encode(content.data), indent=2).decode()


def cut(text: str, budget: int) -> tuple[str, str]:
    """The text within a budget of characters, and a note of what was left out.

    The beginning and the end are kept, three parts to one: conclusions stand at both.
    """
    if len(text) <= budget:
        return text, ""
    tail = max(budget // 4, 0)
    head = max(budget - tail, 0)
    left_out = len(text) - head - tail
    note = (
        f"The subject has {len(text):,} characters and the model's budget is {budget:,}: "
        f"{left_out:,} were left out of the middle."
    )
    marked = f"\n\n[... {left_out:,} characters left out here to fit the model ...]\n\n"
    return text[:head] + marked + (text[-tail:] if tail else ""), note


def subject_message(
    text: str, *, budget: int = DEFAULT_BUDGET, nonce: Callable[[], str] = new_nonce
) -> SubjectMessage:
    """The subject in its block.

    Args:
        text: as ``subject_text`` gives it.
        budget: how many characters of it may be sent.
        nonce: gives the code of the tags; asked again while the text contains it.

    Raises:
        EvaluatorError: there is nothing to judge, or every code occurs in the text.
    """
    if not text.strip():
        raise EvaluatorError(
            "The subject has nothing to read: no text, no data, no text file.",
            remedy="Add its content, or register a content provider for its entity.",
        )
    shown, note = cut(text, budget)
    for _ in range(100):
        code = nonce()
        if code and code not in text:
            break
    else:
        raise EvaluatorError("No code could be found that the subject does not contain.")
    before = f"{note} Judge what is here, and say so where the missing part could matter.\n\n" if note else ""
    return SubjectMessage(f"{before}<{TAG} {code}>\n{shown}\n</{TAG} {code}>", note)
