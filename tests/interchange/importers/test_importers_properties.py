"""Whatever the bytes, an importer gives rubrics that a store can hold, or says what is wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from import_files import FILES

from rubrictui.core.display import name_fault
from rubrictui.core.editing import propose_key
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.engine.trees import prepared, prepared_scale
from rubrictui.interchange.importers import Imported, ImportOptions, format_names, import_rubrics
from rubrictui.interchange.importers._assembling import Keys

SAMPLES = {path.name: path.read_bytes() for path in sorted(FILES.iterdir())}
# What breaks parsers: marks of structure, of encodings, of HTML and of numbers.
SPICE = (
    b'"', b"'", b",", b";", b"|", b"\n", b"\r", b"\0", b"\xff", b"\xc3", b"<", b">", b"&", b"]]>", b"<![", b"<!--",
    b"{", b"}", b"[", b"]", b":", b"null", b"NaN", b"1e999", b"-1", b"1,5", b"\xef\xbb\xbf", b"\xff\xfe", b"<p>", b"&#0;",
    b"true", b'"\\ud800"', b"%", b"9" * 400, b"\xe2\x80\xae", b"\t",
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sample with pieces cut out, put in, said twice, or its end cut off."""
    name = draw(st.sampled_from(sorted(SAMPLES)))
    data = SAMPLES[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        piece = draw(st.sampled_from((b"", b"", data[start:end] * 2, *SPICE)) | st.binary(max_size=6))
        data = data[:start] + piece + data[end:]
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    return name, data


def checked(data: bytes, format: str | None, options: ImportOptions | None = None) -> Imported | None:
    """What an import gives, after it was held to what it promises; None for a refusal."""
    try:
        imported = import_rubrics(data, format=format, options=options)
    except RubrictuiError:
        return None
    if imported.findings:
        assert not imported.rubrics
        assert all(one.line >= 1 and one.column >= 1 and one.message for one in imported.findings)
        return imported
    assert imported.rubrics
    known = {scale.id: scale for scale in imported.scales}
    for scale in imported.scales:
        assert prepared_scale(scale, new_id=str) == scale
        assert name_fault(scale.name or "", MAXIMUM_NAME) == ""
    for rubric in imported.rubrics:
        version = rubric.snapshot
        assert name_fault(rubric.name, MAXIMUM_NAME) == ""
        assert prepared(version, taken=(), new_id=str) == version
        assert all(scale == known[scale.id] for scale in version.scales)
        for node in version.nodes:
            assert node.weight >= 0
            assert math.isfinite(node.weight)
            assert name_fault(node.name, MAXIMUM_NAME) == ""
            assert node.is_criterion == (node.scale_id is not None)
    return imported


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(), st.sampled_from((None, "zero", "keep")))
def test_a_damaged_file_gives_sound_rubrics_or_a_reason(
    sample: tuple[str, bytes], minimum: str | None
) -> None:
    checked(sample[1], None, ImportOptions(minimum=minimum))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated() | st.tuples(st.just(""), st.binary(max_size=200)), st.sampled_from(format_names()))
def test_a_file_read_in_any_format_gives_sound_rubrics_or_a_reason(
    sample: tuple[str, bytes], format: str
) -> None:
    checked(sample[1], format)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            (
                "id", "requirements", "weight", "sub_tasks", "criteria", "score1_description", "score5_description",
                "score_rubric", "rubric", "requirement", "name", "value-radio", "value", "param", "enum", "type", "order",
                "description", "confidence", "value-regex",
            )
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_JSON, st.sampled_from(("openreview", "paperbench", "prometheus", "researchrubrics")))
def test_json_of_the_right_words_and_the_wrong_shape_gives_sound_rubrics_or_a_reason(
    value: object, format: str
) -> None:
    import json

    checked(json.dumps(value).encode(), format)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_whole_file_passes_the_same_checks(name: str) -> None:
    imported = checked(SAMPLES[name], None)
    assert imported is not None
    assert imported.is_valid


@given(st.lists(st.text(alphabet="ab -é_2", max_size=8) | st.just("x" * 120), max_size=40))
def test_keys_are_those_that_the_builder_proposes(names: list[str]) -> None:
    keys = Keys()
    taken: list[str] = []
    for name in names:
        wanted = propose_key(name, taken)
        assert keys.propose(name, "criterion") == wanted
        taken.append(wanted)
