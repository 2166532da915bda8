"""Tests of the report on decisions, as a page and on a terminal, with hostile user names."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.programs.offenders import offenders
from p4warden.reports.charts import Chart, Series, columns
from p4warden.reports.html import page as html_page
from p4warden.reports.rows import Table
from support.figures import figures_of
from support.home_files import account_file
from support.pages import PageParser

NONE = frozenset[int]()
CASES = Path(__file__).parents[1] / "cases" / "reports"


def home(tmp_path: Path, case: str) -> str:
    (tmp_path / "decisions.jsonl").write_bytes((CASES / case).read_bytes())
    return str(tmp_path)


def page(tmp_path: Path, case: str) -> str:
    file = tmp_path / "page.html"
    assert cli.run(["report", "--home", home(tmp_path, case), "--html", str(file)]) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return file.read_text("ascii")


def test_a_page_shows_decisions_and_affected_users(tmp_path: Path) -> None:
    parsed_page = PageParser(page(tmp_path, "decisions.jsonl"))
    words = parsed_page.text
    for part in (
        "Affected if enforced",
        "wide-files (10 decisions)",
        "carol x 1",
        "no-whole-depot",
    ):
        assert part in words
    assert {"svg", "title", "desc", "table", "th"} <= parsed_page.tags
    assert len(parsed_page.ids) == len(set(parsed_page.ids)) == 14


def test_a_page_names_cause_and_remedy_of_known_offenders(tmp_path: Path) -> None:
    lines = (CASES / "decisions.jsonl").read_text("utf-8").splitlines()
    refused = next(line for line in map(json.loads, lines) if line.get("verdict") == "refuse")
    one = offenders()["unity/status-and-incoming"]
    (tmp_path / "cases.jsonl").write_text(json.dumps(refused | {"known": one.key}) + "\n")
    parsed_page = PageParser(page(tmp_path, str(tmp_path / "cases.jsonl")))
    words = parsed_page.text
    assert "Known causes" in words
    assert f"unity/status-and-incoming 1 1 {one.cause} {one.remedy}" in words


@pytest.mark.parametrize(("shown", "listed"), [(6, 0), (7, 7)])
def test_a_page_of_more_than_six_tables_has_a_table_of_contents(shown: int, listed: int) -> None:
    named = [Table(f"t{n}", f"Title {n}, more", "", ("A",), [("x",)], NONE) for n in range(shown)]
    assert PageParser(html_page("Page", [], named, {})).links == [
        f"#table-t{n}" for n in range(listed)
    ]


def test_tables_without_rows_are_one_line_that_unfolds_their_notes() -> None:
    full = Table("full", "Full", "About it.", ("A",), [("x",)], NONE)
    empty = [Table(name, name, f"Why {name}.", ("A",), [], NONE) for name in ("One", "Two")]
    text = PageParser(html_page("Page", [], [empty[0], full, empty[1]], {})).text
    assert text.endswith("Full About it. A x Nothing in: One; Two One: Why One. Two: Why Two.")


def test_red_and_orange_are_for_refusals_and_delays_alone(tmp_path: Path) -> None:
    text = page(tmp_path, "decisions.jsonl")
    coloured = re.findall(r'<li><mark class="(\w+)"></mark>([^<]*)</li>', text)
    assert ("refused", "Refused") in coloured
    assert ("delayed", "Delayed") in coloured
    assert {colour for colour, name in coloured if name not in ("Refused", "Delayed")} <= {
        "c0", "c1", "c2", "c3", "c4", "c5",
    }  # fmt: skip


def test_a_page_loads_no_resources_and_runs_no_scripts(tmp_path: Path) -> None:
    text = page(tmp_path, "hostile.jsonl")
    parsed_page = PageParser(text)
    assert not parsed_page.tags & {"script", "img", "link", "iframe", "b"}
    assert not {name for name in parsed_page.attributes if name.startswith("on")}
    assert "src" not in parsed_page.attributes
    assert all(link.startswith("#table-") for link in parsed_page.links)
    assert not re.search(r"url\(|@import|https?:", text)
    assert "default-src 'none'" in text


def test_names_are_shown_with_invisible_characters_escaped(tmp_path: Path) -> None:
    words = PageParser(page(tmp_path, "hostile.jsonl")).text
    for name in ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "</style><b>"):
        assert name in words
    assert r"\u202egnp.exe\u05d0\u2066" in words
    assert r"a\x00\x1b[31mred\x9b1m\x0d\x0ab" in words


def log(folder: Path, count: int, **fields: str) -> None:
    """Write a decision log in which `count` users are refused once from each of three programs."""
    records = [
        {"time": 1803636000 + at, "event": "command", "command": "fstat", "rule": "polling"}
        | {"verdict": "refuse", "user": f"user{at // 3:04}", "prog": f"tool{at % 3}"}
        | fields
        for at in range(count * 3)
    ]
    text = "".join(f"{json.dumps(record)}\n" for record in records)
    (folder / "decisions.jsonl").write_text(text)


def test_a_page_lists_every_user_and_unfolds_without_a_script(tmp_path: Path) -> None:
    log(tmp_path, 300, client="ws", ip="10.0.0.7")
    file = tmp_path / "page.html"
    assert cli.run(["report", "--home", str(tmp_path), "--html", str(file)]) == 0
    parsed_page = PageParser(file.read_text("ascii"))
    assert {"details", "summary"} <= parsed_page.tags
    assert "script" not in parsed_page.tags
    words = parsed_page.text
    for at in range(300):
        assert f"user{at:04}" in words
    # The page shows two programs of each user; the third one is in text that readers unfold.
    assert words.count("tool2 x 1") == 300
    assert "280 more" in words


def test_a_report_lists_what_each_rule_did_to_each_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log(tmp_path, 1, client="ws", ip="10.0.0.7")
    assert cli.run(["report", "--json", "--home", str(tmp_path)]) == 0
    [subject] = json.loads(capsys.readouterr().out)["subjects"]
    assert subject == {
        "rule": "polling",
        "user": "user0000",
        "verdicts": {"refuse": 3},
        "values": {
            "prog": {"tool0": 1, "tool1": 1, "tool2": 1},
            "spec_or_client": {"ws": 3},
            "ip": {"10.0.0.7": 3},
            "what": {"fstat": 3},
        },
        "first_s": 1803636000,
        "last_s": 1803636002,
    }
    assert cli.run(["report", "--home", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "Users at each rule" in output
    assert "tool0 x 1, tool1 x 1 and 1 more" in output.replace("\n", " ")


def test_a_user_with_many_client_names_uses_limited_memory() -> None:
    record = {"verdict": "refuse", "rule": "r", "user": "ann"}
    records = [record | {"time": float(at), "client": f"ws{at}"} for at in range(1000)]
    [subject] = figures_of(*records).subjects
    assert len(subject.values["spec_or_client"]) == 201
    assert subject.values["spec_or_client"]["(others)"] == 800
    assert (subject.verdicts, subject.first_s) == ({"refuse": 1000}, 0.0)


def test_a_report_shows_server_home_canary_and_policy_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.yaml"
    rule = "{name: polling, rule: limit_view_scope, mode: enforce, canary: [{groups: [team]}]}"
    policy.write_text(f"version: 1\ncontact: x\nrules:\n  - {rule}\n")
    home = tmp_path / "home"
    assert cli.run(["activate", str(policy), "--home", str(home), "-m", "first try"]) == 0
    log(home, 1)
    (home / "server.json").write_bytes(account_file("ssl:p4.example.com:1666"))
    (home / "server.json").chmod(0o600)
    capsys.readouterr()
    assert cli.run(["report", "--home", str(home)]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Server ssl:p4.example.com:1666, home {home} on host ")
    assert "; report made 20" in output.splitlines()[0]
    assert "enforce for a canary" in output
    assert "first try" in output


def test_an_account_that_cannot_read_the_log_is_reported() -> None:
    script = (
        "import os, sys; from p4warden import cli; from p4warden.commands import report\n"
        "os.geteuid() or os.setuid(65534)\n"
        "sys.exit(cli.run(sys.argv[1:]))"
    )
    shared = Path(tempfile.mkdtemp(prefix="p4warden-report-", dir="/tmp"))
    try:
        shared.chmod(0o755)
        log(shared, 1)
        (shared / "decisions.jsonl").chmod(0 if os.geteuid() else 0o600)
        result = subprocess.run(
            [sys.executable, "-c", script, "report", "--home", str(shared)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(shared)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"p4warden: {shared}/decisions.jsonl: this account cannot read the decision log; run the "
        "report as p4d's account\n"
    )


def test_a_report_on_a_terminal_has_no_control_characters_or_styles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", "--home", home(tmp_path, "hostile.jsonl")]) == 0
    output = capsys.readouterr().out
    assert output.replace("\n", "").isprintable()
    assert output.isascii()
    assert "[bold]x[/bold]" in output


def test_a_report_as_csv_contains_no_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", "--csv", "--home", home(tmp_path, "hostile.jsonl")]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows[0] == ["day", "rule", "verdict", "user", "count"]
    assert ["[bold]x[/bold]", "refuse", "'=cmd|' /C calc'!A0", "1"] in [row[1:] for row in rows]


def test_a_report_as_json_has_the_numbers_of_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", "--json", "--home", home(tmp_path, "decisions.jsonl")]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results["read"]["bad_lines"] == 7
    assert sum(d["count"] for d in results["decisions"] if d["verdict"] == "refuse") == 42
    assert results["faults"][0]["times"] == 5


def test_a_report_on_an_empty_home_is_empty_and_a_missing_home_or_wrong_span_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", "--home", str(tmp_path)]) == 0
    assert "\nNo decisions recorded\n" in capsys.readouterr().out
    assert cli.run(["report", "--home", str(tmp_path / "none")]) == 1
    assert cli.run(["report", "--home", str(tmp_path), "--since", "soon"]) == 2
    assert "'soon' is neither a span (7d) nor a day (2027-03-01)" in capsys.readouterr().err
    assert cli.run(["report", "--home", str(tmp_path), "--since", ""]) == 2
    assert "'' is neither a span (7d) nor a day (2027-03-01)" in capsys.readouterr().err


@pytest.mark.parametrize("zone", ["KIR-14", "BIT12"])
def test_times_at_the_ends_of_the_calendar_are_shown_in_every_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], zone: str
) -> None:
    times = (0, 253402214399, 253402300799)
    lines = [f'{{"time": {time_s}, "verdict": "refuse", "rule": "r"}}\n' for time_s in times]
    beats = [f'{{"time": {time_s}, "server": "s", "command": "info"}}\n' for time_s in times]
    (tmp_path / "decisions.jsonl").write_text("".join(lines))
    (tmp_path / "pulse.jsonl").write_text("".join(beats).replace("}", ', "lapse_s": 1}'))
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert cli.run(["report", "--home", str(tmp_path)]) == 0
        assert cli.run(["pulse", "report", "--home", str(tmp_path)]) == 0
    finally:
        monkeypatch.undo()
        time.tzset()
    output = capsys.readouterr().out
    assert "1 line of the log skipped: not a decision" in output
    assert "2 measurements of s" in output


def test_a_subject_shows_the_spec_of_a_form_and_decisions_that_were_only_counted() -> None:
    fields = {"time": 1, "verdict": "refuse", "rule": "r", "user": "ann", "client": "laptop"}
    form = {**fields, "event": "form-save", "type": "client", "name": "ann-ws"}
    counted = {name: form[name] for name in ("time", "event", "user", "verdict", "rule")}
    [subject] = figures_of(form, {**counted, "count": 7}).subjects
    assert subject.values["spec_or_client"] == {"ann-ws": 8}
    assert subject.values["what"] == {"form-save client": 8}


def test_an_axis_names_the_year_or_the_day_once_and_all_years_where_they_differ() -> None:
    def texts(*labels: str) -> list[str]:
        chart = Chart("c", "t", "d", labels, [Series("s", [1] * len(labels))])
        found = re.findall(r'text-anchor="\w+">([^<]*)</text>', columns(chart, str))
        return [*map(html.unescape, found)]

    assert {"03-01", "03-02", "2027"} <= {*texts("2027-03-01", "2027-03-02")}
    assert {"10:00", "2027-03-01"} <= {*texts("2027-03-01 10:00", "2027-03-01 11:00")}
    assert {"2026-12-31", "2027-01-01"} <= {*texts("2026-12-31", "2027-01-01")}
    assert {"< 1 ms", "more"} <= {*texts("< 1 ms", "more")}


def test_the_captions_of_the_charts_count_one_and_many(tmp_path: Path) -> None:
    def words(count: int, verdict: str) -> str:
        log(tmp_path, count, verdict=verdict)
        file = tmp_path / "page.html"
        assert cli.run(["report", "--home", str(tmp_path), "--html", str(file)]) == 0
        return file.read_text("ascii")

    one, many = words(1, "refuse"), words(2, "refuse")
    assert "3 decisions refused or delayed from 2027-02-" in one
    assert "1 user was refused or delayed; most often user0000." in one
    assert "2 users were refused or delayed; most often user0000." in many
    assert "polling alone would have stopped 1 user." in words(1, "observe")
    observed = words(2, "observe")
    assert "polling alone would have stopped 2 users." in observed
    assert "polling (6 decisions)" in observed
