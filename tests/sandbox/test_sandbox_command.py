"""Tests of `p4warden sandbox`: it starts a sandbox server and prints settings to connect.

Also of a sandbox that behaves like the server in a report of `p4warden prove`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from P4 import P4

from p4warden_sandbox import Sandbox
from p4warden_sandbox.subcommand import p4_program

PROGRAM = [sys.executable, "-m", "p4warden", "sandbox"]
REPORT = {
    "sandbox": {
        "release": "2026.1",
        "variants": {"security": "by-default", "killed": "failure", "killed-by": "magic"},
        "without_variant": ["rows.sync-narrow"],
    }
}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "ann, bob, build   P4USER=ann p4 info; no password is needed\n"),
        (["--like", "2026.1"], "ann, bob, build   P4USER=ann p4 info; a ticket is in P4TICKETS\n"),
    ],
)
def test_every_user_can_connect_with_the_printed_settings(
    options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = printed_by(options, monkeypatch)
    assert message in text
    assert "carol             as the super user p4 login carol, which issues a ticket;\n" in text


def test_option_like_report_applies_a_report_and_lists_behaviours_without_variant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(REPORT), "utf-8")
    output = printed_by(["--like-report", str(file)], monkeypatch)
    assert "No variant imitates rows.sync-narrow, killed-by=magic." in output
    assert "a ticket is in P4TICKETS" in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "that is not a JSON report of p4warden prove"),
        ('{"sandbox": {"variants": 1}}', "that is not a JSON report of p4warden prove"),
        ("[", "Expecting value"),
        ('{"sandbox": {"release": "1999.1", "variants": {}}}', "server version '1999.1'"),
    ],
)
def test_an_invalid_report_is_reported_in_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, "utf-8")
    command = [*PROGRAM, "--like-report", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert f"{file}: " in result.stderr
    assert message in result.stderr


def printed_by(options: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run `p4warden sandbox`, connect with the settings it prints; return its standard error."""
    command = [*PROGRAM, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            lines = [process.stdout.readline().rstrip() for _ in range(3)]
            settings = dict(line.split("=", 1) for line in lines)
            port, tickets = settings["P4PORT"], settings["P4TICKETS"]
            for user in (settings["P4USER"], "ann"):
                with P4(port=port, user=user, ticket_file=tickets).connect() as p4:
                    assert p4.run("clients") == []
            monkeypatch.setenv("P4TICKETS", tickets)
            log_in = p4_program.main(["-p", port, "-u", settings["P4USER"], "login", "carol"])
            assert log_in == 0
            with P4(port=port, user="carol", ticket_file=tickets).connect() as p4:
                assert p4.run("clients") == []
        finally:
            process.terminate()
        text = str(process.stderr.read())
        assert process.wait() == 0
    return text


def test_the_printed_lines_run_in_a_shell_and_provide_a_p4_program() -> None:
    # A PATH without a real `p4` program, so that the `p4` that the sandbox brings is used.
    programs = {**os.environ, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    if shutil.which("p4", path=programs["PATH"]):
        pytest.skip("this host has a p4 of its own")
    with subprocess.Popen(PROGRAM, text=True, env=programs, **pipes) as process:  # type: ignore[call-overload]
        try:
            exports = "".join(process.stdout.readline() for _ in range(5))
            assert exports.splitlines()[3] == "export P4PORT P4USER P4TICKETS"
            script = (
                f"{exports}\np4 -u ann -c ws client -o | p4 -uann -c ws client -i && p4 clients\n"
                "P4EDITOR='sed -i s/nowhere/here/' P4CLIENT=ws p4 -u ann client\n"
                "p4 nonsense; echo code $?; p4 triggers -o | tail -3\n"
                "P4EDITOR=/no/editor p4 -u ann client ws; p4 info | :\n"
            )
            result = subprocess.run(
                ["sh", "-c", script], capture_output=True, text=True, check=True, env=programs
            )
        finally:
            process.terminate()
    assert "Client ws saved." in result.stdout
    assert "... client ws\n" in result.stdout
    assert "code 1" in result.stdout
    assert "Triggers:" in result.stdout
    assert "/no/editor: no such program; set P4EDITOR" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_user_sets_a_password_and_logs_in_with_the_sandboxs_p4(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["", "First-one-1", "First-one-1", "First-one-1"])
    monkeypatch.setattr("getpass.getpass", lambda _question: next(answers))
    monkeypatch.setenv("P4TICKETS", str(sandbox.tickets_file))
    ann = ["-p", sandbox.port, "-u", "ann"]
    assert p4_program.main([*ann, "passwd"]) == 0
    assert p4_program.main([*ann, "clients"]) == 1
    assert p4_program.main([*ann, "login"]) == 0
    assert p4_program.main([*ann, "clients"]) == 0
    assert next(answers, None) is None
