"""Scripted actions from files, and what is said about a file that holds none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters import read_actions
from rubrictui.matters.actions import parse_actions

TWO = [{"type": "read_document", "document_id": "msa"}, {"type": "submit_final", "summary": "§"}]


@pytest.mark.parametrize(
    "text",
    [
        '[{"type": "read_document", "document_id": "msa"}, {"type": "submit_final", "summary": "§"}]',
        '{"type": "read_document", "document_id": "msa"}\n{"type": "submit_final", "summary": "§"}\n',
        '\ufeff\n{"type": "read_document", "document_id": "msa"}\r\n\r\n{"type": "submit_final", "summary": "§"}',
        '{"actions": [{"type": "read_document", "document_id": "msa"},\n{"type": "submit_final", "summary": "§"}]}',
    ],
    ids=["array", "lines", "BOM, CRLF and blank lines", "object with actions"],
)
def test_actions_are_read_in_every_form(text: str, tmp_path: Path) -> None:
    file = tmp_path / "actions"
    file.write_text(text, encoding="utf-8", newline="")
    assert read_actions(file) == TWO


def test_one_action_on_several_lines_is_one_action() -> None:
    assert parse_actions('{\n "type": "submit_final"\n}') == [{"type": "submit_final"}]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no action"),
        (b"\n \n", "holds no action"),
        (b'{"type": "x"}\nnot json\n', "script:2: this is not JSON"),
        (b'{"type": "x"}\n[1]\n', "script:2: an action must be a JSON object"),
        (b'[{"type": "x"}, 7]', "script, action 2: an action must be a JSON object"),
        (b'[\n{"type": "x"},\n{"type": }\n]', "script:3: this is not JSON"),
        (b'{"type": "x"}\n{"type": "\xff"}\n', "script:2: this is not UTF-8"),
        (b"[" * 100_000, "this is not JSON"),
        (b"7", "script:1: an action must be a JSON object"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(said)) as caught:
        parse_actions(data, "script")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"none\.json cannot be read"):
        read_actions(tmp_path / "none.json")
