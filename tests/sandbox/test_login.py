"""Tests of passwords, logins, tickets and logouts on the sandbox server."""

import hashlib
import os
import socket
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings, UserSeed
from p4warden_sandbox.accounts import Accounts, Challenge
from p4warden_sandbox.wire import Message, Wire
from support.servers import ClientFactory, Server, refusal
from support.triggers import Install

WRONG = os.urandom(8).hex()
UNSET = "Perforce password (P4PASSWD) invalid or unset."


@pytest.fixture
def carol(server: Server, connect: ClientFactory, tmp_path: Path) -> P4:
    """Fixture: the connection of carol, a user with a password who has not logged in."""
    p4 = connect(server, "carol")
    p4.ticket_file = str(tmp_path / "tickets")
    return p4


def test_a_user_without_a_password_runs_commands_without_login(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox)

    assert p4.run_login() == ["'login' not necessary, no password set for user ann."]
    assert p4.run("clients") == []


def test_a_user_with_a_password_must_log_in_before_commands_run(server: Server, carol: P4) -> None:
    assert refusal(carol, "clients") == [UNSET]
    assert carol.run("info")[0]["userName"] == "carol"
    carol.password = WRONG
    assert refusal(carol, "clients") == [UNSET]
    carol.password = server.password_of("carol")
    carol.run_login()
    assert carol.run("clients") == []


def test_a_password_in_p4passwd_is_accepted_without_a_ticket(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    carol = connect(sandbox, "carol", password=sandbox.password_of("carol"))
    assert carol.run("clients") == []


def test_a_saved_ticket_is_accepted_in_place_of_the_password(
    server: Server, carol: P4, connect: ClientFactory, tmp_path: Path
) -> None:
    carol.password = server.password_of("carol")
    assert carol.run_login() == ["User carol logged in."]

    second_session = connect(server, "carol")
    second_session.ticket_file = str(tmp_path / "tickets")

    assert second_session.run("clients") == []
    (status,) = second_session.run("login", "-s")
    assert status["User"] == "carol"
    assert 43_000 < int(status["TicketExpiration"]) <= 43_200
    with second_session.while_tagged(t=False):
        (text,) = second_session.run("login", "-s")
    assert text.startswith("User carol ticket expires in 1")


def test_login_with_a_wrong_password_saves_no_ticket(carol: P4, tmp_path: Path) -> None:
    carol.password = WRONG

    with pytest.raises(P4Exception, match=r"Password invalid\."):
        carol.run_login()
    assert not (tmp_path / "tickets").exists()


def test_login_with_option_p_prints_a_ticket_that_works_as_password(
    server: Server, carol: P4, connect: ClientFactory
) -> None:
    carol.password = server.password_of("carol")
    ticket = carol.run_login("-p")[0]

    other = connect(server, "carol", password=ticket)

    assert len(ticket) == 32
    assert other.run("clients") == []


def test_logout_invalidates_the_ticket(
    server: Server, carol: P4, connect: ClientFactory, tmp_path: Path
) -> None:
    carol.password = server.password_of("carol")
    ticket = carol.run_login("-p")[0]
    carol.run_login()

    assert carol.run("logout") == ["User carol logged out."]

    assert "carol" not in (tmp_path / "tickets").read_text()
    assert refusal(connect(server, "carol", password=ticket), "clients") == [UNSET]
    assert refusal(connect(server, "carol"), "login", "-s") == [UNSET]


def test_login_of_an_unknown_user_is_refused(sandbox: Sandbox, connect: ClientFactory) -> None:
    assert refusal(connect(sandbox, "nobody"), "login") == ["User nobody doesn't exist."]


def test_only_the_super_user_can_issue_tickets_for_other_users(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(sandbox, sandbox.super_user)
    ticket = admin.run("login", "-p", "carol")[0]

    assert connect(sandbox, "carol", password=ticket).run("clients") == []
    assert refusal(connect(sandbox), "login", "-p", "carol") == [
        "You don't have permission for this operation."
    ]


def test_a_password_is_set_in_the_user_form(sandbox: Sandbox, connect: ClientFactory) -> None:
    admin = connect(sandbox, sandbox.super_user)
    secret = os.urandom(8).hex()
    admin.save_user({**admin.fetch_user("bob"), "Password": secret}, "-f")

    assert refusal(connect(sandbox, "bob"), "clients") == [UNSET]
    bob = connect(sandbox, "bob", password=secret)
    assert set(bob.fetch_user()["Password"]) == {"*"}
    assert bob.save_user({**bob.fetch_user(), "FullName": "Bob"}) == ["User bob saved."]
    assert connect(sandbox, "bob", password=secret).run("clients") == []


def test_only_the_first_16_bytes_of_a_password_are_compared(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(sandbox, sandbox.super_user)
    secret = "\xe9" * 9 + os.urandom(8).hex()
    admin.save_user({**admin.fetch_user("bob"), "Password": secret}, "-f")

    assert connect(sandbox, "bob", password=secret).run("clients") == []
    assert connect(sandbox, "bob", password=secret[:8]).run("clients") == []
    assert refusal(connect(sandbox, "bob", password=secret[:7]), "clients") == [UNSET]


@pytest.mark.parametrize("token", ["", "0" * 32, "\xe9", "\udcff"])
def test_an_invalid_answer_to_a_login_challenge_is_refused(sandbox: Sandbox, token: str) -> None:
    host, _, number = sandbox.port.partition(":")
    with socket.create_connection((host, int(number))) as connection:
        wire = Wire(connection)
        wire.write(Message.of("user-counters", {"user": "carol"}))
        wire.flush()
        assert wire.read().func == "client-Crypto"
        wire.write(Message.of("crypto", {"token": token}))
        wire.flush()

        assert wire.read().text("fmt0") == UNSET
        assert wire.read().func == "release"
        wire.close()


def test_a_user_form_refused_by_a_trigger_sets_no_password(
    sandbox: Sandbox, connect: ClientFactory, install: Install
) -> None:
    install(sandbox, 'no form-save user "fail no"')
    bob = connect(sandbox, "bob")

    with pytest.raises(P4Exception, match="'no' validation failed: no"):
        bob.save_user({**bob.fetch_user(), "Password": os.urandom(8).hex()})

    assert connect(sandbox, "bob").run("clients") == []


@pytest.mark.state(protections="filled")
def test_the_super_users_password_is_stored_in_a_private_file(sandbox: Sandbox) -> None:
    password = sandbox.password_of("p4admin")
    lines = sandbox.passwords_file.read_text().splitlines()

    assert f"p4admin:{password}" in lines
    assert sandbox.passwords_file.stat().st_mode & 0o777 == 0o600
    assert sandbox.tickets_file.stat().st_mode & 0o777 == 0o600
    admin = P4(port=sandbox.port, user="p4admin", password=password).connect()
    assert admin.run("protects", "-m")[0]["permMax"] == "super"
    admin.disconnect()


def test_each_sandbox_has_a_different_super_user_password(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        assert other.password_of("p4admin") != sandbox.password_of("p4admin")


def test_user_names_match_case_insensitively_on_a_case_insensitive_server(
    connect: ClientFactory,
) -> None:
    users = (UserSeed("Carol", has_password=True),)
    blank = Settings(case_sensitive=False, super_user="Root", users=users)
    with Sandbox(blank._replace(variants={"protections": "filled"})) as sandbox:
        admin = connect(sandbox, "Root")
        assert admin.run("protects", "-m")[0]["permMax"] == "super"
        carol = connect(sandbox, "cAROL", password=sandbox.password_of("Carol"))
        assert carol.run("clients") == []


def test_an_expired_ticket_proves_no_login() -> None:
    challenge = Challenge("TOKEN", "127.0.0.1:1666")
    left_s = {}
    for life_s in (0, 3600):
        accounts = Accounts(ticket_life_s=life_s)
        accounts.set_password("ann", "secret")
        # A client hashes the token with its ticket, then the result with the server's address.
        proof = _digest(_digest(challenge.token + accounts.new_ticket("ann")) + challenge.address)
        left_s[life_s] = accounts.ticket_left_s("ann", challenge, proof)

    assert left_s[0] is None
    assert 3500 < (left_s[3600] or 0) <= 3600


def _digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest().upper()
