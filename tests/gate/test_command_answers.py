"""Tests of the gate's replies to p4d about commands whose arguments or program a rule forbids.

Also of related cases, such as decision records, missing facts and exemptions.
"""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from gate.program import GO_ON, GateReply, Home, policy, rate, rule
from support.refusal_text import without_id

SCOPE: dict[str, Any] = {
    "name": "no-wide-fstat",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": ["fstat", "login"],
    "min_depth": 1,
}
PROGRAM: dict[str, Any] = {
    "name": "no-old-p4v",
    "rule": "block_client_program",
    "mode": "enforce",
    "commands": ["fstat"],
    "programs": [{"program": "P4V", "below": "2019.2", "advice": "Get it from the shop."}],
}
OLD = ("--version=v76", "--prog=P4V/NTX64/2014.1/888424")


def shown(reply: GateReply) -> GateReply:
    return reply._replace(text=without_id(reply.text))


def test_the_refusal_of_a_wide_argument_proposes_a_narrower_path(gate_home: Home) -> None:
    gate_home.activate(policy(SCOPE, help_url="https://wiki.example.com/p4"))
    assert gate_home.fstat("--args=-m 10 //depot/main/...") == GO_ON
    assert shown(gate_home.fstat("--args=-m 10 //depot/...")) == GateReply(
        1,
        "Argument 3 of your command p4 fstat (//depot/...) asks for all of //depot; name at "
        "least one directory below it.\n"
        "Name only the directories you work on, for example:\n"
        "  //depot/DIRECTORY/...\n"
        'Put a name in place of DIRECTORY; this lists the names: p4 dirs "//depot/*"\n'
        "Questions: admins@example.com\n"
        "The policy: https://wiki.example.com/p4\n"
        "p4warden: rule=no-wide-fstat limit=1 value=0\n",
    )


def test_the_refusal_of_an_old_program_names_the_required_version(gate_home: Home) -> None:
    gate_home.activate(policy(PROGRAM))
    assert gate_home.fstat("--prog=P4V/NTX64/2019.2/1904275") == GO_ON
    assert shown(gate_home.fstat(*OLD)) == GateReply(
        1,
        "Your program (P4V/NTX64/2014.1/888424) is version 2014.1"
        "; this server requires version 2019.2 or later.\n"
        "Get it from the shop.\n"
        "Questions: admins@example.com\n"
        "p4warden: rule=no-old-p4v limit=2019.2 value=2014.1\n",
    )


def test_records_of_scope_and_program_refusals_have_all_fields(gate_home: Home) -> None:
    gate_home.activate(policy(SCOPE, PROGRAM))
    gate_home.fstat("--client=ws", "--args=//depot/...")
    gate_home.fstat("--client=ws", *OLD, "--args=//depot/main/...")
    scope, program = gate_home.log()
    assert scope.pop("time") <= program.pop("time")
    assert all(0 < record.pop("took_s") < 5 for record in (scope, program))
    assert scope.pop("id") != program.pop("id")
    assert scope.pop("args_id") != program.pop("args_id")
    common = {"event": "command", "client": "ws", "user": "ann", "command": "fstat"}
    common |= {"verdict": "refuse", "policy": "0123456789ab"}
    assert scope == common | {
        "rule": "no-wide-fstat",
        "kind": "limit_command_scope",
        "summary": "a command covers more of a depot than the policy allows",
        "detail": "Argument 1 (//depot/...) asks for all of //depot; "
        "name at least one directory below it",
        "value": 0,
        "limit": 1,
    }
    assert program == common | {
        "prog": "P4V/NTX64/2014.1/888424",
        "version": "v76",
        "rule": "no-old-p4v",
        "kind": "block_client_program",
        "summary": "a blocked program sent a command",
        "detail": "Program (P4V/NTX64/2014.1/888424) is version 2014.1; "
        "this server requires version 2019.2 or later",
        "value": "2014.1",
        "limit": "2019.2",
    }


def test_commands_with_unknown_arguments_or_versions_are_allowed_and_counted(
    gate_home: Home,
) -> None:
    gate_home.activate(policy(SCOPE, PROGRAM))
    assert gate_home.fstat() == GO_ON
    assert gate_home.fstat("--version=%clientversion%", "--prog=P4V", "--args=a.c") == GO_ON
    assert gate_home.counts()["unknown"] == 2
    assert gate_home.log() == []


def test_rules_in_mode_observe_or_off_allow_a_command(gate_home: Home) -> None:
    gate_home.activate(policy({**SCOPE, "mode": "observe"}, {**PROGRAM, "mode": "off"}))
    assert gate_home.fstat(*OLD, "--args=//depot/...") == GO_ON
    [record] = gate_home.log()
    assert (record["verdict"], record["rule"]) == ("observe", "no-wide-fstat")


def test_an_exemption_applies_to_its_rules_only_and_rescue_commands_pass(gate_home: Home) -> None:
    exemption = {
        "for": {"users": ["svc_*"]},
        "reason": "r",
        "owner": "o",
        "rules": ["no-wide-fstat"],
    }
    gate_home.activate(policy(SCOPE, PROGRAM, exemptions=[exemption]))
    assert gate_home.fstat("--args=//depot/...", user="svc_ci") == GO_ON
    assert gate_home.fstat(*OLD, "--args=//depot/...", user="svc_ci").code == 1
    words = ("--on-error=deny", "--user=ann", "--command=user-login", "--args=//depot/...")
    assert gate_home.run("command", *words) == GO_ON


def test_a_refused_command_does_not_count_for_a_rate(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user")), SCOPE))
    assert gate_home.fstat("--args=//depot/...").code == 1
    assert gate_home.fstat("--args=//depot/main/...") == GO_ON
    text = gate_home.fstat("--args=//depot/...").text
    assert text.startswith("Your command p4 fstat was sent too often: ")
    assert "Try again" not in text
    assert "retry-after" not in text.splitlines()[-1]


@pytest.mark.parametrize("depots", [{"depot": {"type": "local"}}, {}])
def test_a_client_named_like_a_depot_in_the_facts_is_judged_as_that_depot(
    gate_home: Home, depots: dict[str, Any]
) -> None:
    gate_home.know({"depots": depots})
    gate_home.activate(policy(SCOPE))
    assert gate_home.fstat("--client=depot", "--args=//depot/...").code == len(depots)
    assert gate_home.fstat("--client=ws", "--args=//ws/...") == GO_ON


def test_arguments_and_programs_in_a_refusal_are_printable_ascii_and_cut(gate_home: Home) -> None:
    block = {**PROGRAM, "programs": [{"program": "*"}]}
    for kind, word in ((SCOPE, "--args=//depot/\x1b[31m\u20ac...{}*"), (block, "--prog=\x1b{}")):
        gate_home.activate(policy(kind))
        code, text = gate_home.fstat(word.format("x" * 4000))
        assert code == 1
        assert text.replace("\n", "").isprintable()
        assert text.isascii()
        assert len(text) < 1000


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({**SCOPE, "min_depth": -1}, "rule no-wide-fstat: invalid value"),
        ({**SCOPE, "depots": {"depot": 21}}, "rule no-wide-fstat: 21 directories are over 20"),
        ({**PROGRAM, "programs": [{"program": "x", "below": "2019"}]}, '"2019" is not a version'),
        ({**PROGRAM, "programs": "x"}, "rule no-old-p4v: invalid type"),
    ],
)
def test_invalid_rule_settings_are_reported_by_check(
    gate_home: Home, settings: dict[str, Any], problem: str
) -> None:
    with pytest.raises(subprocess.CalledProcessError) as error:
        gate_home.activate(policy(settings))
    assert problem in error.value.stderr.decode()


def test_arguments_have_a_fingerprint_in_the_log_and_are_there_if_the_policy_asks(
    gate_home: Home,
) -> None:
    gate_home.activate(policy(SCOPE))
    gate_home.fstat("--args=-Ob //depot/...")
    gate_home.fstat("--args=-Ob //depot/...", user="bob")
    gate_home.fstat("--args=//depot/...", user="cat")
    first, again, other = (record["args_id"] for record in gate_home.log())
    assert first == again != other
    assert not any("args" in record for record in gate_home.log())
    gate_home.activate(policy(SCOPE, log_arguments=True))
    gate_home.fstat(f"--args=//depot/... {'x' * 200}", user="dan")
    record = gate_home.log()[-1]
    assert record["args"].startswith("//depot/... xxx")
    assert record["args"].endswith("xxx... (cut)")
    assert len(record["args"]) == 160 + len("... (cut)")
