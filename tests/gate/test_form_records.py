"""Tests of the decision records of forms: counted, and logged when due."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Any

from gate.forms import NARROW, VIEWS, WIDE, save
from gate.program import GO_ON, Home, policy
from p4warden.home import trial_client

if TYPE_CHECKING:
    from pathlib import Path

QUIET_S = 10
EVERYONE = {"reason": "a reason", "owner": "an owner", "for": {"users": ["*"]}}


def unwritten(home: Home) -> list[tuple[str, int]]:
    return [(entry["user"], entry["count"]) for entry in home.counts()["owed"]]


def test_concurrent_equal_refusals_are_logged_at_intervals_and_all_are_counted(
    gate_home: Home, tmp_path: Path
) -> None:
    gate_home.activate(policy(VIEWS))
    form = tmp_path / "form"
    form.write_text(WIDE)
    start_s = time.monotonic()
    loop = 'i=0; while [ $i -lt 25 ]; do "$@"; echo $?; i=$((i + 1)); done'
    gate = gate_home.line("form-save", "--type=client", f"--form={form}", "--user=ann")
    loops = [
        subprocess.Popen(["sh", "-c", loop, "sh", *gate], stdout=subprocess.PIPE) for _ in range(8)
    ]
    outputs = [process.communicate()[0] for process in loops]
    save(gate_home, WIDE, "--user=bob")
    assert [output.count(b" limit=1 value=0\n1\n") for output in outputs] == [25] * 8
    lines = [record["user"] for record in gate_home.log()]
    assert lines[0] == "ann"
    assert lines[-1] == "bob"
    assert lines.count("ann") <= 1 + (time.monotonic() - start_s) / QUIET_S
    report = sum(record.get("count", 1) for record in gate_home.log() if record["user"] == "ann")
    assert report + sum(count for _, count in unwritten(gate_home)) == 200
    counts = gate_home.counts()
    assert (counts["refused"], counts["faults"]) == (201, 0)


def test_only_a_form_with_a_finding_needs_the_baseline(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS | {"baseline": True}))
    assert save(gate_home, NARROW) == GO_ON
    assert gate_home.counts()["faults"] == 0
    save(gate_home, WIDE)
    assert "baseline.json" in gate_home.log()[-1]["fault"]


def test_every_form_is_counted_and_a_plain_allow_is_not_logged(gate_home: Home) -> None:
    unread = VIEWS | {"max_files": 1}
    cases: list[tuple[dict[str, Any], str, str]] = [
        (policy(VIEWS), NARROW, "allowed"),
        (policy(VIEWS | {"mode": "observe"}), WIDE, "observed"),
        (policy(unread), NARROW, "unknown"),
        (policy(VIEWS, exemptions=[EVERYONE]), WIDE, "allowed"),
    ]
    for document, form, counter in cases:
        gate_home.activate(document)
        before = gate_home.counts()[counter]
        assert save(gate_home, form) == GO_ON
        assert gate_home.counts()[counter] == before + 1
    verdicts = ["observe", "unknown", "allow"]
    assert [record["verdict"] for record in gate_home.log()] == verdicts
    assert gate_home.log()[-1]["exemption"] == "a reason (owner: an owner)"


def test_repeated_observed_forms_are_counted_by_their_enforced_verdict(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS | {"mode": "observe"}))
    assert [save(gate_home) for _ in range(4)] == [GO_ON] * 4
    [record] = gate_home.log()
    assert (record["would"], record["findings"]) == ("refuse", 1)
    [entry] = gate_home.counts()["owed"]
    assert (entry["would"], entry["count"]) == ("refuse", 3)


def test_a_form_of_a_program_that_calls_itself_p4warden_is_counted(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS))
    assert save(gate_home, NARROW, "--prog=p4warden") == GO_ON
    assert gate_home.counts()["allowed"] == 1


def test_every_trial_decision_is_enforced_and_logged_and_none_is_counted(gate_home: Home) -> None:
    client = f"{trial_client.PREFIX}0123456789abcdef"
    trial_client.announce(str(gate_home.folder), client, int(time.time()))
    gate_home.activate(policy(VIEWS | {"mode": "observe"}, exemptions=[EVERYONE]))
    for option in (f"--name={client}", f"--client={client}"):
        assert save(gate_home, NARROW, option) == GO_ON
        assert save(gate_home, WIDE, option).code == 1
    verdicts = ["allow", "refuse"] * 2
    assert [(record["verdict"], record["trial"]) for record in gate_home.log()] == [
        (verdict, True) for verdict in verdicts
    ]
    counts = gate_home.counts()
    assert (counts["allowed"], counts["refused"]) == (0, 0)


def test_an_unusable_state_file_changes_no_form_verdict_and_loses_no_record(
    gate_home: Home,
) -> None:
    gate_home.activate(policy(VIEWS))
    (gate_home.folder / "state").mkdir()
    assert [save(gate_home).code for _ in range(2)] == [1, 1]
    records = gate_home.log()
    assert [record["verdict"] for record in records if "rule" in record] == ["refuse"] * 2
    [fault] = [record for record in records if "fault" in record]
    assert "Is a directory" in fault["fault"]


def test_an_unusable_decision_log_changes_no_form_verdict(gate_home: Home) -> None:
    gate_home.activate(policy(VIEWS))
    (gate_home.folder / "decisions.jsonl").mkdir()
    assert save(gate_home).code == 1
    assert gate_home.counts()["refused"] == 1
