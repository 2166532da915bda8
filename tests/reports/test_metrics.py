"""Tests of `p4warden metrics` for Prometheus: format, names, and totals that never decrease.

Also of the dashboard and the alert rules, which use only metrics that exist.
"""

from __future__ import annotations

import datetime
import gzip
import json
import os
import re
import stat
import time
from collections import Counter
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.core import facts
from p4warden.home import off_mark, trusted_files
from p4warden.metrics import tally
from p4warden.metrics.decision_counts import cause_kind
from p4warden.metrics.exposition import Family, Sample, render
from p4warden.metrics.unread_lines import LogPosition
from support.home_files import facts_file

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "reports"
REFUSED = '{"time": 1803636000, "user": "ann", "verdict": "refuse", "rule": "polling"}\n'
POLICY = """\
version: 1
contact: admins
exemptions:
  - {users: [bob], rules: [polling], reason: "an \\"old\\" tool", owner: ci, until: 2027-03-31}
  - {users: [eve], rules: [polling], reason: moves, owner: ops}
rules:
  - {name: polling, rule: limit_view_scope, mode: enforce, forms: [client]}
"""
_SAMPLE = re.compile(r'([a-z_0-9]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (-?[0-9.]+)')


def written_samples(folder: Path, *options: str) -> dict[str, float]:
    """Run `p4warden metrics`, and return the samples that it writes.

    Each line is first checked against the published format.
    """
    file = folder / "out.prom"
    assert cli.run(["metrics", "--home", str(folder), "--output", str(file), *options]) == 0
    samples: dict[str, float] = {}
    for line in file.read_text("ascii").splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP p4_[a-z_]+ \S.*|TYPE p4_[a-z_]+ (counter|gauge))", line)
            continue
        results = _SAMPLE.fullmatch(line)
        assert results, line
        name = line.rpartition(" ")[0]
        assert name not in samples
        samples[name] = float(results[3])
    return samples


def refused(folder: Path) -> float:
    return written_samples(folder)[
        'p4_warden_decisions_total{rule="polling",mode="none",verdict="refuse"}'
    ]


def test_faults_answered_by_refusal_have_their_own_metric(tmp_path: Path) -> None:
    fault = {"time": 1, "event": "form-save", "fault": "state: is damaged"}
    lines = [{**fault, "verdict": "allow"}, {**fault, "verdict": "refuse", "count": 2}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "decisions.jsonl").write_text(text)
    results = written_samples(tmp_path)
    assert results['p4_warden_failopen_total{cause="state: is damaged"}'] == 1
    assert results['p4_warden_faults_denied_total{cause="state: is damaged"}'] == 2


def test_each_line_of_the_log_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl").write_bytes((CASES / "decisions.jsonl").read_bytes())
    expected = {
        'p4_warden_decisions_total{rule="polling",mode="none",verdict="refuse"}': 41,
        'p4_warden_decisions_total{rule="no-whole-depot",mode="none",verdict="allow"}': 3,
        'p4_warden_decisions_total{rule="wide-files",mode="none",verdict="observe"}': 10,
        'p4_warden_failopen_total{cause="state: is damaged"}': 6,
        'p4_warden_trigger_seconds_sum{event="command"}': 0.004,
        'p4_warden_trigger_seconds_count{event="command"}': 2,
        "p4_warden_unanswered_questions_total": 1,
        "p4_warden_log_bad_lines_total": 7,
    }
    for _ in range(2):
        results = written_samples(tmp_path)
        assert {name: results[name] for name in expected} == expected
        assert not any("ann" in name for name in results)


def test_totals_continue_after_the_log_is_rotated_compressed_and_removed(tmp_path: Path) -> None:
    log, first = tmp_path / "decisions.jsonl", tmp_path / "decisions.jsonl.1"
    log.write_text(REFUSED.replace("636000", "636001"))
    assert refused(tmp_path) == 1
    with log.open("a") as file:
        file.write(REFUSED)
    log.rename(first)
    log.write_text(REFUSED.replace("636000", "636002"))
    assert refused(tmp_path) == 3
    (tmp_path / "decisions.jsonl.2.gz").write_bytes(gzip.compress(first.read_bytes()))
    log.replace(first)
    assert refused(tmp_path) == 3
    log.write_text(REFUSED.replace("636000", "636003"))
    (tmp_path / "decisions.jsonl.2.gz").unlink()
    assert refused(tmp_path) == 4
    assert written_samples(tmp_path)["p4_warden_log_gaps_total"] == 0


def test_a_missing_part_of_the_log_is_counted_as_a_gap(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl").write_text(REFUSED)
    assert refused(tmp_path) == 1
    (tmp_path / "decisions.jsonl").write_text(REFUSED.replace("636000", "700000"))
    assert refused(tmp_path) == 2
    assert written_samples(tmp_path)["p4_warden_log_gaps_total"] == 1


def test_an_incomplete_last_line_is_counted_once_it_is_complete(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    log.write_text(REFUSED + REFUSED[:40])
    assert refused(tmp_path) == 1
    log.write_text(REFUSED + REFUSED)
    assert refused(tmp_path) == 2


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{}",
        b"[]",
        b'{"place": [0, 0], "totals": 5}',
        b'{"place": ["0", Infinity], "totals": [], "shown": []}',
        b'{"place": ["0", 0], "totals": [[["decisions"], Infinity]], "shown": []}',
        b"\xff",
    ],
)
def test_damaged_totals_start_at_zero(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "decisions.jsonl").write_text(REFUSED)
    trusted_files.replace(str(tmp_path), tally.FILE_NAME, damage)
    assert refused(tmp_path) == 1


def test_totals_that_others_can_write_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl").write_text(REFUSED)
    assert refused(tmp_path) == 1
    (tmp_path / tally.FILE_NAME).chmod(0o666)
    assert cli.run(["metrics", "--home", str(tmp_path)]) == 1
    (tmp_path / tally.FILE_NAME).chmod(0o600)
    assert refused(tmp_path) == 1


def test_users_are_named_only_with_option_by_user(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl").write_bytes((CASES / "hostile.jsonl").read_bytes())
    results = written_samples(tmp_path, "--by-user")
    name = r"""p4_warden_user_decisions_total{user="\"'><img src=x onerror=alert(1)>"""
    assert sum(total for sample, total in results.items() if sample.startswith(name)) == 1
    assert not any("user_decisions" in sample for sample in written_samples(tmp_path))


def test_users_beyond_the_maximum_are_counted_together() -> None:
    many: Counter[tally.Series] = Counter()
    many.update(("users", f"u{n}", "r", "refuse") for n in range(tally.MOST_SERIES + 50))
    now = tally.advanced(tally.Tally({}, {}), many, Counter(), LogPosition())
    assert len(now.totals) == tally.MOST_SERIES + 1
    assert now.totals["users", tally.OTHERS, tally.OTHERS, tally.OTHERS] == 50


def test_a_shown_total_never_decreases() -> None:
    series: tally.Series = ("decisions", "r", "enforce", "refuse")
    unwritten_counts, report = Counter({series: 9}), Counter({series: 4})
    first = tally.advanced(tally.Tally({}, {}), Counter(), unwritten_counts, LogPosition())
    later_tally = tally.advanced(first, report, Counter(), LogPosition())
    assert (
        first.published_totals[series],
        later_tally.published_totals[series],
        later_tally.totals[series],
    ) == (9, 9, 4)


def test_metrics_of_an_installation_show_policy_exemptions_facts_and_switch(
    tmp_path: Path,
) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY)
    assert cli.run(["activate", str(tmp_path / "policy.yaml"), "--home", str(tmp_path)]) == 0
    trusted_files.replace(str(tmp_path), facts.FILE_NAME, facts_file({}))
    os.utime(tmp_path / facts.FILE_NAME, (0, datetime.datetime.now().timestamp() - 500))  # noqa: DTZ005
    results = written_samples(tmp_path)
    [metric] = [sample for sample in results if "expires" in sample]
    assert metric == (
        r'p4_warden_exemption_expires_seconds{id="1",owner="ci",reason="an \"old\" tool"}'
    )
    last = datetime.datetime(2027, 4, 1).timestamp() - datetime.datetime.now().timestamp()  # noqa: DTZ001, DTZ005
    assert results[metric] == pytest.approx(last, abs=60)
    assert results["p4_warden_facts_age_seconds"] == pytest.approx(500, abs=60)
    assert results['p4_warden_rules{mode="enforce"}'] == 1
    assert (results["p4_warden_off"], results["p4_warden_log_writable"]) == (0, 1)
    assert any(sample.startswith('p4_warden_policy_info{digest="') for sample in results)
    (tmp_path / "decisions.jsonl").mkdir()
    off_mark.mark_off(str(tmp_path))
    results = written_samples(tmp_path)
    assert (results["p4_warden_off"], results["p4_warden_log_writable"]) == (1, 0)
    assert "p4_warden_off_ends_seconds" not in results
    now_s = int(datetime.datetime.now().timestamp())  # noqa: DTZ005 - seconds of any zone
    off_mark.mark_off(str(tmp_path), now_s + 900)
    results = written_samples(tmp_path)
    assert results["p4_warden_off"] == 1
    assert results["p4_warden_off_ends_seconds"] == pytest.approx(900, abs=60)
    off_mark.mark_off(str(tmp_path), now_s - 900)
    results = written_samples(tmp_path)
    assert results["p4_warden_off"] == 0
    assert "p4_warden_off_ends_seconds" not in results


@pytest.mark.parametrize("damage", ["totals", "folder"])
def test_a_run_that_fails_replaces_the_old_file_by_what_is_known(
    tmp_path: Path, damage: str
) -> None:
    home, file = tmp_path / "home", tmp_path / "out.prom"
    home.mkdir(mode=0o700)
    (home / "decisions.jsonl").write_text(REFUSED)
    command = ["metrics", "--home", str(home), "--output", str(file)]
    assert cli.run(command) == 0
    if damage == "totals":
        (home / tally.FILE_NAME).chmod(0o666)
    else:
        home.rename(tmp_path / "gone")
    file.write_text("p4_warden_gate_starts 1\n")
    before_s = int(time.time())
    assert cli.run(command) == 1
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    name, _, time_s = lines[0].partition(" ")
    assert name == "p4_warden_metrics_timestamp_seconds"
    assert before_s <= int(time_s) <= time.time()
    assert "p4_warden_gate_starts 1" not in lines
    assert not any(line.startswith("p4_warden_decisions_total") for line in lines)
    assert f"p4_warden_log_writable {int(damage == 'totals')}" in lines


def test_the_metrics_file_is_readable_by_all_and_has_no_temporary_files(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        written_samples(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.prom").stat().st_mode) == 0o644
    assert {file.name for file in tmp_path.iterdir()} == {"out.prom", tally.FILE_NAME}


def test_option_label_adds_an_escaped_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = written_samples(tmp_path, "--label", 'serverid=a"b\\c\nd')
    assert r'p4_warden_off{serverid="a\"b\\c\nd"}' in results
    assert cli.run(["metrics", "--home", str(tmp_path), "--label", "a-b=1"]) == 2
    assert "'a-b' is not a label name" in capsys.readouterr().err


def test_a_missing_folder_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "none" / "x.prom")
    assert cli.run(["metrics", "--home", str(tmp_path), "--output", nowhere]) == 1
    assert cli.run(["metrics", "--home", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.count("\n") == 2


def test_metrics_have_the_format_of_prometheus() -> None:
    family = Family("m", "gauge", "Of something.", (Sample({}, 1.5), Sample({"a": "\\"}, -2)))
    expected = '# HELP m Of something.\n# TYPE m gauge\nm 1.5\nm{a="\\\\"} -2\n'
    assert render([family, Family("none", "gauge", "x", ())], {}) == expected


def test_a_fault_is_reported_without_varying_names_and_numbers() -> None:
    report = {
        "/var/lib/p4warden/state: another process kept it locked for a second": (
            "state: another process kept it locked for a second"
        ),
        "the form's file /p4/1/tmp/fmt.8731.22: Permission denied": (
            "the form's file fmt.N.N: Permission denied"
        ),
        "the program was ended by signal 9": "the program was ended by signal N",
    }
    assert {cause: cause_kind(cause) for cause in report} == report


@pytest.mark.parametrize("path", ["grafana/p4warden.json", "prometheus/p4warden.rules.yml"])
def test_alerts_and_panels_count_faults_with_either_answer(path: str) -> None:
    text = (ROOT / "deploy" / path).read_text()
    expressions = re.findall(r"expr: >-\n((?: {10}.*\n)+)|expr\W+(.*)", text)
    faults = [expression for expression in map("".join, expressions) if "_failopen_" in expression]
    assert len(faults) == 2
    for expression in faults:
        assert "p4_warden_faults_denied_total" in expression


@pytest.mark.parametrize(
    ("options", "name", "help_text"),
    [
        (
            ["--by-user"],
            "p4_warden_user_decisions_total",
            "p4_warden_decisions_total by user, counted since the first run with --by-user.",
        ),
        (
            [],
            "p4_warden_off_ends_seconds",
            "Seconds until p4warden off ends by itself; absent without an end.",
        ),
    ],
    ids=["by user", "off for a time"],
)
def test_a_metric_has_its_help_text(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    name: str,
    help_text: str,
) -> None:
    (tmp_path / "decisions.jsonl").write_text(REFUSED)
    off_mark.mark_off(str(tmp_path), int(datetime.datetime.now().timestamp()) + 900)  # noqa: DTZ005
    assert cli.run(["metrics", "--home", str(tmp_path), *options]) == 0
    assert f"# HELP {name} {help_text}\n" in capsys.readouterr().out


def test_the_dashboard_and_the_alerts_use_existing_metrics() -> None:
    source = (ROOT / "triggers/p4warden/metrics").glob("*.py")
    present = {
        name for file in source for name in re.findall(r'"(p4_warden_\w+)"', file.read_text())
    }
    files = [*(ROOT / "deploy/grafana").iterdir(), *(ROOT / "deploy").glob("prometheus/*.yml")]
    query = {name for file in files for name in re.findall(r"\bp4_warden_\w+", file.read_text())}
    assert query <= present
    for file in (ROOT / "deploy/grafana").iterdir():
        panels = json.loads(file.read_text())["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
