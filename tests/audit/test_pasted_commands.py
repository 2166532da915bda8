"""Test that p4d, as the sandbox, accepts every command by which an audit unloads clients."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from audit.test_unloading import DEPOT, LAST_YEAR_S, LOCKED, audit, client
from p4warden import cli
from support.whole_checkpoint import TIME_S, whole

if TYPE_CHECKING:
    from pathlib import Path

    from P4 import P4

    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory

NAMES = {"old": "unlocked", "shut's": "locked", "a;b": "unlocked"}


@pytest.fixture
def admin(sandbox: Sandbox, connect: ClientFactory) -> P4:
    """Fixture: the superuser's connection to a sandbox with ann's clients of the checkpoint."""
    p4 = connect(sandbox, user=sandbox.super_user)
    for name, options in {**NAMES, "new": "locked"}.items():
        view = [f'//depot/main/... "//{name}/..."']
        form = {"Client": name, "Owner": "ann", "Root": "/w", "Options": options, "View": view}
        p4.save_client(form)
    return p4


def unused(times_s: int) -> str:
    options = {"locked": LOCKED, "unlocked": 0}
    clients = (client(name, times_s, options[kind]) for name, kind in sorted(NAMES.items()))
    return "".join(clients) + client("new", TIME_S, LOCKED)


def pasted(p4: P4, command: str) -> list[str]:
    program, *words = shlex.split(command.removeprefix("# "))
    assert program == "p4"
    with p4.while_tagged(t=False):
        return [str(line) for line in p4.run(*words)]


def test_the_commands_of_each_unused_client_are_accepted(
    admin: P4, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_depot, _ = audit(tmp_path, capsys, unused(LAST_YEAR_S))
    commands, _ = audit(tmp_path, capsys, DEPOT + unused(LAST_YEAR_S) + client("never", 0))
    admin.save_depot({"Depot": "unload", "Type": "unload", "Map": "unload/..."})
    for name in NAMES:
        unload, delete = list(commands[name])
        assert without_depot[name] == [delete]
        assert pasted(admin, unload) == [f"Client {name} unloaded."]
        admin.run("reload", "-f", "-c", name)
        assert pasted(admin, delete) == [f"Client {name} deleted."]
    assert [row["client"] for row in admin.run("clients")] == ["new"]


def test_the_command_for_a_client_without_files_is_accepted(
    admin: P4, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = client("new", TIME_S).splitlines(keepends=True)
    records = [line for line in lines if "@db.have@" not in line]
    file = "@pv@ 9 @db.revhx@ @//depot/f@ 1 0 0 1 1 1 00 1 \n"
    (tmp_path / "ckp").write_text(whole("".join([*records, file])))
    assert cli.run(["audit", str(tmp_path / "ckp"), "--json"]) == 0
    texts = [one["text"] for one in json.loads(capsys.readouterr().out)["first_steps"]]
    [command] = re.findall(r"; (p4 client \S.* NAME) deletes it", "".join(texts))
    assert pasted(admin, command.replace("NAME", "new")) == ["Client new deleted."]


def test_the_command_for_all_clients_of_a_date_is_accepted(
    admin: P4, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clients of the sandbox are of today, those of the checkpoint of another year."""
    admin.save_depot({"Depot": "unload", "Type": "unload", "Map": "unload/..."})
    _, ((_, [command]),) = audit(tmp_path, capsys, DEPOT + unused(LAST_YEAR_S))
    assert pasted(admin, command) == []
    later = command.replace("2018/10/11", "2037/01/31")
    assert pasted(admin, later) == [f"Client {name} unloaded." for name in sorted([*NAMES, "new"])]
