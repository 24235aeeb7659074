"""The subject as a model reads it: one message of its own, between tags that its text cannot close.

The tags carry a random code that does not occur in the content, so nothing in it can end the block. The content
never passes through a template.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from rubrictui.core.records import IMAGE_TYPES, MOST_IMAGE_BYTES
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.services import Image

TAG: Final = "rubric-subject"

#: A call holds no more images, and no more bytes of them.
MOST_IMAGES: Final = 20
_MOST_BYTES: Final = 16_000_000

#: A subject is cut to so many characters where the model's own budget is not known.
DEFAULT_BUDGET: Final = 400_000


def new_nonce() -> str:
    """Sixteen random hex digits."""
    return secrets.token_hex(8)


class Pictures(NamedTuple):
    """The images of a subject that a model can be shown, and what of them was left out ("" when nothing was)."""

    images: tuple[Image, ...]
    note: str


def images_of(content: SubjectContent) -> Pictures:
    """The images of a subject, the first ``MOST_IMAGES`` of them, as far as they fit."""
    shown: list[Image] = []
    left_out: list[str] = []
    size = 0
    for file in content.files:
        if not file.media_type.startswith("image/"):
            continue
        data = file.content
        if file.media_type not in IMAGE_TYPES:
            left_out.append(f"{file.name} (of the kind {file.media_type})")
        elif data is None:
            left_out.append(f"{file.name} (not kept here, or over {MOST_IMAGE_BYTES // 1_000_000} MB)")
        elif len(data) > MOST_IMAGE_BYTES or len(shown) == MOST_IMAGES or size + len(data) > _MOST_BYTES:
            left_out.append(f"{file.name} (over the limits)")
        else:
            size += len(data)
            shown.append(Image(name=file.name, media_type=file.media_type, content=data))
    note = f"Images left out: {', '.join(left_out)}." if left_out else ""
    return Pictures(tuple(shown), note)


def images_words(images: Sequence[Image], *, are_shown: bool) -> str:
    """What a model is told of the images, without anything that the subject says itself; "" where there are none."""
    if not images:
        return ""
    count = "One image" if len(images) == 1 else f"{len(images)} images"
    if are_shown:
        return f"{count} of the subject, in the order of its files, stand behind the block and belong to the work."
    return f"{count} of the subject cannot be shown to you."


def image_lines(images: Sequence[Image]) -> list[str]:
    """What is kept of images that were sent: not the images, which the subject has, but which they were."""
    return [
        f"[image {one.name}, {one.media_type}, {len(one.content):,} bytes, sha256 {image_hash(one)}]"
        for one in images
    ]


def image_hash(image: Image) -> str:
    """The hash of its bytes, as a subject's file keeps it."""
    return hashlib.sha256(image.content).hexdigest()


def not_shown(images: Sequence[Image], model_id: str) -> str:
    """What an evaluation says of images that its model did not get."""
    names = ", ".join(image.name for image in images)
    return f'The model "{model_id}" takes no images, so it was not shown {names}.'


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
        elif file.content is not None:
            parts.append(f"[file {file.name}, {file.media_type}: an image]")
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
    text: str, *, budget: int = DEFAULT_BUDGET, nonce: Callable[[], str] = new_nonce, about: str = ""
) -> SubjectMessage:
    """The subject in its block.

    Args:
        text: as ``subject_text`` gives it.
        about: what else the model is told in front of the block.
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
    before += f"{about}\n\n" if about else ""
    return SubjectMessage(f"{before}<{TAG} {code}>\n{shown}\n</{TAG} {code}>", note)
