"""Tests of what `status` and `doctor` say about the account with which triggers ask the server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from p4warden.home import server_account
from p4warden_sandbox.subcommand import p4_program
from support.examples import long_but
from support.pasted import paste, remedies
from support.policies import POLICY

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.warden import Warden

DEPOTS = "  - {name: depots, rule: limit_depot_count, mode: enforce, max: 99}"
ASKING = "  - {name: few-tops, rule: limit_top_directories, mode: enforce, max: 9}\n"


def record(warden: Warden, **values: str) -> None:
    home = str(warden.home)
    server_account.write(home, server_account.read(home) | values)


@pytest.mark.parametrize(
    ("on_error", "effect"), [("deny", "refused"), ("allow", "allowed unjudged")]
)
def test_the_effect_of_a_lost_login_is_said(
    on_error: str, effect: str, server: Server, warden: Warden
) -> None:
    warden.install(POLICY.replace("rules:\n", f"on_error: {on_error}\nrules:\n") + ASKING)
    record(warden, user="carol")
    output = warden.must("doctor", code=1)
    assert (
        "bad: answer: triggers cannot ask the server: submits and shelves that few-tops would "
        f"judge are {effect} (on_error: {on_error}); all else is judged as usual\n"
    ) in output
    login = f"P4TICKETS={server.tickets_file} p4 -p {server.port} -u carol login\n"
    assert f"bad: account: carol@{server.port}: not logged in\n    {login}" in output
    status = warden.must("status", code=1)
    assert ("\nWithout delay: let everybody work " in status) == (on_error == "deny")
    assert f"\nWithout delay: {login}" in status
    if on_error == "deny":
        [off] = remedies(warden, 1)["answer"]
        paste(warden, f"{off} --for 2h")
        assert off == f"p4warden off --home {warden.home}"


def test_while_off_a_lost_login_refuses_nobody(warden: Warden) -> None:
    warden.install(POLICY.replace("rules:\n", "on_error: deny\nrules:\n") + ASKING)
    record(warden, user="carol")
    warden.must("off")
    output = warden.must("doctor", code=1)
    effect = "p4warden is off, so p4d allows everything; once it is on, submits and shelves "
    assert f"bad: answer: triggers cannot ask the server: {effect}" in output
    assert "p4warden off --home" not in output


@pytest.mark.parametrize("rule", ["", ASKING])
def test_limits_of_the_accounts_groups_are_lifted_for_it_alone(
    server: Server, warden: Warden, connect: ClientFactory, rule: str
) -> None:
    warden.install(POLICY + rule)
    admin = connect(server, user=server.super_user)
    admin.save_group({"Group": "inner", "Users": [server.super_user], "MaxScanRows": "unlimited"})
    limits = {"MaxResults": "5000", "MaxScanRows": "900", "MaxLockTime": "30000"}
    admin.save_group({"Group": "outer", "Subgroups": ["inner"], **limits})
    admin.save_group({"Group": "more", "Users": [server.super_user], "MaxResults": "70000"})
    account = f"{server.super_user}@{server.port}"
    line = (
        f"warning: limits: {account} has MaxResults 70,000 and MaxLockTime 30,000, beyond which "
        "the server ends what it is asked: large submits and shelves that few-tops would judge "
        "get the on_error answer\n"
    )
    assert (line in warden.must("doctor")) == bool(rule)
    if rule:
        [command] = remedies(warden, 0)["limits"]
        p4 = p4_program.write(warden.home.parent / "p4")
        warden.settings["PATH"] = f"{p4}:{os.environ['PATH']}"
        paste(warden, command)
        assert "limits" not in remedies(warden, 0)
        assert "MaxResults:\t5000" in admin.run("group", "-o", "outer", tagged=False)[0]


@pytest.mark.parametrize("rule", long_but([f"{DEPOTS}\n"], ["", f"{DEPOTS}\n"]))
def test_an_account_that_no_submit_needs_is_a_warning(
    server: Server, warden: Warden, rule: str
) -> None:
    warden.install(POLICY + rule)
    record(warden, port="127.0.0.1:1")
    output = warden.must("doctor")
    assert (
        "warning: account: 127.0.0.1:1: the server cannot be reached; users notice nothing: no "
        "rule asks the server for submits or shelves"
    ) in output
    assert ("; new depots are judged by the last p4warden refresh\n" in output) == bool(rule)
    [moved] = remedies(warden, 0)["account"]
    assert f"    if the server is at {server.port} now, let triggers ask it there:\n" in output
    paste(warden, moved)
    assert "account" not in warden.must("doctor")


def test_a_server_that_is_not_there_is_named_with_the_one_on_record(
    server: Server, warden: Warden
) -> None:
    warden.install(POLICY)
    port, warden.settings["P4PORT"] = warden.settings["P4PORT"], "127.0.0.1:1"
    output = warden.must("doctor", code=1)
    assert output.startswith(
        "bad: server: 127.0.0.1:1: the server cannot be reached; users notice nothing of that: "
        f"triggers ask {port}\n    change P4PORT to {port}, as of the last refresh:\n"
    )
    assert "unknown: triggers table: not read, for the reason at server\n" in output
    assert f"{server.super_user}@{port} can ask the server" in warden.must("status", code=1)
    paste(warden, "\n".join(remedies(warden, 1)["server"]))


def test_the_address_of_an_option_or_file_is_told_with_the_command_that_asks_the_known_server(
    warden: Warden,
) -> None:
    warden.install(POLICY)
    port = warden.settings["P4PORT"]
    output = warden.must("doctor", "--port", "127.0.0.1:1", code=1)
    assert f"    change the port to {port}, as of the last refresh:\n" in output
    [doctor] = remedies(warden, 1, "--port", "127.0.0.1:1")["server"]
    paste(warden, doctor)
    config = warden.home.parent / "p4config"
    config.write_text("P4PORT=127.0.0.1:1\n")
    warden.settings |= {"P4CONFIG": "p4config", "PWD": str(warden.home.parent)}
    output = warden.must("doctor", code=1)
    assert f"    change P4PORT in {config} to {port}, as of the last refresh:\n" in output
    [doctor] = remedies(warden, 1)["server"]
    paste(warden, doctor)


LISTENS = "whether p4d runs and listens there, this shows"


def test_of_a_dead_server_is_said_that_p4warden_is_not_the_cause(warden: Warden) -> None:
    warden.install(POLICY.replace("rules:\n", "on_error: deny\nrules:\n") + ASKING)
    record(warden, port="127.0.0.1:1")
    live, warden.settings["P4PORT"] = warden.settings["P4PORT"], "127.0.0.1:1"
    output = warden.must("doctor", code=1)
    found = remedies(warden, 1)
    [try_it], [try_first, off] = found["server"], found["answer"]
    assert output.startswith(
        "bad: server: 127.0.0.1:1: the server cannot be reached\n"
        f"    p4warden is not the cause; {LISTENS}:\n"
        f"      {try_it}\n"
        "bad: answer: the server answers neither this command nor triggers; if it answers nobody, "
        "p4warden off helps nobody; if it serves users nevertheless: submits and"
    )
    assert try_first == try_it
    assert f"\nWithout delay: p4warden is not the cause; {LISTENS}:\n  {try_it}\n" in warden.must(
        "status", code=1
    )
    assert try_it == "p4 -p 127.0.0.1:1 info"
    assert "bad: account: 127.0.0.1:1: the server cannot be reached\nwarning: " not in output
    p4 = p4_program.write(warden.home.parent / "p4")
    warden.settings["PATH"] = f"{p4}:{os.environ['PATH']}"
    paste(warden, try_it.replace("127.0.0.1:1", live))
    paste(warden, off)


def test_an_address_is_not_taken_for_one_that_begins_or_ends_with_it(warden: Warden) -> None:
    warden.install(POLICY)
    record(warden, port="1")
    warden.settings["P4PORT"] = "127.0.0.1:1"
    assert "    change P4PORT to 1, as of the last refresh:\n" in warden.must("doctor", code=1)


def test_the_file_that_names_a_wrong_server_is_named(warden: Warden) -> None:
    config = warden.home.parent / "p4config"
    config.write_text("P4PORT=127.0.0.1:1\n")
    del warden.settings["P4PORT"]
    warden.settings |= {"P4CONFIG": "p4config", "PWD": str(warden.home.parent)}
    output = warden.must("refresh", code=1)
    assert output.endswith(f"; check P4PORT in {config}, and that p4d is running\n")


@pytest.mark.state(protections="filled")
def test_refresh_by_a_user_without_super_access_keeps_the_account(warden: Warden) -> None:
    warden.install(POLICY)
    before = {file.name: file.read_bytes() for file in warden.home.glob("*.json")}
    output = warden.must("refresh", "--user", "ann", code=1)
    assert "this needs an account with super access, which sees every depot; nothing was" in output
    assert {file.name: file.read_bytes() for file in warden.home.glob("*.json")} == before


def test_refresh_says_that_another_account_asks_from_now_on(
    server: Server, warden: Warden
) -> None:
    warden.install(POLICY)
    record(warden, user="carol")
    now = f"{server.super_user}@{server.port}"
    assert warden.must("refresh").endswith(
        f"server.json: triggers ask the server as {now} from now on, no longer as "
        f"carol@{server.port}\n"
    )
    assert "no longer as" not in warden.must("refresh")


@pytest.mark.state(protections="filled")
def test_verify_without_super_access_makes_no_client(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    assert "needs an account with super access" in warden.must(
        "deploy", "verify", "--user", "ann", code=1
    )
    assert "trial" not in {file.name for file in warden.home.iterdir()}
    assert "p4warden-trial-" not in warden.must("doctor")
    assert connect(server, user=server.super_user).run("clients", "-e", "p4warden-*") == []
