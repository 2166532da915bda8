"""Tests of the rule `limit_scanned_rows`: its cases, judged by a gate with a checkpoint index.

Also of an index that is replaced, and of indexes that are missing, unusable, or made for another
server or another case sensitivity, with which a command's rows are unknown.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.program import Home, judge, policy
from p4warden.asking.gate_program import GateError
from p4warden.asking.judge import judging
from support.small_index import small_index

CASES = Path(__file__).parents[1] / "cases" / "limit_scanned_rows" / "commands.json"
COMMANDS = CASES.parents[1] / "estimated_commands" / "commands.json"
DOCUMENT = json.loads(CASES.read_text("utf-8"))
RULE = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce", **DOCUMENT["settings"]}
STEP = 500
# Number of times that a test replaces the checkpoint index and then runs the gate.
STARTS = 40


FILES_OF_CLIENT = json.loads(CASES.with_name("files_had.json").read_text("utf-8"))
IGNORED_CASE = json.loads(CASES.with_name("ignored_case.json").read_text("utf-8"))
OF_CHANGELISTS = json.loads(CASES.with_name("changelists.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), **DOCUMENT["server"])


def event_of(case: dict[str, Any], **more: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        key: case[key]
        for key in ("command", "args", "client", "clientcwd", "user", "facts")
        if key in case
    }
    return {
        "event": "command",
        "user": "ann",
        "id": case["name"],
        "client": "wide",
        **event,
        **more,
    }


def verdicts(events: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    answers, code = judge(policy(RULE), events, *options)
    assert code == 0
    return answers


def test_commands_get_the_expected_verdicts_and_estimates(index: Path) -> None:
    cases = DOCUMENT["cases"]
    answers = verdicts([event_of(case) for case in cases], f"--index={index}")
    for case, answer in zip(cases, answers, strict=True):
        assert answer["verdict"] == case["verdict"], answer
        if "value" not in case:
            assert answer["value"] is None, answer
            continue
        ranges = max(1, len(case["args"]))
        assert abs(answer["value"] - case["value"]) < STEP * ranges, answer
        assert case.get("problem", "") in (answer["detail"] or ""), answer
        assert case.get("fix", answer["fix"]) == answer["fix"], answer


def test_the_gate_estimates_exactly_the_commands_of_the_shared_list(index: Path) -> None:
    listed = json.loads(COMMANDS.read_text("utf-8"))
    names = [*listed["estimated"], *listed["others"]]
    rule = {**RULE, "commands": names}
    events = [event_of({"name": name, "command": name, "args": ["//depot/..."]}) for name in names]
    answers, _ = judge(policy(rule), events, f"--index={index}")
    estimated = [answer["id"] for answer in answers if answer["value"] is not None]
    assert estimated == listed["estimated"]


def check_proposals(cases: list[dict[str, Any]], index: Path) -> None:
    answers = verdicts([event_of(case) for case in cases], f"--index={index}")
    for case, answer in zip(cases, answers, strict=True):
        assert (answer["verdict"], answer["fix"]) == (case["verdict"], case["fix"]), answer


def test_directories_with_files_of_the_client_are_proposed_first(tmp_path: Path) -> None:
    check_proposals(FILES_OF_CLIENT["cases"], small_index(tmp_path, **FILES_OF_CLIENT["server"]))


def events_of_changelists() -> list[dict[str, Any]]:
    cases = OF_CHANGELISTS["cases"]
    return [event_of(case, client=case.get("client", "ws")) for case in cases]


def test_options_and_revisions_count_the_records_of_their_changelists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC0")
    index = small_index(tmp_path, **OF_CHANGELISTS["server"])
    rule = {**RULE, **OF_CHANGELISTS["settings"]}
    answers, _ = judge(policy(rule), events_of_changelists(), f"--index={index}")
    for case, answer in zip(OF_CHANGELISTS["cases"], answers, strict=True):
        assert answer["verdict"] == case["verdict"], answer
        if "value" in case:
            assert case["value"] <= answer["value"] < case["value"] + STEP, answer
        assert case.get("problem", "") in (answer["detail"] or ""), answer


def test_all_revisions_of_files_count_for_a_limit_on_files_alone(tmp_path: Path) -> None:
    index = small_index(tmp_path, **OF_CHANGELISTS["server"])
    rule = {**RULE, **OF_CHANGELISTS["settings"], "max_revisions": None}
    commands = [("files", "-a"), ("print", "-qa"), ("sizes", "-a"), ("fstat", "-Of")]
    events = [
        {"event": "command", "command": command, "args": [option, "//other/..."]}
        for command, option in [*commands, ("grep", "-a -e x")]
    ]
    answers, _ = judge(policy(rule), events, f"--index={index}")
    assert [answer["verdict"] for answer in answers] == ["refuse"] * 5
    assert "files" in answers[0]["detail"]


def test_the_rule_about_depths_refuses_nothing_that_is_certainly_narrow() -> None:
    rule = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 9}
    commands = OF_CHANGELISTS["settings"]["commands"]
    answers, _ = judge(policy(rule | {"commands": commands}), events_of_changelists())
    for case, answer in zip(OF_CHANGELISTS["cases"], answers, strict=True):
        is_narrow = case["verdict"] == "allow" and case["value"] < STEP
        is_whole_path = answer["verdict"] == "refuse"
        has_narrow_path = case["name"] == "the files of one path in all changelists"
        assert not is_narrow or not is_whole_path or has_narrow_path, answer


def test_a_smaller_part_is_proposed_whatever_case_names_are_spelled_in(tmp_path: Path) -> None:
    check_proposals(IGNORED_CASE["cases"], small_index(tmp_path, **IGNORED_CASE["server"]))


@pytest.mark.parametrize("facts", [{}, {"case_sensitive": True}, {"case_sensitive": False}])
def test_an_index_of_undetermined_case_handling_follows_the_facts(
    facts: dict[str, bool], index: Path
) -> None:
    case = {"name": 1, "command": "files", "args": ["//DEPOT/MAIN/..."]}
    (answer,) = verdicts([event_of(case, facts=facts)], f"--index={index}")
    assert answer["verdict"] == ("refuse" if facts.get("case_sensitive") is False else "unknown")


def test_an_index_with_other_case_handling_gives_the_verdict_unknown(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/B": 600, "//depot/a": 600}, {})
    case = {"name": 1, "command": "files", "args": ["//depot/..."]}
    events = [event_of(case, facts={"case_sensitive": one}) for one in (True, False)]
    right, other = verdicts(events, f"--index={index}")
    assert (right["verdict"], other["verdict"]) == ("allow", "unknown")


@pytest.mark.parametrize(
    ("server_id", "verdict"), [("a", "allow"), ("b", "unknown"), (None, "allow")]
)
def test_an_index_with_another_server_id_gives_the_verdict_unknown(
    tmp_path: Path, server_id: str | None, verdict: str
) -> None:
    index = small_index(tmp_path, {"//depot/a": 600}, {}, server_id="a")
    facts = {"case_sensitive": True, "server_id": server_id}
    case = {"name": 1, "command": "files", "args": ["//depot/..."]}
    (answer,) = verdicts([event_of(case, facts=facts)], f"--index={index}")
    assert answer["verdict"] == verdict


def test_a_command_trigger_ignores_an_index_of_another_server(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/a": 3000}, {}, server_id="a")
    codes = []
    for server_id in ("a", "b"):
        home = Home(tmp_path / server_id)
        home.know({"server_id": server_id})
        home.activate(policy(RULE, on_error="deny"))
        place = home.folder / "checkpoint.index"
        place.write_bytes(index.read_bytes())
        place.chmod(0o600)
        files = ["--command=user-files", "--user=ann", "--client=x", "--args=//depot/..."]
        codes.append(home.run("command", "--on-error=deny", *files).code)
    assert codes == [1, 0]


REFUSED = ["--command=user-sync", "--user=ann", "--client=wide", "--args=..."]
LOCAL_COMMAND = [*REFUSED[:-1], "--cwd=/home/wide/main/src/core", "--args=..."]
AT_ROOT = [*REFUSED[:-1], "--cwd=/home/wide", "--args=..."]


def test_a_command_trigger_uses_the_index_in_its_home_folder(tmp_path: Path, index: Path) -> None:
    home = Home(tmp_path / "home")
    home.activate(policy(RULE))
    assert home.run("command", *AT_ROOT) == (0, "")
    place = home.folder / "checkpoint.index"
    place.write_bytes(index.read_bytes())
    place.chmod(0o600)
    code, text = home.run("command", *AT_ROOT)
    assert code == 1
    assert "sync for ... would read about 5,240 files; at most 2,000 are allowed" in text
    assert home.run("command", *LOCAL_COMMAND) == (0, "")
    assert home.run("command", *REFUSED) == (0, "")


@pytest.mark.parametrize("damage", ["cut", "changed", "writable", "empty", "deny"])
def test_an_unusable_index_causes_no_refusal(tmp_path: Path, index: Path, damage: str) -> None:
    home = Home(tmp_path / "home")
    home.activate(policy(RULE, on_error="deny"))
    place, content = home.folder / "checkpoint.index", index.read_bytes()
    contents = {
        "cut": content[:-9],
        "changed": content[:40] + b"\xff" * (len(content) - 40),
        "empty": b"",
    }
    if damage != "deny":
        place.write_bytes(contents.get(damage, content))
        place.chmod(0o666 if damage == "writable" else 0o600)
    assert home.run("command", "--on-error=deny", *AT_ROOT) == (0, "")
    troubles = [record["trouble"] for record in home.log()]
    assert [trouble.startswith(f"{place}: ") for trouble in troubles] == [True] * (
        damage != "deny"
    )


def test_a_damaged_part_of_an_index_is_named_in_the_log(tmp_path: Path, index: Path) -> None:
    home = Home(tmp_path / "home")
    home.activate(policy(RULE))
    place, content = home.folder / "checkpoint.index", index.read_bytes()
    head = int.from_bytes(content[16:24], "little")
    place.write_bytes(content[:40] + b"\xff" * (head - 40) + content[head:])
    place.chmod(0o600)
    assert home.run("command", *AT_ROOT) == (0, "")
    [record] = home.log()
    assert (record["verdict"], record["rule"]) == ("unknown", "big")
    assert record["trouble"] == (
        "the index is cut off or damaged; make it again with p4warden index"
    )


def test_each_command_uses_the_index_most_recently_put_in_place(
    tmp_path: Path, index: Path
) -> None:
    home = Home(tmp_path / "home")
    home.activate(policy(RULE))
    place = home.folder / "checkpoint.index"
    narrow = small_index(tmp_path, {"//depot/main": 1}, {"wide": ["//depot/... //wide/..."]})
    texts = [index.read_bytes(), narrow.read_bytes()]
    answers = set()
    for number in range(STARTS):
        new_file = home.folder / "fresh"
        new_file.write_bytes(texts[number % 2])
        new_file.chmod(0o600)
        new_file.rename(place)
        answers.add((number % 2, home.run("command", *AT_ROOT).code))
    assert answers == {(0, 1), (1, 0)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "is not an index of this version"),
        (b"x" * 99, "is not an index"),
    ],
)
def test_evaluate_reports_an_unusable_index(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    policy_file, index = tmp_path / "policy.json", tmp_path / "index"
    policy_file.write_text(json.dumps(policy(RULE)))
    if content is not None:
        index.write_bytes(content)
    event = {"event": "command", "command": "files", "args": ["//depot/..."]}
    with (
        judging(str(policy_file), index=str(index)) as judge_by_index,
        pytest.raises(GateError, match=message),
    ):
        judge_by_index.ask(event)
