"""Tests beside another tool's triggers that print when they allow a command, as is legal.

p4d passes the text on, and P4Python returns it among the rows. The texts look like answers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from P4 import P4Exception

from support.examples import long_but
from support.policies import POLICY, POLLING
from support.triggers import table, write

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.triggers import Script
    from support.warden import Warden
    from support.workspaces import ClientWorkspace

pytestmark = pytest.mark.touches("table")

TEXTS = {
    "one-line": "echo verbose trigger",
    "many-lines": r"printf '\nchecked\n\nall well\n\n'",
    "field": r"printf 'Triggers:\n\tother command pre-user-sync$ fail\n\nClient:\tws\n'",
    "ellipsis": r"printf '...\n'",
    "tagged": r"printf '... depotFile //depot/main/x\n... action add\n... name depot\n'",
    "form": r"printf '# A Perforce Triggers Specification.\n\nTriggers:\n\tx command y fail\n'",
    "not-utf8": r"printf 'caf\351\n'",
    "empty-line": "echo",
}
FORMS = ("branch", "client", "depot", "label", "protect", "spec", "stream", "triggers", "user")
SUBMITS = """\
version: 1
contact: admins
on_error: deny
rules:
  - {name: small, rule: limit_files, mode: enforce, max: 2}
  - {name: few-tops, rule: limit_top_directories, mode: enforce, max: 100}
  - {name: depots, rule: limit_depot_count, mode: enforce, max: 9}
"""


def lines(program: str) -> list[str]:
    """Return lines by which a program prints for every command and every form that is shown."""
    commands = [f"noisy-{when} command {when}-user-.* {program}" for when in ("pre", "post")]
    return [*commands, *(f"noisy-{form} form-out {form} {program}" for form in FORMS)]


@pytest.fixture(params=long_but(["form"], TEXTS))
def noisy(
    request: pytest.FixtureRequest, server: Server, script: Script, connect: ClientFactory
) -> str:
    """Fixture: a program that prints one of the texts, in the lines of all events."""
    program = script(TEXTS[request.param])
    admin = connect(server, server.super_user)
    write(admin, "Triggers:\n" + "".join(f"\t{line}\n" for line in lines(program)))
    connect.anew()
    return program


@pytest.mark.usefixtures("noisy")
def test_no_subcommand_takes_the_text_for_an_answer(
    server: Server,
    warden: Warden,
    disk: ClientWorkspace,
    connect: ClientFactory,
    tmp_path: Path,
) -> None:
    disk.p4.input = "Client: wide\nOwner: ann\nRoot: /x\nView:\n\t//depot/... //wide/...\n"
    disk.p4.run("client", "-i")
    warden.activate(POLICY)
    warden.must("refresh")
    known = json.loads((warden.home / "facts.json").read_text("ascii"))
    assert [*known["depots"]] == ["depot", "streams", "thirdparty"]
    directories = known["depots"]["depot"]["directories"]
    assert directories == ["docs", "libs", "main", "rel", "tests", "tools"]
    census = warden.must("census", "--max-per-second", "5000")
    assert "no-whole-depot" in census
    assert "client wide" in census
    assert "client printed" not in census
    words = "--client", "wide", "--max-files", "9", "--max-per-second", "5000"
    assert "1 client" in warden.must("rightsize", *words)
    assert "no-whole-depot" in warden.must("explain", "--spec", "client:wide")
    assert "form of p4 protect" not in warden.must("tune", home=False)
    warden.must("init", "--output", str(tmp_path / "p.yaml"), home=False)
    assert "5 rules, 0 exemptions: " in warden.must("check", str(tmp_path / "p.yaml"))
    connect(server, server.super_user).run("configure", "set", "monitor=1")
    running = json.loads(warden.must("running", "--json", home=False))
    assert [row["command"] for row in running["processes"]] == ["monitor"]
    assert "triggers table" in warden.must("status", code=1)


def test_deploy_writes_back_the_table_without_the_text(
    server: Server, warden: Warden, noisy: str, connect: ClientFactory
) -> None:
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    rows = own_rows(connect, server)
    assert rows[: len(lines(noisy))] == lines(noisy)
    assert [row.split()[0] for row in rows[len(lines(noisy)) :]] == ["p4warden.form-save.client"]
    warden.activate(POLICY + POLLING)
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    assert len(own_rows(connect, server)) == len(lines(noisy)) + 2
    warden.must("deploy", "rollback", "--yes")
    assert own_rows(connect, server) == rows
    warden.must("deploy", "uninstall", "--yes")
    assert own_rows(connect, server) == lines(noisy)


def own_rows(connect: ClientFactory, server: Server) -> list[str]:
    """Return the lines of the table as p4d stores them."""
    answer = connect(server, server.super_user).run("triggers", "-o")
    rows: list[str] = next(row["Triggers"] for row in answer if isinstance(row, dict))
    return rows


@pytest.mark.usefixtures("noisy")
def test_submits_are_counted_as_on_a_silent_server(warden: Warden, disk: ClientWorkspace) -> None:
    warden.install(SUBMITS)
    disk.add("work/a.c", "work/b.c")
    assert submitted(disk.p4.run("submit", "-d", "two"))
    disk.add("work/c.c", "work/d.c", "work/e.c")
    with pytest.raises(P4Exception, match="rule=small limit=2 value=3"):
        disk.p4.run("submit", "-d", "three")
    faults = [record["fault"] for record in warden.log() if record.get("fault")]
    assert faults == []


def submitted(answer: list[Any]) -> bool:
    return any("submittedChange" in row for row in answer if isinstance(row, dict))


@pytest.mark.state(other_triggers="print")
def test_text_among_the_rows_is_no_row(warden: Warden) -> None:
    warden.activate(POLICY)
    warden.must("refresh")
    known = json.loads((warden.home / "facts.json").read_text("ascii"))
    assert [*known["depots"]] == ["depot", "streams", "thirdparty"]
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")


def test_an_offline_plan_reads_a_table_with_text_around_it(
    server: Server, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    warden.activate(POLICY)
    form = table(connect(server, server.super_user))
    file = tmp_path / "table"
    file.write_text(form)
    plan = warden.must("deploy", "plan", "--offline", str(file), code=1)
    file.write_text(f"checked\nTriggers:\n\tx command y fail\n{form}Triggers:\nall well\n")
    assert warden.must("deploy", "plan", "--offline", str(file), code=1) == plan


ALONE = pytest.mark.state(other_triggers="silent")
LOUD, QUIET = "echo verbose trigger", "exit 0"
NAMED = 'the line {} prints when p4 {} runs: "verbose trigger"'
REMEDY = (
    "p4warden skips the text, other programs take it for an answer: let the program of that line "
    "print only when it refuses"
)


@ALONE
def test_plan_and_doctor_name_the_line_that_prints(
    server: Server, warden: Warden, script: Script, connect: ClientFactory
) -> None:
    loud, quiet = script(LOUD), script(QUIET)
    rows = [
        f"checker command pre-user-depots$ {loud}",
        f"silent command pre-user-(depots|files|client|dirs)$ {quiet}",
        f'"two words" command ^post-user-users$ {loud}',
        f"proposer form-out client {loud}",
        f"other form-out change {loud}",
    ]
    write(connect(server, server.super_user), "Triggers:\n" + "".join(f"\t{r}\n" for r in rows))
    warden.prepare(POLICY)
    places = (
        ("checker (command pre-user-depots$)", "depots"),
        ("proposer (form-out client)", "client"),
        ("two words (command ^post-user-users$)", "users"),
    )
    expected = [NAMED.format(*place) for place in places]
    plan = warden.must("deploy", "plan", code=1)
    doctor = warden.run("doctor").output
    for line in expected:
        assert f"Note: {line}; {REMEDY}.\n" in plan
        assert f"warning: other triggers: {line}\n" in doctor
    assert doctor.count(f"    {REMEDY}\n") == 1
    assert plan.count("verbose trigger") == len(expected)


@ALONE
def test_of_lines_about_one_command_each_that_prints_is_named(
    server: Server, warden: Warden, script: Script, connect: ClientFactory
) -> None:
    loud = script(LOUD)
    rows = f"\tafter command post-user-depots$ {loud}\n\tbefore command pre-user-depots$ {loud}\n"
    write(connect(server, server.super_user), f"Triggers:\n{rows}")
    warden.prepare(POLICY)
    plan = warden.must("deploy", "plan", code=1)
    assert NAMED.format("before (command pre-user-depots$)", "depots") in plan
    assert NAMED.format("after (command post-user-depots$)", "depots") in plan


@ALONE
def test_lines_that_no_command_tells_apart_are_named_together(
    server: Server, warden: Warden, script: Script, connect: ClientFactory
) -> None:
    rows = (
        f"\tone command pre-user-depots$ {script(QUIET)}\n\ttwo form-out client {script(QUIET)}\n"
    )
    rows += f"\tthree command pre-user-depots$ {script(LOUD)}\n"
    write(connect(server, server.super_user), f"Triggers:\n{rows}")
    warden.prepare(POLICY)
    assert (
        "Note: one of the lines one (command pre-user-depots$) or three (command "
        'pre-user-depots$) prints when p4 depots runs: "verbose trigger"; '
    ) in warden.must("deploy", "plan", code=1)


@ALONE
def test_silent_lines_of_other_tools_are_not_named(
    server: Server, warden: Warden, script: Script, connect: ClientFactory
) -> None:
    row = f"\tsilent command (pre|post)-user-.* {script(QUIET)}\n"
    write(connect(server, server.super_user), f"Triggers:\n{row}")
    warden.prepare(POLICY)
    assert "prints" not in warden.must("deploy", "plan", code=1) + warden.run("doctor").output
