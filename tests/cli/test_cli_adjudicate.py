"""``rubrictui adjudicate``: settling a disagreement from the shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]
ROUND, WORK = "Special Issue/quiet-places", "Manuscript/night-noise"


def test_a_disagreement_is_found_shown_settled_and_corrected(cli: Cli, store: Path) -> None:
    def run(*words: object) -> Any:
        return cli("adjudicate", *words, "--db", store)

    assert "to settle" in run("list", ROUND).out
    shown = run("show", ROUND, WORK)
    assert "Settled (proposed)" in shown.out
    assert "Partial 50" in shown.out
    refused = run("settle", ROUND, WORK)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "A settlement needs a reason." in refused.err
    done = run(
        "settle", ROUND, WORK, "--reason", "judgement", "--take", "Aline Moreau", "--note", "Both read it."
    )
    assert "Settled at 100 by" in done.out
    again = run("settle", ROUND, WORK, "--reason", 1, "--set", "evidence=miss")
    assert "was settled by" in again.err
    corrected = run(
        "settle", ROUND, WORK, "--reason", 1, "--correct", "--set", "evidence=miss", "--why", "evidence=None there.",
        "--json",
    )  # fmt: skip
    assert (corrected.data["score"], corrected.data["reason"]) == (0.5, "Anchor read differently")
    (item,) = run("list", ROUND, "--json").data["items"]
    assert (item["state"], item["settlement"]["id"]) == ("settled", corrected.data["id"])
    ranked = cli("rank", ROUND, "--db", store)
    assert "settled" in ranked.out.splitlines()[0]
    assert " 87.5 " in ranked.out
    assert "moves no rank" in ranked.err
    told = run("show", ROUND, WORK, "--json").data
    assert [one["score"] for one in told["history"]] == [1.0, 0.5]
    assert {one["criterion"]: one["rationale"] for one in told["answers"]}["evidence"] == "None there."
    assert f"settled {WORK} again" in cli("round", "show", ROUND, "--log", "--db", store).out


def test_what_is_typed_wrong_is_one_line_and_nothing_is_settled(cli: Cli, store: Path) -> None:
    cases = {
        ("--reason", "Whim"): 'no reason "Whim"',
        ("--reason", 1, "--set", "evidence"): "is no KEY=VALUE",
        ("--reason", 1, "--set", "evidence=Splendid"): 'no level "Splendid"',
        ("--reason", 1, "--set", "novelty=Meets"): 'no criterion "novelty"',
        ("--reason", 1, "--take", "nobody"): '"nobody" has not evaluated',
        ("--reason", 1, "--correct", "--take", "Owen Pritchard"): "has not evaluated",
    }
    for words, said in cases.items():
        done = cli("adjudicate", "settle", ROUND, WORK, *words, "--db", store)
        assert said in done.err, words
        assert done.err.count("\n") <= 2
    assert cli("adjudicate", "list", ROUND, "--json", "--db", store).data["items"][0]["settlement"] is None


def test_the_reasons_are_listed_and_edited(cli: Cli, store: Path) -> None:
    def run(*words: object) -> Any:
        return cli("adjudicate", "reasons", *words, "--db", store)

    assert "Gate in doubt" in run().out
    edited = run("--remove", "slip", "--add", "Rules unclear: They say both.", "--json").data
    assert edited[-1] == {"label": "Rules unclear", "description": "They say both."}
    assert "Slip" not in {one["label"] for one in edited}
    assert "stands there twice" in run("--add", "judgement").err
    assert "Slip" in run("--reset").out
