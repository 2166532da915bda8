"""Tests of the cheaper commands that refusals of `limit_scanned_rows` propose."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gate.program import GO_ON, Home, judge, policy
from support.small_index import small_index

CASES = Path(__file__).parents[1] / "cases" / "limit_scanned_rows"
PROPOSALS = json.loads((CASES / "proposals.json").read_text())
NARROWER = ("To bring only", "To see only", "To ask only")
RULE = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce", **PROPOSALS["settings"]}


def event(command: str, args: list[str]) -> dict[str, Any]:
    sender = {"event": "command", "user": "ann", "client": "ws"}
    return {**sender, "command": command, "args": args}


def proposal(answer: dict[str, Any]) -> str | None:
    assert answer["verdict"] == "refuse", answer
    lines = [line for line in answer["fix"].splitlines() if line.startswith(NARROWER)]
    assert len(lines) <= 1
    return lines[0] if lines else None


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), **PROPOSALS["server"])


def allowed_command(line: str) -> dict[str, Any]:
    first = re.search(r"from N = (\d+) on", line)
    command, *args = line.partition(": p4 ")[2].partition(" (")[0].split()
    return event(command, [arg.replace("@N,", f"@{first[1]},") if first else arg for arg in args])


def test_a_cheaper_command_is_proposed_that_the_policy_allows(index: Path) -> None:
    cases = PROPOSALS["cases"]
    events = [
        event(case["command"], case["args"]) | {"client": case.get("client", "ws")}
        for case in cases
    ]
    answers, _ = judge(policy(RULE), events, f"--index={index}")
    lines = [proposal(answer) for answer in answers]
    expected = [(case["name"], case.get("line")) for case in cases]
    assert [(case["name"], line) for case, line in zip(cases, lines, strict=True)] == expected
    proposed = [allowed_command(line) for line in lines if line]
    answers, _ = judge(policy(RULE), proposed, f"--index={index}")
    verdicts = [answer["verdict"] for answer in answers]
    assert list(zip(proposed, verdicts, strict=True)) == [(one, "allow") for one in proposed]


def test_nothing_is_proposed_that_another_rule_refuses(index: Path) -> None:
    polling = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 2}
    old = {"name": "never", "rule": "limit_scanned_rows", "mode": "enforce", "max_files": 1}
    rules = [RULE, polling | {"commands": ["sync"]}, old | {"commands": ["sync"]}]
    (answer,), _ = judge(policy(*rules), [event("sync", [])], f"--index={index}")
    assert proposal(answer) is None


@pytest.mark.parametrize(
    ("lines", "is_same"),
    [
        (["//depot/... //ws/..."], True),
        (["//depot/... //ws/...", "//depot/src/... //ws/more/..."], False),
    ],
)
def test_a_changed_view_needs_a_whole_sync(
    tmp_path: Path, index: Path, lines: list[str], *, is_same: bool
) -> None:
    home, form = Home(tmp_path / "home"), tmp_path / "form"
    home.activate(policy(RULE))
    home.know({"case_sensitive": True, "depots": {}})
    copy = home.folder / "checkpoint.index"
    copy.write_bytes(index.read_bytes())
    copy.chmod(0o600)
    form.write_text("Client: ws\nRoot: /ws\nView:\n" + "".join(f"\t{line}\n" for line in lines))
    words = [f"--form={form}", "--type=client", "--name=ws"]
    assert home.run("form-save", *words) == GO_ON
    (answer,), _ = judge(policy(RULE), [event("sync", ["//ws/..."])], f"--index={copy}")
    assert (proposal(answer) is not None) == is_same


OWN_VIEW = json.loads((CASES / "own_view.json").read_text())


def test_a_proposed_part_names_a_file_of_the_clients_own_view(tmp_path: Path) -> None:
    rule, cases = RULE | OWN_VIEW["settings"], OWN_VIEW["cases"]
    index = small_index(tmp_path, **OWN_VIEW["server"])
    events = [event(one["command"], one["args"]) | {"client": one["client"]} for one in cases]
    answers, _ = judge(policy(rule), events, f"--index={index}")
    parts = [re.search(r"A part of at most .* files: (.*)", answer["fix"]) for answer in answers]
    lines = [(one["name"], part and part[1]) for one, part in zip(cases, parts, strict=True)]
    assert lines == [(one["name"], one["line"]) for one in cases]


def test_what_a_view_excludes_as_a_whole_is_not_read(tmp_path: Path) -> None:
    rule = RULE | OWN_VIEW["settings"] | {"max_files": 1}
    index = small_index(tmp_path, **OWN_VIEW["server"])
    events = [event(one["command"], one["args"]) | one for one in OWN_VIEW["unread"]]
    answers, _ = judge(policy(rule), events, f"--index={index}")
    expected = [("allow", 0)] * len(events)
    assert [(answer["verdict"], answer["value"]) for answer in answers] == expected


def test_a_part_is_proposed_only_if_the_other_rules_allow_it(tmp_path: Path) -> None:
    index = small_index(tmp_path, **OWN_VIEW["server"])
    deep = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 2}
    rules = [RULE | OWN_VIEW["settings"], deep | {"commands": ["files"]}]
    (answer,), _ = judge(policy(*rules), [event("files", ["//depot/..."])], f"--index={index}")
    assert answer["rule"] == "big"
    assert answer["fix"].splitlines()[0].endswith(": p4 files //depot/a/gen/...")


def test_narrower_paths_are_first_those_of_the_clients_own_view(tmp_path: Path) -> None:
    index = small_index(tmp_path, **OWN_VIEW["server"])
    depots = {"depot": {"type": "local", "directories": ["a", "b", "c"]}}
    asked = event("files", []) | {"client": "excluded", "facts": {"depots": depots}}
    events = [asked | {"args": [path]} for path in ("//depot/...", "//excluded/...")]
    scope = SCOPE | {"commands": ["files"]}
    answers, _ = judge(policy(scope), events, f"--index={index}")
    assert [answer["fix"] for answer in answers] == ["//depot/c/...", "//depot/c/..."]
    (answer,), _ = judge(policy(scope), [asked | {"args": ["//depot/..."], "client": "new"}])
    assert answer["fix"] == "//depot/a/...\n//depot/b/...\n//depot/c/..."


STREAMS = json.loads((CASES / "streams.json").read_text())
OF_STREAMS = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce"} | STREAMS["settings"]
UGS = (
    "In UnrealGameSync: Options at the bottom right of its window, Sync Filter..., uncheck the "
    "categories that you do not need."
)
SCOPE = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}


@pytest.fixture(scope="module")
def index_of_streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), **STREAMS["server"])


def of_streams(case: dict[str, Any]) -> dict[str, Any]:
    facts = {"limit_view": case.get("limit_view"), "depots": {"streams": {"type": "stream"}}}
    return event(case["command"], case["args"]) | {"client": case["client"], "facts": facts}


def other_sentences(lines: list[str]) -> list[str]:
    others = [line for line in lines if not line.startswith(NARROWER)]
    return [re.sub(r"at most [\d,]+ ", "at most N ", line) for line in others]


def test_a_client_of_a_stream_is_told_how_it_maps_less(index_of_streams: Path) -> None:
    cases = STREAMS["cases"]
    answers, _ = judge(policy(OF_STREAMS), map(of_streams, cases), f"--index={index_of_streams}")
    lines = [(one["verdict"], other_sentences(one["fix"].splitlines())) for one in answers]
    assert lines == [("refuse", case["lines"]) for case in cases]


def test_unreal_game_sync_gets_its_menu(index: Path) -> None:
    sync, files = event("sync", ["//ws/..."]), event("files", ["//ws/..."])
    programs = ["UnrealGameSync/v84", "UnrealGameSync/1.0.0", "p4"]
    events = [one | {"prog": prog} for one in (sync, files) for prog in programs]
    answers, _ = judge(policy(RULE), events, f"--index={index}")
    assert [(one["verdict"], UGS in one["fix"].splitlines()) for one in answers] == [
        ("refuse", True),
        ("refuse", True),
        *[("refuse", False)] * 4,
    ]


def test_the_own_stream_of_a_client_is_proposed_before_others(index_of_streams: Path) -> None:
    directories = ["dev", "main"]
    depots = {"streams": {"type": "stream", "directories": directories}}
    asked = event("files", ["//streams/..."]) | {"facts": {"depots": depots}}
    clients = ["ws", "wide", "none"]
    events = [asked | {"client": name} for name in clients]
    rule = SCOPE | {"commands": ["files"]}
    answers, _ = judge(policy(rule), events, f"--index={index_of_streams}")
    fixes = [(one["verdict"], one["fix"]) for one in answers]
    both = "//streams/dev/...\n//streams/main/..."
    proposed = ["//streams/main/...", "//streams/dev/...", both]
    assert fixes == [("refuse", fix) for fix in proposed]
