"""Tests of clients that poll a server where p4warden limits the rate of commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden.asking.tables import rescue_commands
from p4warden_sandbox import Pressure, Sandbox, Settings
from support.pasted import paste
from support.triggers import write
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = [
    pytest.mark.touches(
        "args", "command-name", "command-pattern", "groups", "authentication", "unknown-variables"
    )
]

# Policy whose rate is so low that no command after the burst is allowed during a test.
POLICY = """\
version: 1
contact: "admins@example.com"
exemptions:
  - {{users: [p4admin], rules: [fstat-polling], reason: p4warden asks the server, owner: scm}}
  - {{groups: [build-farm], rules: [fstat-polling], reason: builds, owner: ci}}
rules:
  - name: fstat-polling
    rule: limit_command_rate
    mode: {mode}
    commands: [fstat, files]
    limits: [{{per: [{per}], allow: 1 per 1h, burst: 2{more}}}]
    {action}
"""
FILES = "//depot/main/..."


def policy(mode: str = "enforce", per: str = "user", more: str = "", action: str = "") -> str:
    return POLICY.format(mode=mode, per=per, more=more, action=action)


def passed(p4: P4, *commands: tuple[str, ...]) -> list[bool]:
    """Run p4 commands; return for each whether p4warden allowed it."""
    return [runs(p4, command) for command in commands]


def runs(p4: P4, command: tuple[str, ...]) -> bool:
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run(*command)
    return not any("rule=fstat-polling" in error for error in p4.errors)


FSTAT = ("fstat", FILES)


def test_a_polling_client_is_refused_with_a_retry_after_time(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(policy())
    p4 = connect(server)
    assert passed(p4, FSTAT, FSTAT) == [True, True]
    with pytest.raises(P4Exception) as error:
        p4.run(*FSTAT)
    first, *_, last = str(error.value).strip().splitlines()
    assert first.startswith(
        "'p4warden.command' validation failed: Your command p4 fstat was sent too often: "
    )
    assert "Questions: admins@example.com" in str(error.value)
    assert last.startswith("p4warden: rule=fstat-polling limit=1/h value=3 retry-after=3")


def test_a_limit_reached_by_one_user_affects_no_other_commands_or_users(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(policy())
    p4 = connect(server)
    assert passed(p4, FSTAT, FSTAT, FSTAT) == [True, True, False]
    assert passed(p4, ("dirs", "//depot/*"), ("clients",), ("info",)) == [True] * 3
    assert passed(connect(server, user="bob"), FSTAT, FSTAT, FSTAT) == [True, True, False]


def test_a_limit_in_observe_mode_refuses_no_command_and_logs_one_record(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(policy(mode="observe"))
    assert passed(connect(server), *[FSTAT] * 6) == [True] * 6
    assert [(r["verdict"], r["rule"], r["user"]) for r in warden.log()] == [
        ("observe", "fstat-polling", "ann")
    ]


def test_a_limit_per_client_and_args_counts_each_combination_separately(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(policy(per="user, client, args"))
    p4 = connect(server)
    assert passed(p4, FSTAT, FSTAT, FSTAT) == [True, True, False]
    assert passed(p4, ("fstat", "//depot/rel/...")) == [True]
    assert passed(connect(server, client="other"), FSTAT) == [True]


def test_a_command_with_a_delay_within_max_delay_is_allowed(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    text = policy(action="action: delay\n    max_delay: 3s").replace("1 per 1h", "1 per 400ms")
    warden.install(text)
    assert passed(connect(server), *[FSTAT] * 4) == [True] * 4
    assert warden.log()[0]["verdict"] == "delay"


def test_off_allows_all_commands_at_once_and_on_restores_the_limit(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(policy())
    p4 = connect(server)
    assert passed(p4, *[FSTAT] * 3) == [True, True, False]
    [on] = re.findall(r"everything\. (p4warden on .*) switches them on again", warden.must("off"))
    assert passed(p4, *[FSTAT] * 3) == [True] * 3
    paste(warden, on)
    assert passed(p4, FSTAT) == [False]


def test_user_names_ignore_case_on_a_case_insensitive_server(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings(case_sensitive=False)) as server:
        Warden(server, tmp_path).install(policy())
        assert passed(connect(server, user="ann"), FSTAT) == [True]
        assert passed(connect(server, user="ANN"), FSTAT) == [True]
        assert passed(connect(server, user="Ann"), FSTAT) == [False]


def test_a_limit_with_when_pressure_applies_only_under_enough_pressure(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox() as server:
        Warden(server, tmp_path).install(policy(more=", when_pressure: medium"))
        p4 = connect(server)
        server.set_pressure(Pressure(cpu="low", mem="0"))
        assert passed(p4, *[FSTAT] * 4) == [True] * 4
        server.set_pressure(Pressure(cpu="0", mem="medium"))
        assert passed(p4, *[FSTAT] * 4) == [True, True, False, False]
        server.set_pressure(Pressure(cpu="2", mem="low"))
        assert passed(p4, FSTAT) == [False]


def test_rescue_commands_are_never_limited(tmp_path: Path, connect: ClientFactory) -> None:
    """Test that the gate never limits rescue commands, even if the trigger line matches them.

    Rescue commands are those that administrators need to repair a server.
    """
    with Sandbox() as server:
        warden = Warden(server, tmp_path)
        warden.install(policy())
        admin = connect(server, user=server.super_user)
        form = admin.run("triggers", "-o", tagged=False)[0]
        write(admin, form.replace("pre-user-(fstat|files)$", "pre-user-"))
        p4 = connect(server)
        assert passed(p4, *[FSTAT] * 3) == [True, True, False]
        for command in sorted(rescue_commands()):
            assert passed(p4, *[(command, "-x")] * 4) == [True] * 4
