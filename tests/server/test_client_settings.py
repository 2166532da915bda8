"""Tests of p4warden where the environment, P4CONFIG or P4ENVIRO has values that do not work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from p4warden.core.own_names import OWN_CLIENT
from p4warden.core.patterns import matches
from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY
from support.servers import errors

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.triggers import Install, Script
    from support.warden import Warden

ROOT = Path(__file__).parents[2]
NO_CHARSET = (
    "Perforce has no such character set; remove it, or set it to utf8, or to none for a server "
    "that is not in unicode mode"
)


def seldom(value: object) -> object:
    """Return a value of a parameter that only `make test-long` tries."""
    return pytest.param(value, marks=pytest.mark.long)


class Asked(NamedTuple):
    code: int
    output: str


class Asking:
    """p4warden in a process of its own, as P4Python reads the environment when it is loaded."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._folder = folder
        self._settings = {
            "P4PORT": server.port,
            "P4USER": server.super_user,
            "P4TICKETS": str(server.tickets_file),
            "P4ENVIRO": str(folder / "enviro"),
            "PWD": str(folder),
        }

    def __call__(self, *words: str, **variables: str) -> Asked:
        before = {name: value for name, value in os.environ.items() if name != "P4CHARSET"}
        process = subprocess.run(
            [sys.executable, "-m", "p4warden", *words],
            env={**before, **self._settings, **variables},
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            errors="backslashreplace",
        )
        return Asked(process.returncode, process.stdout)

    def refresh(self, **variables: str) -> Asked:
        return self("refresh", "--home", str(self._folder / "home"), **variables)


@pytest.fixture
def ask(server: Server, tmp_path: Path) -> Asking:
    return Asking(server, tmp_path)


@pytest.mark.parametrize("value", ["UTF8", "latin1"])
def test_an_unknown_character_set_is_named_with_its_variable(ask: Asking, value: str) -> None:
    assert ask.refresh(P4CHARSET=value) == (1, f"p4warden: P4CHARSET={value}: {NO_CHARSET}\n")


def test_an_unknown_character_set_is_named_with_its_file(ask: Asking, tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text("# mine\nP4EDITOR=vi\nP4CHARSET=latin1\n")
    line = f"p4warden: P4CHARSET=latin1 in {file}: {NO_CHARSET}\n"
    assert ask.refresh(P4CONFIG="settings", P4CHARSET="utf8") == (1, line)
    assert ask.refresh(P4ENVIRO=str(file)) == (1, line)


@pytest.mark.parametrize("value", ["shiftjis", *map(seldom, ("utf8", "winansi", "utf16", "auto"))])
@pytest.mark.parametrize("unicode", [False, True])
def test_every_known_character_set_serves_for_every_server(
    tmp_path: Path, value: str, *, unicode: bool
) -> None:
    with Sandbox(Settings(unicode=unicode)) as sandbox:
        assert Asking(sandbox, tmp_path).refresh(P4CHARSET=value).code == 0


@pytest.mark.parametrize(
    "variables",
    [
        {"P4CLIENT": "12345"},
        {"P4HOST": ".../x"},
        *map(
            seldom,
            (
                {"P4CLIENT": "a/b"},
                {"P4CLIENT": "//depot/..."},
                {"P4CLIENT": "a@b"},
                {"P4CLIENT": "*"},
                {"P4CLIENT": "\udcff"},
                {"P4HOST": "12345"},
                {"P4LANGUAGE": "\udcff"},
                {"P4TRUST": "/"},
                {"P4CONFIG": "/"},
                {"P4ENVIRO": "/"},
                {"P4DEBUG": "rpc=9"},
                {"P4COMMANDCHARSET": "nonsense"},
            ),
        ),
    ],
    ids=str,
)
def test_settings_that_p4warden_does_not_need_stop_nothing(
    ask: Asking, variables: dict[str, str]
) -> None:
    assert ask.refresh(**variables).code == 0
    assert ask("census", "--home", "home", **variables).code in (0, 1)


@pytest.mark.parametrize(
    "port", ["garbage", *map(seldom, (":", "1:2:3:4", "99999", "-1")), "rsh:/bin/false"]
)
def test_an_address_that_is_none_is_named(ask: Asking, port: str) -> None:
    remedy = "check P4PORT, and that p4d is running"
    assert ask.refresh(P4PORT=port) == (
        1,
        f"p4warden: {port}: the server cannot be reached; {remedy}\n",
    )


@pytest.mark.parametrize(
    ("option", "name"), [("--port", "--port or P4PORT"), ("--user", "--user or P4USER")]
)
def test_an_option_that_is_not_utf8_is_named(ask: Asking, option: str, name: str) -> None:
    assert ask("refresh", "--home", "home", option, "a\udcff") == (
        1,
        f"p4warden: {name}: a\\xff is not UTF-8; write it in UTF-8\n",
    )


@pytest.mark.state(security="3")
def test_a_folder_for_tickets_and_a_wrong_password_are_named(
    ask: Asking, server: Server, tmp_path: Path
) -> None:
    remedy = f"set it to a file, such as {tmp_path}/p4tickets"
    assert ask.refresh(P4TICKETS=str(tmp_path)) == (
        1,
        f"p4warden: P4TICKETS: {tmp_path} is a folder; {remedy}\n",
    )
    account = f"{server.super_user}@{server.port}"
    assert ask.refresh(P4PASSWD="wrong", P4TICKETS=str(tmp_path / "none")) == (
        1,
        f"p4warden: {account}: P4PASSWD is not this account's password; remove it\n",
    )


def test_a_host_with_a_numeric_name_stops_no_study(
    ask: Asking, server: Server, warden: Warden, connect: ClientFactory
) -> None:
    ann = connect(server)
    ann.input = "Client: wide\nOwner: ann\nRoot: /x\nView:\n\t//depot/... //wide/...\n"
    ann.run("client", "-i")
    warden.prepare(POLICY)
    home = ["--home", str(warden.home)]
    number = {"P4HOST": "12345"}
    assert "client wide" in ask("census", *home, **number).output
    assert "no-whole-depot" in ask("explain", "--spec", "client:wide", *home, **number).output
    words = ["rightsize", "--client", "wide", "--max-files", "9", *home]
    assert "1 client" in ask(*words, **number).output
    assert ask("deploy", "plan", *home, **number).code == 1


@pytest.mark.parametrize("client", ["12345", "a/b", "a@1", "a#b", "*", "...", "%%1", "-a"])
def test_the_sandbox_refuses_an_illegal_current_client_as_p4d_does(
    server: Server, connect: ClientFactory, client: str
) -> None:
    p4 = connect(server, client=client)
    assert "not allowed" in errors(p4, "depots")
    assert errors(p4, "info") == ""


def test_p4wardens_client_is_legal_and_does_not_exist(
    server: Server, connect: ClientFactory
) -> None:
    assert errors(connect(server, client=OWN_CLIENT), "depots") == ""
    assert connect(server, server.super_user).run("clients", "-e", OWN_CLIENT) == []


def test_no_shipped_policy_or_exemption_means_p4wardens_client() -> None:
    files = [*ROOT.glob("policies/*.yaml"), *ROOT.glob("triggers/p4warden/programs/known/*.yaml")]
    patterns = [
        pattern
        for file in files
        for names in re.findall(r"\bclients: \[([^\]]*)\]", file.read_text("utf-8"))
        for pattern in re.split(r"[\s,\"']+", names)
        if pattern
    ]
    assert patterns
    assert [one for one in patterns if matches(one, OWN_CLIENT)] == []


def test_every_command_names_p4wardens_client(
    server: Server, warden: Warden, install: Install, script: Script, tmp_path: Path
) -> None:
    names = tmp_path / "clients"
    program = script(f'echo "$1" >>{names}')
    line = f'log command pre-user- "{program} %quote%%client%%quote%"'
    install(server, line)
    warden.prepare(POLICY)
    warden.must("census", "--max-per-second", "5000")
    warden.must("tune", home=False)
    warden.must("deploy", "plan", code=1)
    warden.run("doctor")
    assert {*names.read_text().split()} == {OWN_CLIENT}
