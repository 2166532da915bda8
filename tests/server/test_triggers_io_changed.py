"""Tests of a server whose `triggers.io` was changed after p4warden's lines were written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from P4 import P4

from p4warden_sandbox import Sandbox, Settings
from support.examples import long_but
from support.pasted import paste, remedies
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
exemptions:
  - {users: [p4admin], rules: [polls], reason: p4warden asks the server, owner: scm}
rules:
  - {name: views, rule: limit_view_scope, mode: enforce}
  - {name: depot-types, rule: limit_depot_count, mode: observe, max: 500}
  - {name: scope, rule: limit_command_scope, mode: enforce, commands: [files, fstat]}
  - name: polls
    rule: limit_command_rate
    mode: enforce
    commands: [changes, depots, dirs, fstat]
    limits: [{per: [user], allow: 1/h, burst: 200}]
"""
WAYS = [
    {"dictionary-notation": notation, "dictionary-values": values}
    for notation in ("colon", "colon-blank")
    for values in ("encoded", "plain")
]


class Changed(NamedTuple):
    """A server with p4warden's lines for one value of `triggers.io`, now set to the other."""

    warden: Warden
    p4: P4
    present: int


CHANGES = [(0, WAYS[0]), (0, WAYS[3]), (1, WAYS[0])]
ALL_CHANGES = [*((0, way) for way in WAYS), (1, WAYS[0])]


def change_id(value: tuple[int, dict[str, str]]) -> str:
    return "-".join([f"lines-for-{value[0]}", *value[1].values()])


@pytest.fixture(params=long_but(CHANGES, ALL_CHANGES), ids=change_id)
def changed(
    request: pytest.FixtureRequest, tmp_path: Path, connect: ClientFactory
) -> Iterator[Changed]:
    """Fixture: the parameter's value that the lines are for, and the server's variants."""
    written, way = request.param
    with Sandbox(Settings(variants={"triggers-io": str(written), **way})) as sandbox:
        warden = Warden(sandbox, tmp_path, connect)
        warden.install(POLICY)
        admin = connect(sandbox, user=sandbox.super_user)
        admin.run("configure", "set", f"triggers.io={1 - written}")
        yield Changed(warden, connect(sandbox), 1 - written)


def errors(p4: P4, *command: str) -> str:
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run(*command)
    return "\n".join([*map(str, p4.errors), *map(str, p4.warnings)])


def saved(p4: P4, path: str) -> str:
    """Save a client that maps a path; return the error, "" without one."""
    p4.input = f"Client:\tws\nOwner:\tann\nRoot:\t/tmp/ws\nView:\n\t{path} //ws/...\n"
    return errors(p4, "client", "-i")


def test_events_are_judged_as_before(changed: Changed) -> None:
    p4 = changed.p4
    assert saved(p4, "//depot/main/...") == ""
    text = saved(p4, "//depot/...")
    assert "rule=views" in text
    assert "action:" not in text
    assert "validation failed" in text
    assert errors(p4, "changes", "-m1") == ""
    refusal = errors(p4, "files", "//depot/...")
    # Lines for 1 leave the arguments to standard input, where a server at 0 writes nothing.
    assert ("rule=scope" in refusal) == (changed.present == 1)
    assert "indecipherable" not in refusal
    assert "action:" not in refusal
    assert p4.fetch_client()["Client"] == "ws"


def test_everything_is_allowed_while_p4warden_is_off(changed: Changed) -> None:
    changed.warden.run("off")
    assert errors(changed.p4, "login", "-s") == ""
    assert errors(changed.p4, "changes", "-m1") == ""
    assert saved(changed.p4, "//depot/...") == ""
    assert "action:" not in str(changed.p4.messages)


def test_faults_get_the_answer_of_on_error(changed: Changed) -> None:
    (changed.warden.home / "policy.json").unlink()
    for text in (saved(changed.p4, "//depot/main/..."), errors(changed.p4, "changes", "-m1")):
        assert "has failed" in text
        assert "action:" not in text


@pytest.mark.parametrize("changed", CHANGES[1:], indirect=True, ids=change_id)
def test_doctor_names_the_difference_and_its_remedy_works(changed: Changed) -> None:
    warden = changed.warden
    present, written = changed.present, 1 - changed.present
    text = warden.run("doctor").output
    assert f"triggers.io is {present}, and the lines were written for {written}" in (text)
    warden.must("refresh")
    plan, apply = remedies(warden, 1)["triggers table"]
    paste(warden, f"{plan} || [ $? = 1 ]")  # the table differs
    paste(warden, apply)
    assert "the lines were written for" not in warden.run("doctor").output
