"""Tests of arguments in client syntax, judged by the views of the clients in an index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.program import Home, judge, policy
from support.small_index import small_index

FILE = Path(__file__).parents[1] / "cases" / "client_arguments" / "views.json"
DOCUMENT = json.loads(FILE.read_text("utf-8"))
RULE = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce"} | DOCUMENT["settings"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), **DOCUMENT["server"])


def answers(cases: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    common = {"event": "command", "command": "fstat", "user": "ann", "facts": DOCUMENT["facts"]}
    keys = ("command", "client", "clientcwd", "args")
    events = [common | {key: case[key] for key in keys if key in case} for case in cases]
    results, _ = judge(policy(RULE), events, *options)
    return results


def test_with_an_index_arguments_are_judged_by_the_views_of_the_clients_that_they_name(
    index: Path,
) -> None:
    cases = DOCUMENT["cases"]
    for case, answer in zip(cases, answers(cases, f"--index={index}"), strict=True):
        assert answer["verdict"] == case["verdict"], (case["name"], answer)
        assert case.get("detail", "") in (answer["detail"] or ""), (case["name"], answer)
        is_unusual = any(finding.get("unusual") for finding in answer["findings"])
        assert is_unusual == case.get("unusual", False), (case["name"], answer)


def test_without_an_index_a_whole_client_is_unknown() -> None:
    assert [answer["verdict"] for answer in answers(DOCUMENT["cases"][:2])] == ["unknown"] * 2


def test_what_a_refusal_proposes_instead_is_allowed(index: Path) -> None:
    refused = [case for case in DOCUMENT["cases"] if case["verdict"] == "refuse"]
    proposed = [
        {**case, "args": [path.replace("DIRECTORY", "main")]}
        for case, answer in zip(refused, answers(refused, f"--index={index}"), strict=True)
        for path in answer["fix"].splitlines()
    ]
    assert proposed
    verdicts = [answer["verdict"] for answer in answers(proposed, f"--index={index}")]
    assert list(zip(proposed, verdicts, strict=True)) == [(one, "allow") for one in proposed]


def test_the_trigger_opens_the_index_of_its_home_for_such_an_argument(
    tmp_path: Path, index: Path
) -> None:
    home = Home(tmp_path / "home")
    home.activate(policy(RULE))
    words = ["--client=build-all", "--args=//build-all/depot/..."]
    assert home.fstat(*words).code == 0
    copy = home.folder / "checkpoint.index"
    copy.write_bytes(index.read_bytes())
    copy.chmod(0o600)
    reply = home.fstat(*words)
    assert reply.code == 1
    assert "by the view of client build-all, for all of //depot" in reply.text
