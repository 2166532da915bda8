"""Tests with published real-world triggers tables: other tools' lines stay unchanged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.table.merge import Owner, TablePosition, merge
from p4warden.table.triggers_table import TriggerLine, entries
from support.policies import OBSERVED
from support.real_server import submit_files
from support.triggers import table, write
from support.warden import Warden

if TYPE_CHECKING:
    from P4 import P4

    from support.servers import ClientFactory, Server

TABLES = sorted((Path(__file__).parents[1] / "cases" / "tables").glob("*.txt"))
OWNER = Owner("p4warden.", "/var/lib/p4warden")
HOME = "%quote%--home=/var/lib/p4warden%quote%"
OWN_LINES = [
    TriggerLine("p4warden.form-save.client", "form-save", "client", f"/opt/p4warden x {HOME}"),
    TriggerLine("p4warden.command", "command", "pre-user-fstat$", f"/opt/p4warden y {HOME}"),
]


def name(file: Path) -> str:
    return file.stem


@pytest.mark.parametrize("place", [None, TablePosition("first"), TablePosition("last")], ids=str)
@pytest.mark.parametrize("file", TABLES, ids=name)
def test_adding_and_removing_p4warden_lines_leaves_a_table_unchanged(
    file: Path, place: TablePosition | None
) -> None:
    before = file.read_text("utf-8")
    plan_with_lines = merge(before, OWN_LINES, OWNER, place)
    assert len(entries(plan_with_lines.after)) == len(entries(before)) + len(OWN_LINES)
    others = [row for row in entries(plan_with_lines.after) if not OWNER.has(row)]
    assert others == list(entries(before))
    after = merge(plan_with_lines.after, (), OWNER).after
    # p4warden ends a table's last line with a line end if it has none, so that lines can follow.
    assert after in (before, before + "\n")


@pytest.mark.parametrize("file", TABLES, ids=name)
def test_deploy_and_uninstall_leave_a_table_on_a_server_unchanged(
    file: Path, server: Server, tmp_path: Path, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    warden = Warden(server, tmp_path)
    warden.prepare(OBSERVED)
    _submit_programs(admin, file.read_text("utf-8"))
    # No event of this test fires the published triggers, so their programs may be missing on the
    # host.
    write(admin, file.read_text("utf-8").rstrip("\n") + "\n")
    before = table(admin)

    warden.must("deploy", "plan", "--place", "first", code=1)
    warden.must("deploy", "apply", "--no-verify")
    installed_table = table(admin)
    assert installed_table.count("p4warden.form-save.client form-save") == 1 + before.count(
        "p4warden.form-save.client form-save"
    )
    output = warden.must("deploy", "uninstall", "--yes")
    assert ", byte for byte unchanged (SHA-256 " in output
    assert table(admin) == before


def _submit_programs(admin: P4, text: str) -> None:
    """Submit the depot programs that a triggers table names.

    A server may require that they exist (msgdm 793).
    """
    programs = re.findall(r"%(//[^%\s]+)%", text)
    depot_names = {row["name"] for row in admin.run("depots")}
    for depot in {program.split("/")[2] for program in programs} - depot_names:
        admin.save_depot(admin.fetch_depot(depot))
    if programs:
        submit_files(admin, sorted(set(programs)))


def test_there_are_cases_of_at_least_12_triggers_tables() -> None:
    assert len(TABLES) >= 12
