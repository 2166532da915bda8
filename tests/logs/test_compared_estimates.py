"""Tests of `p4warden replay --index`: estimates beside logged rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from logs.blocks import done, start
from logs.test_replay import report, run
from p4warden.commands.replay.comparison import comparison_parts
from p4warden.core.errors import P4WardenError
from p4warden.programs.offenders import offenders
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

SERVER = {"//depot/main/lib": 700, "//depot/main/src": 3000, "//tools": 9}
CLIENTS = {"ann-ws": ["//depot/main/... //ann-ws/..."]}
ANN = "ann@ann-ws 10.0.0.1 [p4/v93]"
BOB = "bob@bob-ws 10.0.0.2 [UE/v91]"
RULE = "{name: few, rule: limit_scanned_rows, mode: enforce, commands: [sync, changes, files]"
YAML = f"version: 1\ncontact: admins\nrules:\n  - {RULE}, max_files: 2000, max_revisions: 2000}}\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), SERVER, CLIENTS, revisions=2)


def ran(pid: int, sender: str, words: str, **rows: int) -> str:
    """Return p4d log text of a command with track lines that report the rows read, by table."""
    tracks = "".join(
        f"--- db.{table}\n---   pages in+out+cached 3+0+2\n"
        f"---   locks read/write 1/0 rows get+pos+scan put+del 1+7+{count - 1} 0+0\n"
        for table, count in rows.items()
    )
    time = f"12:00:{pid:02}"
    start_lines = start(time, pid, words, sender)
    return f"{start_lines}{done(time, pid, '.5')}{start_lines.rstrip()}\n--- lapse .5s\n{tracks}\n"


@pytest.fixture
def words(tmp_path: Path, index: Path) -> list[str | Path]:
    log, policy = tmp_path / "log", tmp_path / "policy.yaml"
    log.write_text(
        ran(1, ANN, "user-sync", revhx=3600, revdx=90)
        + ran(2, ANN, "user-sync //ann-ws/lib/...", revhx=700, have=9)
        + ran(3, BOB, "user-sync")
        + ran(4, BOB, "user-files //depot/main/...", revhx=9000)
        + ran(5, BOB, "user-changes //tools/...", rev=18, change=4)
        + ran(6, BOB, "user-fstat //depot/...", revhx=4)
    )
    policy.write_text(YAML)
    home = tmp_path / "home"
    return [log, "--policy", policy, "--index", index, "--home", home]


def test_replay_compares_estimates_with_logged_rows_by_command_and_program(
    words: list[str | Path],
) -> None:
    found = report(*words)
    commands: dict[str, Any] = found["compared_estimates"]["commands"]
    assert [*commands] == ["changes", "files", "sync"]
    sync = commands["sync"]
    assert (sync["requests"], sync["unknown"], sync["compared"], sync["small"]) == (3, 1, 2, 1)
    assert sync["ratios"] == {str(n): pytest.approx(3700 / 3690) for n in (5, 25, 50, 75, 95)}
    [miss] = commands["files"]["worst"]
    assert (miss["estimate"], miss["rows"]) == (3700, 9000)
    assert (miss["user"], miss["program"], miss["args"]) == ("bob", "UE", "//depot/main/...")
    assert commands["changes"]["compared"] == 1
    assert found["compared_estimates"]["programs"] == [
        {"program": "UE", "requests": 3, "unknown": 1},
        {"program": "p4", "requests": 2, "unknown": 0},
    ]
    [few] = found["rules"]
    assert few["verdicts"]["refuse"] == 2
    assert few["verdicts"]["unknown"] == 1


def test_replay_compares_estimates_with_logged_rows_by_form(
    words: list[str | Path], tmp_path: Path
) -> None:
    log = (
        ran(1, ANN, "user-files //depot/main/lib/...@=1", revhx=700)
        + ran(2, ANN, "user-files //depot/main/lib/...@1,1", revhx=800)
        + ran(3, ANN, "user-files -m5 //depot/main/...", revhx=3700)
        + ran(4, BOB, "user-files //depot/main/...@nightly", revhx=5)
    )
    (tmp_path / "log").write_text(log)
    lists = report(*words)["compared_estimates"]["forms"]
    forms = {one.pop("form"): one for one in lists}
    assert [*forms] == ["files PATH@=N", "files -m PATH", "files PATH@LABEL"]
    one = forms["files PATH@=N"]
    assert (one["requests"], one["compared"], one["logged_rows"]) == (2, 2, 1500)
    assert 1400 <= one["estimated_rows"] < 1400 + 2 * 500
    assert forms["files PATH@LABEL"]["unknown"] == 1
    assert forms["files -m PATH"]["logged_rows"] == 3700
    printed = " ".join(run(*words).split())
    assert "files PATH@LABEL 1 1 0 - - " in printed
    assert "files -m PATH 1 0 1 3,700 3,700 " in printed


def test_replay_names_cause_and_remedy_of_known_offenders(tmp_path: Path) -> None:
    sender, known = "ann@ann-ws 10.0.0.1 [UnrealGameSync/v91]", offenders()
    command = "user-changes -m1 -ssubmitted //ws/*.cs@<=740 //ws/Game/....cs@<=740"
    (tmp_path / "log").write_text("".join(ran(pid, sender, command) for pid in range(4)))
    limits = "limits: [{per: [user], allow: 1/d}]"
    rule = f"{{name: r, rule: limit_command_rate, mode: enforce, commands: [changes], {limits}}}"
    policy = tmp_path / "policy.yaml"
    policy.write_text(f"version: 1\ncontact: admins\nrules:\n  - {rule}\n")
    words: list[str | Path] = [tmp_path / "log", "--policy", policy, "--home", tmp_path / "home"]
    [entry] = report(*words)["rules"]
    assert entry["offenders"]["top"] == [["unreal-game-sync/last-code-change", 3]]
    one = known["unreal-game-sync/last-code-change"]
    assert f"3 of these: {one.cause} {one.remedy}" in " ".join(run(*words).split())


@pytest.mark.parametrize(
    ("listed", "counts"),
    [
        ("sync", {"sync": 5}),
        ("sync, flush", {"flush": 1, "sync": 4}),
        ("flush", {"flush": 2}),
        ("files", {}),
    ],
)
def test_estimates_of_synonyms_of_a_command_are_compared(
    words: list[str | Path], tmp_path: Path, listed: str, counts: dict[str, int]
) -> None:
    commands = (
        "sync",
        "flush //ann-ws/lib/...",
        "update //ann-ws/lib/...",
        "sync -n",
        "sync -k -q",
    )
    log = "".join(
        ran(pid, ANN, f"user-{command}", revhx=700) for pid, command in enumerate(commands)
    )
    (tmp_path / "log").write_text(log)
    (tmp_path / "policy.yaml").write_text(YAML.replace("sync, changes, files", listed))
    commands = report(*words)["compared_estimates"]["commands"]
    assert {name: one["requests"] for name, one in commands.items()} == counts
    assert all(one["unknown"] == 0 for one in commands.values())
    assert all(one["compared"] == one["requests"] for one in commands.values())


def test_printed_report_compares_estimates_with_logged_rows(words: list[str | Path]) -> None:
    output = " ".join(run(*words).split())
    assert "sync 3 1 33% 2" in output
    assert "UE 3 1 33%" in output
    assert "files 3,700 9,000 " in output
    assert " bob UE //depot/main/..." in output


def test_a_log_without_estimated_commands_has_nothing_to_compare() -> None:
    _, message = comparison_parts({"commands": {}, "programs": []}, 9)
    assert message == (
        "There is nothing to compare: the log contains none of the commands whose rows are "
        "estimated."
    )


def test_an_index_with_other_case_handling_is_refused(
    words: list[str | Path], tmp_path: Path
) -> None:
    upper = small_index(tmp_path, {"//depot/B": 1, "//depot/a": 1}, {})
    facts = tmp_path / "facts.json"
    facts.write_text('{"case_sensitive": false}')
    with pytest.raises(
        P4WardenError,
        match="belongs to another server: its case handling is sensitive, this server's is not",
    ):
        run(*words, "--index", upper, "--facts", facts)
