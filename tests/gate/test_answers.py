"""Tests of the gate's replies to p4d about commands, and of the records in the decision log.

Also of conditions such as `p4warden off`, pressure, groups, and waiting commands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from gate.program import GO_ON, GateReply, Home, policy, rate, rule
from p4warden.home import off_mark

CASES = Path(__file__).parents[1] / "cases"
NEVER_LIMITED = json.loads((CASES / "never_limited" / "commands.json").read_text("utf-8"))["never"]
HELP = {"help_url": "https://wiki.example.com/p4"}


def test_a_rate_refusal_names_the_limit_the_retry_time_and_the_contact(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", allow="50 per 1h", burst=2)), **HELP))
    assert [gate_home.fstat(), gate_home.fstat()] == [GO_ON, GO_ON]
    code, text = gate_home.fstat()
    first, advice, contact, page, last = text.splitlines()
    assert code == 1
    assert first.startswith(
        "Your command p4 fstat was sent too often: the limit for each user is 2 at once, then "
        "50 per hour. Try again in 7"
    )
    assert advice == (
        "Run this command less often; a program that polls can ask at longer intervals, or once "
        "for all its jobs."
    )
    assert contact == "Questions: admins@example.com"
    assert page == "The policy: https://wiki.example.com/p4"
    fields = dict(field.split("=") for field in last.removeprefix("p4warden: ").split())
    assert {key: fields[key] for key in ("rule", "limit", "value")} == {
        "rule": "polling",
        "limit": "50/h",
        "value": "3",
    }
    assert 60 < float(fields["retry-after"]) <= 72


@pytest.mark.parametrize(
    ("per", "advice"),
    [
        ("user", "Run this command less often"),
        ("args", "The same question was asked again"),
        ("shape", "Send one command for a whole directory or for a list of files"),
    ],
)
def test_the_advice_of_a_rate_refusal_depends_on_the_key_of_the_limit(
    gate_home: Home, per: str, advice: str
) -> None:
    gate_home.activate(policy(rule(rate(per))))
    answers = [gate_home.fstat("--args=//depot/a") for _ in range(2)]
    assert advice in answers[1].text


def test_triggers_io_1_gives_a_refusal_as_a_one_line_message_with_exit_code_0(
    gate_home: Home,
) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    options = ("--on-error=deny", "--triggers-io=1", "--user=ann", "--command=user-fstat")
    dictionary = "user:ann\n"
    assert gate_home.run("command", *options, input=dictionary) == GateReply(0, "action:pass\n")
    code, text = gate_home.run("command", *options, input=dictionary)
    assert code == 0
    action, message = text.splitlines()
    assert action == "action:fail"
    assert message.startswith("message:Your command p4 fstat was sent too often: ")
    assert " / Questions: admins@example.com / p4warden: rule=polling " in message


def test_a_refusal_of_a_user_with_an_unprintable_name_is_short_printable_ascii(
    gate_home: Home,
) -> None:
    gate_home.activate(policy(rule(rate("client"))))
    user = "\x1b[31m\u20ac\n" + "x" * 4000
    answers = [gate_home.fstat(user=user) for _ in range(2)]
    text = answers[1].text
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert len(text) < 1000
    assert text.startswith("Your command p4 fstat was sent too often: ")
    [record] = gate_home.log()
    assert record["user"].startswith("\x1b[31m\u20ac\nxxx")


def test_the_record_of_a_rate_refusal_has_all_fields(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    for _ in range(2):
        gate_home.fstat("--ip=10.0.0.1", "--client=ws", "--prog=P4V/NTX64", "--args=-Ob //x")
    [record] = gate_home.log()
    wait = record.pop("retry_after_s")
    assert 3500 < wait <= 3600
    assert record.pop("time") > 1.7e9
    assert 0 < record.pop("took_s") < 5
    for name in ("id", "args_id"):
        assert re.fullmatch("[0-9a-z]{8}", record.pop(name))
    assert record == {
        "event": "command",
        "client": "ws",
        "prog": "P4V/NTX64",
        "ip": "10.0.0.1",
        "user": "ann",
        "command": "fstat",
        "verdict": "refuse",
        "rule": "polling",
        "kind": "limit_command_rate",
        "summary": "a command is sent more often than the policy allows",
        "detail": "fstat was sent too often: the limit for each user is one every hour",
        "value": 2,
        "limit": "1/h",
        "policy": "0123456789ab",
    }


def test_allowed_commands_are_counted_and_not_logged(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", burst=3))))
    for _ in range(3):
        gate_home.fstat()
    gate_home.run("command", "--user=ann", "--command=user-files")
    assert gate_home.counts()["allowed"] == 4
    assert gate_home.log() == []


def test_repeated_refusals_are_logged_once_per_user_and_then_counted(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), rule(rate("ip"), name="other", mode="observe")))
    start_s = time.time()
    for _ in range(31):
        gate_home.fstat()
    for _ in range(3):
        gate_home.fstat(user="bob")
    assert [record["user"] for record in gate_home.log()] == ["ann", "bob", "bob"]
    counts = gate_home.counts()
    assert (counts["allowed"], counts["observed"], counts["refused"]) == (1, 1, 32)
    entries = sorted(counts["owed"], key=lambda entry: str(entry["user"]))
    assert all(start_s - 0.001 <= entry.pop("time") <= time.time() for entry in entries)
    assert entries == [
        {"event": "command", "verdict": "refuse", "rule": "polling", "user": user, "count": count}
        for user, count in (("ann", 29), ("bob", 1))
    ]


def test_an_observed_refusal_is_logged_and_the_command_is_allowed(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"), mode="observe")))
    assert [gate_home.fstat() for _ in range(3)] == [GO_ON] * 3
    [record] = gate_home.log()
    assert (record["verdict"], record["would"]) == ("observe", "refuse")
    assert record["retry_after_s"] > 3500
    counts = gate_home.counts()
    assert counts["observed"] == 2
    assert [entry["would"] for entry in counts["owed"]] == ["refuse"]


def test_observed_delays_and_observed_refusals_are_distinguished(gate_home: Home) -> None:
    delay_rule = rule(rate("user"), mode="observe", action="delay", max_delay="60s")
    delay_rule["limits"][0]["allow"] = "1 per 25s"
    gate_home.activate(policy(delay_rule))
    assert [gate_home.fstat() for _ in range(6)] == [GO_ON] * 6
    delay_record, refusal_record = gate_home.log()
    assert (delay_record["would"], refusal_record["would"]) == ("delay", "refuse")
    assert 24 < delay_record["delay_s"] <= 25
    assert 74 < refusal_record["retry_after_s"] <= 75
    unwritten_counts = {entry["would"]: entry["count"] for entry in gate_home.counts()["owed"]}
    assert unwritten_counts == {"delay": 1, "refuse": 2}


def test_a_rule_with_delays_allows_or_delays_every_command(gate_home: Home) -> None:
    limit = rate("user", allow="1 per 20ms")
    gate_home.activate(policy(rule(limit, action="delay", max_delay="60s")))
    assert [gate_home.fstat() for _ in range(8)] == [GO_ON] * 8
    counts = gate_home.counts()
    assert counts["allowed"] + counts["delayed"] == 8


def test_at_most_16_commands_of_a_user_are_delayed_and_other_users_are_unaffected(
    gate_home: Home,
) -> None:
    limit = rate("user", allow="1 per 1s")
    gate_home.activate(policy(rule(limit, action="delay", max_delay="60s")))
    words = gate_home.line("command", "--command=user-fstat", "--user=ann")
    crowd = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(70)]
    try:
        until_s = time.monotonic() + 30
        while gate_home.decided() < len(crowd):
            assert time.monotonic() < until_s
        # One command of this user passes, at most 16 are delayed at a time, and all others are
        # refused; while the processes start, some of the delayed ones pass and others take their
        # slots.
        refusal_count = gate_home.counts()["refused"]
        assert 40 < refusal_count <= 53
        assert [gate_home.fstat(user="bob") for _ in range(2)] == [GO_ON] * 2
        assert gate_home.counts()["refused"] == refusal_count
    finally:
        for child in crowd:
            child.kill()
        texts = [child.communicate()[0] for child in crowd]
    assert "; 16 commands of this user are already waiting, and no more may wait" in "".join(texts)


@pytest.mark.parametrize("command", NEVER_LIMITED)
def test_rescue_commands_pass_despite_a_limit_a_damaged_state_or_a_missing_policy(
    gate_home: Home, command: str
) -> None:
    gate_home.activate(policy(rule(rate(burst=1), commands=[command, "fstat"])))
    gate_home.fstat()
    (gate_home.folder / "state").write_bytes(b"noise")
    words = ("--on-error=deny", "--user=ann", f"--command=user-{command}")
    assert gate_home.run("command", *words) == GO_ON
    (gate_home.folder / "policy.json").unlink()
    assert gate_home.run("command", *words) == GO_ON


def test_the_file_off_allows_every_event_while_the_file_exists(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    gate_home.fstat()
    assert gate_home.fstat().code == 1
    (gate_home.folder / "off").touch()
    assert gate_home.fstat() == GO_ON
    assert gate_home.run("form-save", "--on-error=deny", "--type=client") == GO_ON
    (gate_home.folder / "off").unlink()
    assert gate_home.fstat().code == 1


def test_the_file_off_with_an_end_time_allows_every_event_until_the_end(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), on_error="deny"))
    gate_home.fstat()
    now_s = int(time.time())
    off_mark.mark_off(str(gate_home.folder), now_s + 3600)
    assert gate_home.fstat() == GO_ON
    assert gate_home.run("form-save", "--on-error=deny", "--type=client") == GO_ON
    off_mark.mark_off(str(gate_home.folder), now_s - 1)
    assert gate_home.fstat().code == 1
    assert gate_home.run("form-save", "--on-error=deny", "--type=client").code == 1
    (gate_home.folder / "off").unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_off_owned_by_another_account_is_ignored(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    gate_home.fstat()
    (gate_home.folder / "off").touch()
    os.chown(gate_home.folder / "off", 12345, -1)
    assert gate_home.fstat().code == 1


def test_a_when_pressure_limit_applies_by_the_pressure_options_of_p4d(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", when_pressure="medium"))))
    low = ("--pressure-cpu=0", "--pressure-mem=low")
    medium = ("--pressure-cpu=low", "--pressure-mem=1")
    pressure_options = ("--pressure-cpu=%pressureCPU%", "--pressure-mem=")
    query = [low, low, pressure_options, pressure_options, medium, medium, low, pressure_options]
    assert [gate_home.fstat(*options).code for options in query] == [0, 0, 0, 0, 0, 1, 0, 0]


def test_without_pressure_options_the_pressure_of_the_kernel_applies(gate_home: Home) -> None:
    limits = rule(rate("user", when_pressure="high"))
    always = {"pressure": {"medium": 0, "high": 0}}
    gate_home.activate(policy(limits, **always))
    codes = [gate_home.fstat().code for _ in range(2)]
    assert codes == [0, 1] or not has_pressure_files()
    assert gate_home.fstat("--pressure-cpu=low").code == 0


def has_pressure_files() -> bool:
    try:
        return bool(Path("/proc/pressure/cpu").read_text("ascii"))
    except OSError:
        return False


def test_arguments_missing_from_the_trigger_line_are_unknown(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("args"))))
    assert [gate_home.fstat() for _ in range(3)] == [GO_ON] * 3
    assert gate_home.counts()["unknown"] == 3
    assert [gate_home.fstat("--args=").code for _ in range(2)] == [0, 1]


def test_exempt_groups_match_whole_words_of_the_groups_option(gate_home: Home) -> None:
    exemption = {"reason": "builds", "owner": "ci", "for": {"groups": ["build-farm"]}}
    gate_home.activate(policy(rule(rate("user")), exemptions=[exemption]))
    codes = [gate_home.fstat("--groups=dev build-farm all").code for _ in range(3)]
    assert codes == [0, 0, 0]
    assert [gate_home.fstat("--groups=dev build-farm2").code for _ in range(2)] == [0, 1]


def test_groups_separated_by_commas_match_an_exemption(gate_home: Home) -> None:
    exemption = {"reason": "builds", "owner": "ci", "for": {"groups": ["build-farm"]}}
    gate_home.activate(policy(rule(rate("user")), exemptions=[exemption]))
    codes = [gate_home.fstat("--groups=dev,build-farm,all").code for _ in range(3)]
    assert codes == [0, 0, 0]


@pytest.mark.parametrize("of_line", ["0", "1"])
def test_standard_input_decides_the_kind_of_reply_whatever_the_line_says(
    gate_home: Home, of_line: str
) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    options = ("--on-error=deny", f"--triggers-io={of_line}", "--user=ann", "--command=user-fstat")
    assert gate_home.run("command", *options, input="") == GO_ON
    code, text = gate_home.run("command", *options, input="")
    assert (code, text.startswith("Your command p4 fstat was sent too often: ")) == (1, True)
    code, text = gate_home.run("command", *options, input="user:ann\n")
    assert (code, text.startswith("action:fail\nmessage:Your command")) == (0, True)


def test_a_standard_input_that_stays_open_delays_the_reply_only_a_little(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user"))))
    options = ("--on-error=deny", "--triggers-io=0", "--user=ann", "--command=user-fstat")
    reader, writer = os.pipe()
    try:
        reply = gate_home.run("command", *options, stdin=reader, timeout=5)
    finally:
        os.close(reader)
        os.close(writer)
    assert reply == GO_ON
