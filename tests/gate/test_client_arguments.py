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


def answer(case: dict[str, Any], *options: str) -> dict[str, Any]:
    event = {"event": "command", "command": "fstat", "user": "ann", "facts": DOCUMENT["facts"]}
    event |= {key: case[key] for key in ("command", "client", "clientcwd", "args") if key in case}
    (result,), _ = judge(policy(RULE), [event], *options)
    return result


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_with_an_index_an_argument_is_judged_by_the_view_of_the_client_that_it_names(
    case: dict[str, Any], index: Path
) -> None:
    result = answer(case, f"--index={index}")
    assert result["verdict"] == case["verdict"], result
    assert case.get("detail", "") in (result["detail"] or "")


def test_without_an_index_a_whole_client_is_unknown() -> None:
    for case in DOCUMENT["cases"][:2]:
        assert answer(case)["verdict"] == "unknown"


def test_what_a_refusal_proposes_instead_is_allowed(index: Path) -> None:
    refused = [case for case in DOCUMENT["cases"] if case["verdict"] == "refuse"]
    for case in refused:
        for path in answer(case, f"--index={index}")["fix"].splitlines():
            proposed = {**case, "args": [path.replace("DIRECTORY", "main")]}
            assert answer(proposed, f"--index={index}")["verdict"] == "allow", path


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
