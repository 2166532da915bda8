"""Tests of `p4warden audit`: findings, first steps, HTML page, and JSON for programs.

The input is a small checkpoint, also with a log of p4d or damaged, and real checkpoints.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from logs.blocks import done, start
from p4warden import cli
from support.pages import PageParser
from support.whole_checkpoint import add_records, whole

PROGRAM = Path(sys.executable).with_name("p4warden-index")
STEPS = yaml.safe_load((Path(__file__).parents[1] / "cases" / "first_steps.yaml").read_text())
SHARED = Path(__file__).parents[3] / "shared" / "data"
NOW_S = 1_573_645_381
OLD_S = NOW_S - 400 * 86400
TOPS = ("main", "\u30c6\u30b9\u30c8")
ROOT = "@h@ @/w@ @@ @@"
CHECKPOINT = [
    f"@nx@ 0 {NOW_S} @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ ",
    f"@pv@ 6 @db.domain@ @wide@ 99 {ROOT} @ann@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @old'; rm@ 99 {ROOT} @ben@ 1 {OLD_S} 0 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @readonly@ 99 {ROOT} @ben@ 1 {OLD_S} 65536 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @main-to-rel@ 98 @@ @@ @@ @@ @cat@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @//flow/main@ 115 @@ @@ @@ @@ @cat@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    "@pv@ 1 @db.template@ @//flow/main@ 7 0 @none@ 0 0 @...@ @@ -1 ",
    "@pv@ 1 @db.template@ @//flow/main@ 7 1 @none@ 0 2 @lib/...@ @//depot/main/...@@9@ -1 ",
    "@pv@ 1 @db.template@ @//flow/main@ 7 2 @none@ 0 3 @out/...@ @@ -1 ",
    "@pv@ 1 @db.template@ @//flow/main@ 6 0 @none@ 0 2 @x/...@ @//depot/...@ -1 ",
    "@pv@ 1 @db.depot@ @unload@ 5 @@ @unload/...@ ",
    "@pv@ 1 @db.view@ @wide@ 0 0 @//wide/...@ @//depot/...@ ",
    "@pv@ 1 @db.view@ @old'; rm@ 0 0 @//old/lib/...@ @//depot/main/lib/...@ ",
    "@pv@ 1 @db.view@ @main-to-rel@ 0 0 @//depot/rel/...@ @//depot/main/...@ ",
    "@pv@ 3 @db.have@ @//wide/main/lib/f1@ @//depot/main/lib/f1@ 1 0 1 ",
    "@pv@ 3 @db.have@ @//old'; rm/lib/f1@ @//depot/main/lib/f1@ 1 0 1 ",
    "@pv@ 9 @db.group@ @ann@ @dev@ 1 0 50000 0 0 43200 0 ",
    "@pv@ 9 @db.group@ @ann@ @free@ 1 0 -1 0 0 43200 0 ",
    "@pv@ 9 @db.group@ @dev@ @all@ 2 0 0 30000 0 43200 0 ",
    "@pv@ 4 @db.protect@ 0 0 @*@ @*@ 31 0 @//...@ ",
    "@pv@ 4 @db.protect@ 1 1 @dev@ @*@ 31 0 @//depot/...@ ",
    "@pv@ 4 @db.protect@ 2 0 @ann@ @*@ 31 1 @//depot/*/secret/...@ ",
    *(
        f"@pv@ 9 @db.revhx@ @//depot/main/{folder}/f{n}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 "
        for folder, count in (("lib", 30), ("docs<b>", 70))
        for n in range(count)
    ),
    f"@nx@ 1 {NOW_S} @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ ",
]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Fixture: the checkpoint file of a small server, on which `p4warden audit` reports."""
    file = tmp_path / "p4_1.ckp.1"
    file.write_text("\n".join([*CHECKPOINT, ""]))
    return file


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["audit", *map(str, arguments)])
    return code, out.getvalue(), err.getvalue()


def test_every_finding_is_reported(checkpoint: Path) -> None:
    code, out, err = run(checkpoint, "--json")
    assert (code, err) == (0, "")
    results = json.loads(out)
    assert (results["files"], results["time"]) == (100, "2019-11-13T11:43:01Z")
    tables = {name: table["rows"] for name, table in results["tables"].items()}
    assert tables["expensive"][0] == {
        "client": "wide",
        "owner": "ann",
        "accessed": day(NOW_S),
        "files": 100,
        "have": 1,
        "keeps": 1,
        "proposal_files": 30,
        "proposal_view": ["//depot/main/lib/... //wide/main/lib/..."],
        "reason": None,
    }
    assert [(one["client"], one["have"]) for one in tables["unused"]] == [
        ("old'; rm", 1),
        ("readonly", None),
    ]
    assert [one["commands"] for one in tables["unused"]] == [
        ["# p4 unload -f -c 'old'\"'\"'; rm'", "# p4 client -d -f 'old'\"'\"'; rm'"],
        [],
    ]
    assert [one["reason"] for one in tables["unused"]] == [
        None,
        "its list of files is not in this checkpoint: ask its owner",
    ]
    assert tables["places"][0] == {"path": "//depot/", "files": 100, "revisions": 0}
    assert tables["specs"] == [
        {"type": "stream", "name": "//flow/main", "owner": "cat", "files": 100},
        {"type": "branch", "name": "main-to-rel", "owner": "cat", "files": 100},
    ]
    assert tables["paths"] == []
    [keys] = tables["keys"]
    assert keys["part"] == "//CLIENT/ of 2 clients"
    assert (keys["table"], keys["keys"], keys["bytes"], keys["saved"]) == ("db.have", 2, 18, 0)
    assert [(one["group"], one["users"], one["missing_limits"]) for one in tables["groups"]] == [
        (None, 1, ["MaxScanRows", "MaxLockTime"])
    ]
    assert tables["unlimited"] == [
        {"user": "ann", "limit": "MaxScanRows", "set_by": ["dev"], "lifted_by": ["free"]}
    ]
    assert [(one["line"], one["decided_by"]) for one in tables["dead"]] == [(2, 1)]
    assert [one["line"] for one in tables["slow"]] == [3]


def test_a_proposal_that_saves_little_is_for_a_whole_depot_only(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    have_record = "@pv@ 3 @db.have@ @//wide/main/docs<b>/f1@ @//depot/main/docs<b>/f1@ 1 0 1 "
    file.write_text("\n".join([*CHECKPOINT[:-1], have_record, CHECKPOINT[-1], ""]))
    client = json.loads(run(file, "--json")[1])["tables"]["expensive"]["rows"][0]
    assert client["proposal_view"] == ["//depot/main/... //wide/main/..."]
    narrow = "@pv@ 1 @db.view@ @wide@ 0 0 @//wide/main/...@ @//depot/main/...@ "
    lines = [narrow if "@db.view@ @wide@" in line else line for line in CHECKPOINT]
    file.write_text("\n".join([*lines[:-1], have_record, lines[-1], ""]))
    results = json.loads(run(file, "--json")[1])
    client = results["tables"]["expensive"]["rows"][0]
    assert (client["client"], client["files"], client["proposal_files"]) == ("wide", 100, None)
    assert client["reason"] == (
        "its view is already narrow: it spans 100 files, a sufficient view 100"
    )
    assert not any("could map less" in step["text"] for step in results["first_steps"])


def test_every_table_names_its_source_and_time(checkpoint: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    results = json.loads(run(checkpoint, "--json", "--html", page)[1])
    for table in results["tables"].values():
        assert table["time"] == "2019-11-13T11:43:01Z"
        assert all(name.startswith("db.") for name in table["source"])
    assert results["tables"]["groups"]["source"] == ["db.group", "db.domain"]
    assert all(step["source"] for step in results["first_steps"])
    html = PageParser(page.read_text()).text
    assert html.count(f"; {day(NOW_S)} ") == len(results["tables"]) + 1
    assert "Source: db.group; " in html


def test_lines_beyond_ascii_can_be_copied_from_the_page(tmp_path: Path) -> None:
    files = [
        f"@pv@ 9 @db.revhx@ @//depot/{top}/f{n}@ 1 0 1 9 9 9 00 1 " for top in TOPS for n in "12"
    ]
    records = [
        "@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ ",
        f"@pv@ 6 @db.domain@ @wide@ 99 {ROOT} @ann@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
        "@pv@ 1 @db.view@ @wide@ 0 0 @//wide/...@ @//depot/...@ ",
        f"@pv@ 3 @db.have@ @//wide/{TOPS[1]}/f1@ @//depot/{TOPS[1]}/f1@ 1 0 1 ",
    ]
    checkpoint, page = tmp_path / "ckp", tmp_path / "audit.html"
    checkpoint.write_text(whole("\n".join([*records, *sorted(files), ""])), "utf-8")
    assert run(checkpoint, "--html", page)[0] == 0
    html = f"<div><span>//depot/{TOPS[1]}/...</span> <span>//wide/{TOPS[1]}/...</span></div>"
    assert html in page.read_text("utf-8")


def day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def ran(pid: int, command: str, rows: int) -> str:
    """Return a command as p4d logs it, with track lines for the given number of rows."""
    head = "Perforce server info:\n\t2019/11/13 11:00:0"
    start_lines = f"{head}{pid} pid {pid} ann@wide 10.0.0.1 [p4/v96] '{command}'\n"
    return (
        f"{start_lines}{head}{pid} pid {pid} completed .5s\n{start_lines}--- lapse .5s\n"
        "--- db.revhx\n---   pages in+out+cached 3+0+2\n"
        f"---   locks read/write 1/0 rows get+pos+scan put+del 1+7+{rows - 1} 0+0\n\n"
    )


def test_commands_of_a_log_are_ranked_by_estimated_and_by_actual_rows(
    checkpoint: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    commands = [
        ("user-sync", 90),
        ("user-files //depot/main/lib/...", 40),
        ("user-sync //depot/main/lib/f1", 7),
    ]
    log.write_text("".join(ran(n, *command) for n, command in enumerate(commands, 1)))
    results = json.loads(run(checkpoint, "--json", "--log", log)[1])["tables"]
    sync, files = results["commands"]["rows"]
    assert sync == {
        "command": "sync",
        "requests": 2,
        "unknown": 0,
        "estimated_rows": 101,
        "with_rows": 2,
        "logged_rows": 97,
        "ratio": None,
    }
    assert (files["command"], files["logged_rows"]) == ("files", 40)
    highest = [(one["command"], one["args"], one["rows"]) for one in results["by_rows"]["rows"]]
    assert highest == [
        ("sync", "", 90),
        ("files", "//depot/main/lib/...", 40),
        ("sync", "//depot/main/lib/f1", 7),
    ]
    assert results["by_estimate"]["rows"][0]["estimate"] == 100
    assert results["by_rows"]["from"].startswith("2019-11-1")


def test_the_first_step_is_about_the_commands_that_take_most_of_the_run_time(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = "ann@wide 10.0.0.1 [UnrealGameSync/1.0.0/v96]"
    text = "".join(
        start("11:00:00", pid, "user-changes -m1 //depot/....cs@<=9", tool, day="2019/11/13")
        + done("11:00:12", pid, "12", day="2019/11/13")
        for pid in (1, 2, 3)
    )
    log = tmp_path / "p4 log"
    log.write_text(text + start("11:00:00", 4, "user-sync", day="2019/11/13"))
    log.write_text(log.read_text() + done("11:00:13", 4, "14", day="2019/11/13"))
    results = json.loads(run(checkpoint, "--json", "--log", log)[1])
    first, second, *_ = results["first_steps"]
    assert first["text"] == (
        "changes -m PATH@<=N of UnrealGameSync takes 72 % of the run time of users' commands: 3 "
        "commands, 36.0 s; no rule of the policy default would stop it. See who sends it."
    )
    assert second["text"].startswith("sync of p4 takes 28 % of the run time ")
    assert "Unload 1 client" not in first["text"] + second["text"]
    assert [row["form"] for row in results["tables"]["run_time"]["rows"]] == [
        "changes -m PATH@<=N",
        "sync",
    ]
    monkeypatch.chdir(tmp_path)
    load, users = first["commands"]
    assert second["commands"] == ["p4warden log report users --command sync --program 'p4*'"]
    for command in (load, users):
        words = [str(PROGRAM.with_name("p4warden")), *shlex.split(command)[1:]]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "ann" in shown


def test_first_steps_contain_the_numbers_of_the_audit(checkpoint: Path) -> None:
    steps = [one["text"] for one in json.loads(run(checkpoint, "--json")[1])["first_steps"]]
    assert steps == STEPS["whole"]


def test_the_first_steps_of_a_server_without_groups_and_unload_depot(checkpoint: Path) -> None:
    rows = checkpoint.read_text().splitlines(keepends=True)
    left_out = ("@db.group@", "@db.depot@ @unload@", "@db.protect@")
    checkpoint.write_text("".join(row for row in rows if not any(map(row.__contains__, left_out))))
    steps = [one["text"] for one in json.loads(run(checkpoint, "--json")[1])["first_steps"]]
    assert [steps[0], steps[2]] == STEPS["without_groups"]


ROWS_ALONE, TIME_ALONE = "1 0 50000 0 0 43200 0", "1 0 0 30000 0 43200 0"
WHOLE_TABLE = "one command of theirs may read or lock a whole table."
PROPOSED = "The settings below propose a group that limits people, and nobody else."
OWN_GROUP = "Set a limit in a group (p4 group)."


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (
            {"ben": ("crew", ROWS_ALONE)},
            [f"MaxLockTime for 1 user: {WHOLE_TABLE} {PROPOSED}"],
        ),
        (
            {"ben": ("builds", ROWS_ALONE)},
            [f"MaxLockTime for 1 user: {WHOLE_TABLE} {OWN_GROUP}"],
        ),
        (
            {
                "ben": ("crew", ROWS_ALONE),
                "eve": ("builds", TIME_ALONE),
                "fay": ("builds", TIME_ALONE),
            },
            [
                f"MaxScanRows for 2 users: {WHOLE_TABLE} {OWN_GROUP}",
                f"MaxLockTime for 1 user: {WHOLE_TABLE} {PROPOSED}",
            ],
        ),
    ],
    ids=["people", "programs", "programs without one and people without the other"],
)
def test_the_step_of_a_missing_limit_says_what_to_do(
    checkpoint: Path, members: dict[str, tuple[str, str]], expected: list[str]
) -> None:
    rows = (
        f"@pv@ 9 @db.group@ @{user}@ @{name}@ {its} \n" for user, (name, its) in members.items()
    )
    add_records(checkpoint, "".join(rows))
    steps = [one["text"] for one in json.loads(run(checkpoint, "--json")[1])["first_steps"]]
    texts = [step.removeprefix("No group sets ") for step in steps if step.startswith("No group")]
    assert [text.partition(" Choose numbers above")[0] for text in texts] == expected


def test_a_page_escapes_names_and_has_no_script(checkpoint: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    add_records(
        checkpoint, "@pv@ 9 @db.revhx@ @//depot/docs<b>/f@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 \n"
    )
    code, out, _ = run(checkpoint, "--html", page)
    assert code == 0
    assert out == f"{page}\n"
    text = page.read_text()
    assert "101 files, 0 revisions, 3 clients, 3 groups" in PageParser(text).text
    assert "First steps" in text
    assert "docs&lt;b&gt;" in text
    assert "docs<b>" not in text
    assert "<script" not in text


def test_paths_near_the_limit_of_windows_are_listed(checkpoint: Path) -> None:
    path = f"//depot/main/{'d' * 180}/f"
    add_records(checkpoint, f"@pv@ 9 @db.revhx@ @{path}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 \n")
    rows = json.loads(run(checkpoint, "--json")[1])["tables"]["paths"]["rows"]
    assert rows == [{"path": path, "bytes": 195}]


def test_unloaded_clients_are_counted_separately(checkpoint: Path) -> None:
    add_records(
        checkpoint, f"@pv@ 6 @db.domain@ @asleep@ 67 {ROOT} @ann@ 1 {OLD_S} 0 @@ @@ @@ 0 \n"
    )
    code, out, _ = run(checkpoint)
    assert code == 0
    assert ", 3 clients (and 1 unloaded), 3 groups" in out.splitlines()[0]
    assert json.loads(run(checkpoint, "--json")[1])["unloaded_clients"] == 1


def test_the_age_of_an_old_checkpoint_is_reported(checkpoint: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    line = " days old: clients, files and groups may have changed since."
    assert line in run(checkpoint)[1].splitlines()[1]
    run(checkpoint, "--html", page)
    assert line.strip() in PageParser(page.read_text()).text
    checkpoint.write_text(checkpoint.read_text().replace(str(NOW_S), str(int(time.time()) - 3600)))
    assert line not in run(checkpoint)[1]
    run(checkpoint, "--html", page)
    assert line.strip() not in PageParser(page.read_text()).text


def test_an_empty_table_has_no_explanation_of_its_rows(checkpoint: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    explanation = "The commands are commented out: check each before use."
    run(checkpoint, "--html", page)
    assert explanation in PageParser(page.read_text()).text
    run(checkpoint, "--months", "1200", "--html", page)
    assert explanation not in PageParser(page.read_text()).text


def test_commands_of_the_first_steps_run_unchanged_in_a_shell(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setenv("P4WARDEN_HOME", str(tmp_path / "home"))
    odd = checkpoint.rename(tmp_path / "p4 1.ckp;1")
    steps = json.loads(run(odd, "--json")[1])["first_steps"]
    commands = [command for step in steps for command in step["commands"]]
    census_file, letters = tmp_path / "census.jsonl", tmp_path / "letters"
    census = [command for command in commands if command.startswith("p4warden census ")]
    assert len(census) == 2
    for command in sorted(census, key=lambda command: "--rightsize" in command):
        words = shlex.split(command.partition(" >")[0])
        result = subprocess.run(
            [PROGRAM.with_name("p4warden"), *words[1:]],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, "wide" in result.stdout) == (0, True), result
        census_file.write_text(result.stdout)
    assert "//depot/main/lib/..." in census_file.read_text()
    (notify,) = [command for command in commands if command.startswith("p4warden notify-owners ")]
    (tmp_path / "addresses.csv").write_text("ann,ann@example.com\n")
    line = notify.replace("YYYY-MM-DD", "2027-03-31").replace(" census.jsonl", f" {census_file}")
    words = shlex.split(line.replace("to-folder letters", f"to-folder {letters}"))[1:]
    outcome = cli.run([*words, "--addresses", str(tmp_path / "addresses.csv")])
    assert (outcome, len(list(letters.iterdir()))) == (0, 1)


def test_clients_without_files_are_named_in_the_first_steps(checkpoint: Path) -> None:
    add_records(
        checkpoint,
        f"@pv@ 6 @db.domain@ @empty@ 99 {ROOT} @ann@ 1 {NOW_S} 0 @@ @@ @@ 0 \n"
        "@pv@ 1 @db.view@ @empty@ 0 0 @//empty/...@ @//depot/main/...@ \n",
    )
    steps = [one["text"] for one in json.loads(run(checkpoint, "--json")[1])["first_steps"]]
    (step,) = [step for step in steps if "Nothing is synced or open" in step]
    assert step.startswith("Nothing is synced or open in 1 of the 4 widest clients ")
    assert "(empty)" in step


def test_a_file_that_is_not_a_checkpoint_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "ckp"
    file.write_text("no checkpoint\n")
    code, out, err = run(file)
    assert (code, out) == (1, "")
    assert err.startswith(f"p4warden: {file}: is not a checkpoint or journal")


@pytest.mark.parametrize("name", ["checkpoint_r15.1.gz", "checkpoint_r17.1.gz"])
def test_real_checkpoints_are_read_without_an_error_message(name: str) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("no real checkpoint is here")
    code, _, err = run(SHARED / name)
    assert (code, err) == (0, "")


def test_few_unused_records_give_no_first_step(checkpoint: Path) -> None:
    paths = (f"@//wide/main/docs/n{n}@ @//depot/main/docs<b>/f0@" for n in range(100))
    add_records(checkpoint, "".join(f"@pv@ 3 @db.have@ {path} 1 0 1 \n" for path in paths))
    steps = [one["text"] for one in json.loads(run(checkpoint, "--json")[1])["first_steps"]]
    assert steps[0].startswith(
        "No group sets MaxScanRows or MaxLockTime for 1 user (who owns clients and is in no "
        "group): one command "
    )
    assert [step for step in steps if "(1% of all)" in step] == steps[1:2]


@pytest.mark.long
def test_large_numbers_are_grouped_and_unknown_numbers_are_null(
    checkpoint: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text(ran(1, "user-changes //nowhere/...@label", 22_442_266).replace("rows get", "x"))
    (changes,) = json.loads(run(checkpoint, "--log", log, "--json")[1])["tables"]["commands"][
        "rows"
    ]
    assert (changes["unknown"], changes["estimated_rows"]) == (1, None)
    assert (changes["with_rows"], changes["logged_rows"]) == (0, None)
    lines = [
        f"@pv@ 4 @db.protect@ {n} 0 @user{n}@ @*@ 31 0 @//depot/...@ " for n in range(3, 1003)
    ]
    add_records(checkpoint, "\n".join([*lines, ""]))
    page = tmp_path / "audit.html"
    assert run(checkpoint, "--log", log, "--html", page)[0] == 0
    text = PageParser(page.read_text()).text
    assert "of 1,003; the table below shows for each the line that decides" in text
    assert "Of 1,003 lines in total. " in text
    assert "--csv" not in run(checkpoint, "--log", log)[1]
    assert '<td class="lines"' in page.read_text()


def test_files_of_a_graph_depot_are_not_counted_and_the_page_is_private(tmp_path: Path) -> None:
    file, page = tmp_path / "p4_1.ckp.1", tmp_path / "audit.html"
    graph = "@pv@ 1 @db.depot@ @git@ 7 @@ @git/...@ "
    file.write_text("\n".join([*CHECKPOINT[:-1], graph, CHECKPOINT[-1], ""]))
    code, out, _ = run(file, "--json", "--html", page)
    assert code == 0
    rows = {row["path"]: row["files"] for row in json.loads(out)["tables"]["places"]["rows"]}
    assert (rows["//git/"], rows["//depot/"]) == (None, 100)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "//git/ not counted not counted" in PageParser(page.read_text()).text
