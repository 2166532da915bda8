"""Tests of `p4warden status` and `doctor` for good and for faulty installations."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.home import off_mark
from p4warden.policy import compiled
from support.examples import long_but
from support.pasted import advice, paste, remedies
from support.policies import POLICY
from support.triggers import line_words, write
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server


@pytest.fixture
def warden(server: Server, tmp_path: Path) -> Warden:
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    return warden


def wrong(warden: Warden, code: int = 0) -> dict[str, tuple[str, str]]:
    """Return the problems that `p4warden doctor` finds, as check name -> (message, remedy)."""
    results = json.loads(warden.must("doctor", "--json", code=code))
    return {check["name"]: (check["message"], check["remedy"]) for check in reversed(results)}


def test_status_and_doctor_report_no_fault_of_a_good_installation(warden: Warden) -> None:
    output = warden.must("status")
    for part in (
        "programs        ",
        "policy.yaml is the active policy",
        "rules: 1 enforce; on_error: allow",
        "self-test       with a policy made for this test, the gate refuses a client ",
        "can ask the server, as for submits",
        "triggers table  1 p4warden line, as the policy requires; 0 lines of other tools",
        "other servers   no other server runs triggers",
    ):
        assert part in output, output
    problems = {name for name in wrong(warden) if name != "programs"}
    assert problems == set()


def test_a_yaml_file_that_was_edited_or_deleted_since_activation_is_reported(
    warden: Warden, tmp_path: Path
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY.replace("admins", "other admins"))
    output, remedy = wrong(warden)["YAML"]
    assert "was edited (" in output
    assert f"p4warden activate {file} --home" in remedy
    file.write_text("version: 1\n")
    assert "was edited and has" in wrong(warden)["YAML"][0]
    file.unlink()
    assert "the policy's source file, is missing" in wrong(warden)["YAML"][0]


def test_a_triggers_table_without_p4warden_lines_is_reported(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    write(admin, "Triggers:\n\tother form-save job /bin/true\n")
    output, remedy = wrong(warden, code=1)["triggers table"]
    assert output == "no p4warden lines are installed; the policy requires 1"
    assert "p4warden deploy plan" in remedy


def test_status_after_an_uninstall_reports_no_fault_and_no_enforcement(warden: Warden) -> None:
    warden.must("deploy", "uninstall", "--yes")
    assert "triggers table" not in wrong(warden)
    output = warden.must("status")
    assert re.search(
        r"triggers table +uninstalled on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: no p4warden lines, ",
        output,
    )
    assert "stored but inactive since the uninstall" in output
    assert "enforce" not in output


def test_trigger_lines_that_differ_from_the_policy_are_reported(warden: Warden) -> None:
    warden.activate(POLICY.replace("[client]", "[branch, label]"))
    assert wrong(warden, code=1)["triggers table"][0] == (
        "3 lines differ from the policy (p4warden.form-save.branch and 2 more)"
    )


def test_a_switch_off_old_facts_and_a_world_writable_home_folder_are_reported(
    warden: Warden,
) -> None:
    warden.must("off")
    assert wrong(warden, code=1)["switch"][1].startswith("p4warden on")
    warden.must("on")
    warden.must("off", "--for", "2h", "--reason", "a storm")
    output = wrong(warden, code=1)["switch"][0]
    assert output.startswith("switched off until ")
    assert output.endswith(" (a storm)")
    off_mark.mark_off(str(warden.home), int(time.time()) - 60)
    assert "switch" not in wrong(warden)
    assert "on: the timed switch-off ended at " in warden.must("status")
    warden.must("on")
    old_s = time.time() - 3 * 86400
    os.utime(warden.home / "facts.json", (old_s, old_s))
    assert wrong(warden)["facts"][0].endswith("refreshed 3 days ago")
    warden.home.chmod(0o777)
    assert "others have write access to" in wrong(warden, code=1)["home folder"][0]
    warden.home.chmod(0o700)


def test_a_damaged_policy_and_an_unusable_state_file_are_reported(
    warden: Warden, tmp_path: Path
) -> None:
    policy = warden.home / compiled.FILE_NAME
    policy.write_bytes(policy.read_bytes()[:-2])
    (warden.home / "state").unlink(missing_ok=True)
    (warden.home / "state").mkdir()
    found = wrong(warden, code=1)
    assert found["policy"] == (
        f"{policy}: it cannot be read: it is not as p4warden wrote it",
        f"p4warden activate {tmp_path}/policy.yaml --home {warden.home}",
    )
    output, remedy = found["gate"]
    assert output == f"state: {warden.home}/state: Is a directory"
    for command in (found["policy"][1], *advice(remedy)):
        paste(warden, command)
    assert wrong(warden).keys() <= {"programs"}


def test_a_fault_is_a_warning_for_one_day(warden: Warden) -> None:
    options = [f"--home={warden.home}", "--type=client", f"--form={warden.home}/no-such-form"]
    program = [gate_program.find(), *line_words("form-save", *options, "--user=ann")]
    assert subprocess.run(program, check=False).returncode == 0
    output, remedy = wrong(warden)["counts"]
    assert re.search(
        r", 1 fault, the last \d{4}-\d\d-\d\d \d\d:\d\d "
        r"\(over, as far as the other checks tell\): .*no-such-form",
        output,
    )
    [report] = advice(remedy)
    assert "no-such-form" in paste(warden, report)
    (warden.home / "facts.json").write_text("{")
    assert "over, " not in wrong(warden, code=1)["counts"][0]
    paste(warden, f"p4warden refresh --home {warden.home}")
    log = warden.home / "decisions.jsonl"
    log.write_text(json.dumps({"time": time.time() - 100_000, "fault": "x"}) + "\n")
    assert "counts" not in wrong(warden)
    log.unlink()
    assert "1 fault; the log no longer has their records\n" in warden.must("status")


def test_a_decision_log_that_cannot_be_written_is_reported(warden: Warden) -> None:
    (warden.home / "decisions.jsonl").unlink(missing_ok=True)
    (warden.home / "decisions.jsonl").mkdir()
    assert "cannot be written" in wrong(warden, code=1)["decision log"][0]


def test_status_begins_with_the_worst_and_ends_with_an_error(warden: Warden) -> None:
    (warden.home / "decisions.jsonl").unlink(missing_ok=True)
    (warden.home / "decisions.jsonl").mkdir()
    old_s = time.time() - 3 * 86400
    os.utime(warden.home / "facts.json", (old_s, old_s))
    checks = json.loads(warden.must("status", "--json", code=1))
    states = [check["state"] for check in checks]
    assert states == sorted(states, key=["bad", "warning", "unknown", "good"].index)
    assert {*states} >= {"bad", "warning", "good"}
    assert [check for check in checks if check["state"] != "good"] == json.loads(
        warden.must("doctor", "--json", code=1)
    )
    [away] = advice(wrong(warden, code=1)["decision log"][1])
    paste(warden, away)
    assert "decision log" not in wrong(warden)


@pytest.mark.parametrize("content", long_but([None], [None, "{"]), ids=["missing", "damaged"])
def test_what_forms_get_without_a_usable_baseline_is_said(
    warden: Warden, content: str | None
) -> None:
    file = warden.home / "baseline.json"
    warden.activate(POLICY.replace("mode: enforce", "mode: enforce, baseline: true"))
    if content:
        file.write_text(content)
        file.chmod(0o600)
    found = wrong(warden, code=1)
    assert found["answer"][0] == (
        "there is no usable baseline: forms to which no-whole-depot would object are allowed "
        "unjudged (on_error: allow); all else is judged as usual"
    )
    assert found["census"][0].startswith(f"{file}: ")
    paste(warden, found["census"][1])
    assert "answer" not in wrong(warden)


def test_doctor_without_an_installation_reports_missing_home_folder_and_policy(
    server: Server, tmp_path: Path
) -> None:
    bare = wrong(Warden(server, tmp_path), code=1)
    assert "does not exist" in bare["home folder"][0]
    assert bare["policy"][0] == "no policy yet; p4warden init drafts one"
    assert bare["policy"][1].startswith("p4warden init --output policy.yaml")
    assert advice(bare["ready"][1])[0].startswith("p4warden activate POLICY --home ")
    assert bare["gate"][0] == "not tested with a home folder: it does not exist"


def test_a_file_that_the_gate_cannot_use_is_moved_away(warden: Warden) -> None:
    (warden.home / "admitted.json").mkdir()
    [command] = remedies(warden, 1)["gate"]
    paste(warden, command)
    assert (warden.home / "admitted.json.aside").is_dir()
    assert "bad: gate" not in warden.run("doctor").output


def test_a_home_folder_that_cannot_be_accessed_is_reported(server: Server, tmp_path: Path) -> None:
    # A folder that even root cannot open, because its path is too long.
    long_path = "/closed" * 1_000
    output = Warden(server, tmp_path).run("status", "--home", long_path, home=False).output
    assert f"bad: {long_path} cannot be accessed: File name too long" in output
    assert "a defect of p4warden" not in output


def test_text_on_standard_input_is_no_dictionary_of_the_server(warden: Warden) -> None:
    home = str(warden.home)
    command = [sys.executable, "-m", "p4warden", "doctor", "--home", home, "--port", "localhost:1"]
    process = subprocess.run(command, input=b"yes\n", capture_output=True, check=False)
    assert b"self-test" not in process.stdout


def test_status_names_who_may_change_the_members_of_groups_in_the_policy(
    warden: Warden, server: Server, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    for name, owners, inner in (
        ("ci-linux", ["paula"], ["ci-inner"]),
        ("ci-inner", ["ivan"], []),
        ("ci-plain", [], []),
        ("trusted", ["tom"], []),
        ("new", ["nina"], []),
        ("others", ["olga"], []),
    ):
        group = {"Group": name, "Users": ["bob"], "Owners": owners, "Subgroups": inner}
        admin.save_group(group)
    warden.must("refresh")
    assert "group owners" not in warden.must("status")
    exemptions = (
        "exemptions:\n"
        "  - {groups: [ci-*], reason: r, owner: o}\n"
        "  - {not: {classes: [people]}, servers: [edge], reason: r, owner: o}\n"
        "classes: {people: {groups: [trusted]}}\n"
    )
    policy = POLICY.replace("rules:\n", f"{exemptions}rules:\n")
    warden.activate(policy.replace("forms: [client]", "forms: [client], for: {groups: [new]}"))
    assert (
        "their owners may change who is in the groups of the policy: "
        "ci-inner (ivan), ci-linux (ivan and paula), new (nina) and trusted (tom)\n"
    ) in warden.must("status")
