"""Tests of `off`, `doctor`, `status` and `metrics` while p4d cannot start the gate.

p4d then refuses every event of p4warden's lines; the sandbox does the same.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden.home import locks, off_mark
from p4warden.server import present_table
from support.broken_gates import BROKEN, Host
from support.examples import long_but
from support.pasted import advice, checks, paste
from support.policies import POLICY
from support.triggers import write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = [pytest.mark.touches("table")]
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
NOBODY = 65534
PROGRAM = (sys.executable, "-I", "-m", "p4warden")


@pytest.fixture
def warden(server: Server, public_folder: Path, connect: ClientFactory) -> Warden:
    return Warden(server, public_folder, connect)


@pytest.fixture
def host(server: Server, warden: Warden, connect: ClientFactory, public_folder: Path) -> Host:
    warden.install(POLICY)
    host = Host(public_folder)
    host.name_in_the_table(server, warden, connect)
    return host


def give_away(warden: Warden) -> None:
    for path in (warden.home, *warden.home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


def save(p4: P4) -> list[str]:
    return p4.save_client({"Client": "ws", "Root": "/ws", "View": ["//depot/a/... //ws/..."]})


SCRIPT = (
    "p4d runs it as a shell script and allows every save of a client unjudged unless that fails"
)


def test_an_empty_program_is_said_to_allow_everything(
    server: Server, warden: Warden, connect: ClientFactory, host: Host
) -> None:
    host.replace_gate("")
    assert save(connect(server)) == ["Client ws saved."]
    assert f"p4warden-gate is empty; {SCRIPT}, whether " in warden.must("status", code=1)


@pytest.mark.parametrize("broken", long_but(["removed program", "no right to execute"], BROKEN))
def test_off_names_the_broken_program_and_a_way_out_that_works(
    server: Server, warden: Warden, connect: ClientFactory, host: Host, broken: str
) -> None:
    break_it, problem = BROKEN[broken]
    break_it(host)
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
    output = warden.must("off", code=1)
    assert off_mark.is_off(str(warden.home), time.time_ns())
    assert problem in output
    effect = SCRIPT if broken == "no program" else "p4d refuses every save of a client"
    assert f"{effect}, whether p4warden is on or " in output
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
    *_, take_out = advice(output)
    paste(warden, take_out)
    assert save(connect(server)) == ["Client ws saved."]


@pytest.mark.parametrize("broken", long_but(["removed program", "no interpreter"], BROKEN))
def test_doctor_status_and_metrics_report_a_broken_program(
    warden: Warden, host: Host, broken: str
) -> None:
    assert "\np4_warden_gate_starts 1\n" in warden.must("metrics")
    break_it, problem = BROKEN[broken]
    break_it(host)
    start = checks(warden, 1)["start"]
    assert start["state"] == "bad"
    assert problem in start["message"]
    assert f"p4warden deploy uninstall --home {warden.home}" in start["remedy"]
    assert problem in warden.must("status", code=1)
    assert "\np4_warden_gate_starts 0\n" in warden.must("metrics")


def test_metrics_of_the_installation_whose_gate_is_broken_are_written(
    server: Server,
    warden: Warden,
    connect: ClientFactory,
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert save(connect(server)) == ["Client ws saved."]
    host.add_programs()
    monkeypatch.setattr(sys, "executable", host.python)
    assert '\np4_warden_events_total{verdict="allow"} 1\n' in warden.must("metrics")
    host.gate.chmod(0o644)
    output = warden.must("metrics")
    assert "\np4_warden_gate_starts 0\n" in output
    assert "p4_warden_events_total" not in output


@AS_ROOT
def test_metrics_that_fail_for_another_reason_as_well_say_that_the_gate_does_not_start(
    warden: Warden, host: Host, tmp_path: Path
) -> None:
    file = tmp_path / "p4warden.prom"
    warden.must("metrics", "--output", str(file))
    assert "\np4_warden_gate_starts 1\n" in file.read_text()
    host.gate.unlink()
    give_away(warden)
    assert "belongs to nobody" in warden.must("metrics", "--output", str(file), code=1)
    assert "\np4_warden_gate_starts 0\n" in file.read_text()


def test_the_proposed_chmod_lets_the_gate_start_again(
    server: Server, warden: Warden, connect: ClientFactory, host: Host
) -> None:
    host.close()
    first, _ = advice(warden.must("off", code=1))
    assert first == f"chmod 755 {host.gate}"
    paste(warden, first)
    warden.must("on")
    assert save(connect(server)) == ["Client ws saved."]


def test_a_gate_that_crashes_is_reported(warden: Warden, host: Host) -> None:
    host.replace_gate("#!/bin/sh\nkill -11 $$\n")
    output = warden.must("off", code=1)
    assert f"{host.gate} is ended by signal 11 at once; p4d allows or refuses every " in output


@pytest.mark.long
def test_a_gate_that_hangs_is_waited_for_once(
    warden: Warden, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", host.python)
    host.replace_gate("#!/bin/sh\nexec sleep 100\n")
    problem = f"{host.gate} does not end within 3 s"
    effect = "p4d waits for it, without a time limit, at every save of a client"
    began_s = time.monotonic()
    output = warden.must("doctor", code=1)
    assert f"bad: start: {problem}; {effect}, whether p4warden is on or off. " in output
    assert f"bad: programs: {problem}\n" in output
    assert f"{problem}; {effect}" in warden.must("off", code=1)
    policy = str(warden.home.parent / "policy.yaml")
    for command in (["check", policy], ["activate", policy], ["evaluate"]):
        assert f"p4warden: {problem}; without it " in warden.must(*command, code=1)
    assert f"note: the counts of decisions are left out: {problem}; " in warden.must("metrics")
    assert time.monotonic() - began_s < 12  # of which 3 s are spent on the gate, once


def test_a_file_system_without_execution_is_reported_with_the_command_against_it(
    server: Server, warden: Warden, connect: ClientFactory, host: Host, noexec: Path
) -> None:
    host.move_to(noexec)
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
    output = warden.must("off", code=1)
    assert f"{host.gate} is on {noexec}, which is mounted noexec" in output
    first, _ = advice(output)
    paste(warden, first)
    warden.must("on")
    assert save(connect(server)) == ["Client ws saved."]


@AS_ROOT
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("closed", long_but(["home"], ["opt", "opt/current", "home"]))
def test_root_tests_as_the_account_of_p4d_which_may_not_enter_a_folder(
    warden: Warden, public_folder: Path, closed: str
) -> None:
    give_away(warden)
    warden.must("off")
    (public_folder / closed).chmod(0o600)
    output = warden.must("off", code=1)
    assert f"nobody may not enter {public_folder / closed}" in output
    first, _ = advice(output)
    paste(warden, first)
    warden.must("off")


@AS_ROOT
def test_root_starts_the_lines_of_the_last_deploy_as_the_account_of_p4d(
    warden: Warden, host: Host, silent_server: str
) -> None:
    give_away(warden)
    host.gate.unlink()
    warden.settings["P4PORT"] = silent_server
    output = warden.must("off", code=1)
    assert f"{host.gate} does not exist; p4d refuses " in output
    assert "warning" not in output


@AS_ROOT
def test_doctor_of_root_starts_the_programs_and_names_the_account_for_all_else(
    warden: Warden, host: Host
) -> None:
    give_away(warden)
    host.gate.unlink()
    found = json.loads(warden.must("doctor", "--json", code=1))
    assert [check["name"] for check in found] == ["start", "home folder"]
    assert f"{host.gate} does not exist; p4d refuses " in found[0]["message"]
    assert found[1]["message"] == f"{warden.home} belongs to nobody, so nothing else is checked"
    assert found[1]["remedy"] == "run this as nobody, p4d's account"


@AS_ROOT
def test_another_account_than_that_of_p4d_says_that_it_did_not_check(
    warden: Warden, host: Host
) -> None:
    host.gate.unlink()
    of_other = ["setpriv", "--reuid=1", "--clear-groups", *PROGRAM]
    if subprocess.run([*of_other, "--version"], check=False, capture_output=True).returncode:
        pytest.skip("this Python cannot be started by another account")
    process = subprocess.run(
        [*of_other, "status", "--home", str(warden.home)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **warden.settings, "HOME": "/"},
    )
    line = f"not checked here: run this as root, the account that {warden.home} belongs to"
    assert line in process.stdout


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def test_off_does_not_wait_for_a_silent_server_or_a_held_lock(
    warden: Warden, silent_server: str
) -> None:
    warden.install(POLICY)
    warden.settings["P4PORT"] = silent_server
    began_s = time.monotonic()
    with locks.file_lock(str(warden.home), "history.lock"):
        output = warden.must("off")
    assert time.monotonic() - began_s < present_table.WITHIN_S + 4
    assert "warning: not recorded in the history: " in output


def test_off_uses_the_lines_of_the_last_deploy_if_the_server_is_silent(
    warden: Warden, host: Host, silent_server: str
) -> None:
    warden.settings["P4PORT"] = silent_server
    warden.must("off")
    host.gate.unlink()
    assert f"{host.gate} does not exist; p4d refuses " in warden.must("off", code=1)


def test_lines_that_were_taken_out_by_hand_need_no_program(
    server: Server, warden: Warden, connect: ClientFactory, host: Host
) -> None:
    host.gate.unlink()
    write(connect(server, user=server.super_user), "Triggers:\n\tother form-save job /bin/true\n")
    warden.must("off")


@pytest.mark.parametrize("is_silent", [False, True], ids=["served", "silent"])
def test_a_home_that_was_last_changed_on_another_host_is_not_checked(
    warden: Warden, host: Host, silent_server: str, *, is_silent: bool
) -> None:
    host.gate.unlink()
    history = warden.home / "history.jsonl"
    name = json.dumps(socket.gethostname())
    history.write_text(history.read_text().replace(f'"host": {name}', '"host": "p4-other"'))
    if is_silent:
        warden.settings["P4PORT"] = silent_server
    here = f"{warden.home} was last changed on p4-other, but this is {socket.gethostname()}."
    assert f"Not checked here, whether p4d can start p4warden: {here}" in warden.must("off")
