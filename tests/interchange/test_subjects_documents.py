"""PDF and DOCX as texts with pages that evidence can cite; broken, locked and bursting files each in one line."""

from __future__ import annotations

import builtins
import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_BREAK

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Evidence, EvidenceKind
from rubrictui.core.pages import page_at, page_number, page_span, paged_text
from rubrictui.core.records import Subject
from rubrictui.interchange.subjects_in import SubjectsRead, read_subjects


def pdf(*pages: str, title: str = "") -> bytes:
    """A small PDF with a line of text on each page."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (5 + 2 * at) for at in range(len(pages))), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) >>" % title.encode(),
    ]
    for at, text in enumerate(pages):
        stream = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text.encode()
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (6 + 2 * at)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        start,
    )


def word(*, title: str = "") -> bytes:
    """Two pages: a heading, a paragraph, a break, a table."""
    made = docx.Document()
    made.core_properties.title = title
    made.add_heading("Tides", 1)
    made.add_paragraph("They rise twice a day.").add_run().add_break(WD_BREAK.PAGE)
    table = made.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ("port", "metres", "North", "2.1"), strict=True
    ):
        cell.text = text
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def add(folder: Path, name: str, data: bytes) -> SubjectsRead:
    (folder / name).write_bytes(data)
    return read_subjects([folder / name])


def test_a_pdf_is_a_text_with_pages_and_the_file_itself(tmp_path: Path) -> None:
    found = add(tmp_path, "tides.pdf", pdf("Tides rise.", "", "Tides fall.", title="On tides"))
    (subject,) = found.subjects
    assert subject.text == "[page 1]\n\nTides rise.\n\n[page 2]\n\n[page 3]\n\nTides fall."
    assert (subject.record_id, subject.title, subject.data) == ("tides", "On tides", {"pages": 3})
    (file,) = subject.files
    assert (file.media_type, file.text, file.sha256 is not None) == ("application/pdf", None, True)
    assert found.notes == (f"{tmp_path / 'tides.pdf'}: 1 of 3 pages have no text; pictures are not read.",)


def test_a_docx_keeps_headings_tables_and_the_breaks_of_its_pages(tmp_path: Path) -> None:
    (subject,) = add(tmp_path, "tides.docx", word(title="On tides")).subjects
    assert subject.text == (
        "[page 1]\n\n# Tides\n\nThey rise twice a day.\n\n[page 2]\n\nport | metres\nNorth | 2.1"
    )
    assert (subject.title, subject.data) == ("On tides", {"pages": 2})


@pytest.mark.parametrize(
    ("source", "text", "holds"),
    [
        ("text", "Tides fall.", True),
        ("page 3", "Tides fall.", True),
        ("p. 3", "Tides fall.", True),
        ("page 1", "Tides fall.", False),
        ("page 9", "Tides fall.", False),
    ],
)
def test_a_quote_may_name_its_page_and_must_stand_on_it(
    tmp_path: Path, source: str, text: str, holds: bool
) -> None:
    (subject,) = add(tmp_path, "t.pdf", pdf("Tides rise.", "", "Tides fall.")).subjects
    evidence = Evidence(kind=EvidenceKind.QUOTE, text=text, source=source)
    assert (check_evidence(subject, evidence) is None) is holds


def test_offsets_of_a_page_begin_with_its_first_word() -> None:
    subject = Subject(record_id="x", text=paged_text(["One two.", "Three four."]))
    quote = Evidence(kind=EvidenceKind.QUOTE, text="four", source="page 2", start=6, end=10)
    assert check_evidence(subject, quote) is None
    span = page_span(subject.text, 2)
    assert span is not None
    assert subject.text[slice(*span)] == "Three four."
    assert [page_at(subject.text, subject.text.index(one)) for one in ("One", "four")] == [1, 2]
    assert (page_at("no pages", 3), page_span("no pages", 1), page_number("notes.md")) == (None, None, None)


def test_what_only_looks_like_a_mark_is_no_page() -> None:
    text = paged_text(["a\n[page 7]\nb", "c"])
    assert page_span(text, 7) is None
    assert page_at(text, text.index("b")) == 1
    named = Subject(record_id="x", text=text)
    assert check_evidence(named, Evidence(kind=EvidenceKind.QUOTE, text="b", source="page 7")) is not None


def _locked_pdf() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Secret."))))
    writer.encrypt("key", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def _bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (140 << 20))
    return buffer.getvalue()


def _entities() -> bytes:
    """A document that defines entities out of entities."""
    source, target = zipfile.ZipFile(io.BytesIO(word())), io.BytesIO()
    levels = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))
    with zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            data = source.read(name)
            if name == "word/document.xml":
                text = data.decode()
                head, _, rest = text.partition("?>")
                text = f'{head}?><!DOCTYPE d [<!ENTITY e0 "BOOM">{levels}]>{rest}'
                data = text.replace("They rise", "&e9; They rise").encode()
            archive.writestr(name, data)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pdf", b"no pdf at all", "cannot be read as PDF"),
        ("a.pdf", b"", "cannot be read as PDF"),
        ("a.pdf", pdf("x")[:200], "cannot be read as PDF"),
        ("a.docx", b"no docx", "damaged or cut short"),
        ("a.docx", word()[:3000], "damaged or cut short"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "locked by a password"),
    ],
)
def test_a_broken_file_is_one_line(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words) as told:
        add(tmp_path, name, data)
    assert str(told.value).startswith(str(tmp_path / name))
    assert "\n" not in str(told.value)


def test_locked_and_bursting_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is locked by a password"):
        add(tmp_path, "a.pdf", _locked_pdf())
    with pytest.raises(InvalidInputError, match="would unpack to 140 MB"):
        add(tmp_path, "a.docx", _bomb())


def test_entities_of_a_document_are_never_multiplied(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read as DOCX"):
        add(tmp_path, "a.docx", _entities())


def test_without_the_extra_only_the_file_is_added_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".", maxsplit=1)[0] in ("pypdf", "docx"):
            raise ImportError(name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    found = add(tmp_path, "a.pdf", pdf("x"))
    assert (found.subjects[0].text, found.subjects[0].files[0].name) == ("", "a.pdf")
    assert "pip install 'rubrictui[documents]'" in found.notes[0]
