"""What an evaluator sees of a subject: what is stored, or what the provider of its entity makes of it."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from rubrictui.core.records import Subject, SubjectFile
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.content import ContentProviders
from rubrictui.evaluators.errors import EvaluatorError

BID = Subject(
    entity="Bid", record_id="7", title="North", text="We offer.", data={"price": 5},
    files=(SubjectFile(name="a.md", text="A"),),
)  # fmt: skip


def shout(subject: Subject) -> dict[str, Any]:
    return {"text": subject.text.upper(), "data": {"price": 6}}


def test_without_a_provider_it_is_what_is_stored() -> None:
    assert ContentProviders().content_of(BID) == SubjectContent(
        entity="Bid", record_id="7", title="North", text="We offer.", data={"price": 5}, files=BID.files
    )


def test_a_provider_of_the_entity_makes_other_content() -> None:
    providers = ContentProviders()
    providers.register("bid", shout)
    assert providers.content_of(BID) == SubjectContent(
        entity="Bid", record_id="7", title="North", text="WE OFFER.", data={"price": 6}
    )
    providers.register("BID", lambda subject: SubjectContent(entity="Bid", record_id="7", text="Other."))
    assert providers.content_of(BID).text == "Other."
    providers.forget("Bid")
    assert providers.content_of(BID).text == "We offer."


def test_a_provider_may_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        EntryPoint("bid", f"{__name__}:shout", "rubrictui.content"),
        EntryPoint("gone", "rubrictui_no_such_module:x", "rubrictui.content"),
    ]
    monkeypatch.setattr("rubrictui.evaluators.content.installed", lambda group: entries)
    providers = ContentProviders()
    assert providers.content_of(BID).text == "WE OFFER."
    with pytest.raises(EvaluatorError, match=r'provider of "Gone" .* cannot be loaded'):
        providers.provider("Gone")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("text", "it gave str"),
        ({"texts": "x"}, "it gave dict"),
        ({"text": 5}, "Expected `str`"),
        (ValueError("no such column"), "failed: no such column"),
    ],
)
def test_a_provider_that_gives_no_content_is_told(given: Any, words: str) -> None:
    def provider(_: Subject) -> Any:
        if isinstance(given, Exception):
            raise given
        return given

    providers = ContentProviders()
    providers.register("Bid", provider)
    with pytest.raises(EvaluatorError, match=words):
        providers.content_of(BID)
