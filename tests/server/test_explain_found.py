"""Tests of `p4warden explain` for specs on a server, logged decisions, and typed commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from support.policies import POLICY

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.warden import Warden

EXEMPT = "exemptions:\n  - {groups: [readers], reason: builds, owner: ci}\nrules:"
COMMANDS = """\
version: 1
contact: admins@example.com
rules:
  - {name: no-wide-commands, rule: limit_command_scope, mode: enforce, commands: [files]}
"""


@pytest.fixture
def ann(server: Server, connect: ClientFactory) -> P4:
    return connect(server)


def test_explain_judges_a_spec_on_the_server_as_if_the_owner_saved_it(
    server: Server, warden: Warden, ann: P4, connect: ClientFactory
) -> None:
    ann.input = "Client: wide\nOwner: ann\nRoot: /x\nView:\n\t//depot/... //wide/...\n"
    ann.run("client", "-i")
    admin = connect(server, user=server.super_user)
    admin.save_group({"Group": "readers", "Users": ["ann"]})
    warden.prepare(POLICY)
    output = warden.must("explain", "--spec", "client:wide")
    assert "form-save of client wide\n  user: ann\n" in output
    assert "//depot/..." in output
    warden.prepare(POLICY.replace("rules:", EXEMPT))
    assert "readers" in warden.must("explain", "--spec", "client:wide")
    assert "has no client nowhere" in warden.must("explain", "--spec", "client:nowhere", code=1)
    assert "write TYPE:NAME" in warden.must("explain", "--spec", "wide", code=2)


def test_explain_judges_a_command_from_the_decision_log_or_as_typed(
    warden: Warden, ann: P4
) -> None:
    warden.install(COMMANDS)
    ann.disconnect()
    ann.connect()
    with pytest.raises(P4Exception, match="no-wide-commands"):
        ann.run("files", "//depot/...")
    output = warden.must("explain", "--decision", "-1")
    assert "note: logged as: refuse: no-wide-commands: " in output
    assert "explain the command as typed, with --typed" in output
    assert "client: ws" in output
    assert "and no line 99" in warden.must("explain", "--decision", "99", code=1)
    output = warden.must("explain", "--typed", "p4 -u bob files //depot/...")
    assert "user: bob" in output
    assert "no-wide-commands (limit_command_scope, enforce): refuse" in output
    assert "name one of" in warden.must("explain", "--typed", "p4 x", "--decision", "1", code=2)


def test_explain_of_a_logged_form_names_the_present_spec(warden: Warden, ann: P4) -> None:
    warden.install(POLICY)
    ann.disconnect()
    ann.connect()
    ann.input = "Client: wide\nRoot: /x\nView:\n\t//depot/... //wide/...\n"
    with pytest.raises(P4Exception, match="p4warden: rule="):
        ann.run("client", "-i")
    output = warden.must("explain", "--decision", "1", code=1)
    assert "the log does not contain forms; explain the present one of the server" in output
    assert "--spec client:wide" in output


def test_explain_suggests_a_shell_quoted_spec_name_beyond_ascii(warden: Warden, ann: P4) -> None:
    form = "Client: caf\u00e9\nRoot: /x\nView:\n\t//depot/... //caf\u00e9/...\n"
    ann.input = form
    ann.run("client", "-i")
    warden.install(POLICY)
    ann.disconnect()
    ann.connect()
    # Change the form, because some server releases fire no trigger for a form saved unchanged.
    ann.input = f"{form}Description:\n\tagain\n"
    with pytest.raises(P4Exception, match="p4warden: rule="):
        ann.run("client", "-i")
    output = warden.must("explain", "--decision", "1", code=1)
    assert output.endswith("with --spec $'client:caf\\303\\251'\n")
    assert "form-save of client caf" in warden.must("explain", "--spec", "client:caf\u00e9")
