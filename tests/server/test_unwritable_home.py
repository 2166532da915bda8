"""The ways out while the home folder is on a read-only or full disk, and the gate is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden.home import off_mark
from support.broken_gates import Host
from support.pasted import advice, checks, paste, remedies
from support.policies import POLICY
from support.small_disks import fill, make_read_only, mounted
from support.triggers import table
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory, Server

pytestmark = [pytest.mark.touches("table")]
READ_ONLY = " is on a read-only file system"
FULL = ": cannot be written: No space left on device"
LOST = "its lines of p4warden are those marked - above; run this again"


@pytest.fixture
def warden(server: Server, public_folder: Path, connect: ClientFactory) -> Iterator[Warden]:
    (public_folder / "home").mkdir()
    with mounted(public_folder / "home", "size=3m,mode=700"):
        warden = Warden(server, public_folder, connect)
        warden.install(POLICY)
        yield warden


def save(p4: P4) -> list[str]:
    return p4.save_client({"Client": "ws", "Root": "/ws", "View": ["//depot/a/... //ws/..."]})


@pytest.mark.parametrize(("spoil", "reason"), [(make_read_only, READ_ONLY), (fill, FULL)])
def test_uninstall_without_gate_writes_the_table_of_a_home_that_takes_no_writes(
    server: Server,
    warden: Warden,
    connect: ClientFactory,
    public_folder: Path,
    spoil: Callable[[Path], None],
    reason: str,
) -> None:
    host = Host(public_folder)
    host.name_in_the_table(server, warden, connect)
    host.gate.unlink()
    spoil(warden.home)
    with pytest.raises(P4Exception, match=r"validation failed|Execution Failed"):
        save(connect(server))
    output = warden.must("deploy", "uninstall", "--yes")
    assert f"note: {warden.home}{reason}: the history does not record this" in output
    assert LOST in output
    assert "-   p4warden.form-save.client form-save client" in output
    assert "p4warden-gate does not exist; p4d refuses every save of a client, whether " in output
    assert "until they reconnect, or until the program starts again.\n" in output
    assert "they allow everything" not in output
    connect.anew()
    assert save(connect(server)) == ["Client ws saved."]


def test_uninstall_on_a_full_disk_switches_the_removed_lines_off(warden: Warden) -> None:
    fill(warden.home)
    assert "off exists, they allow everything" in warden.must("deploy", "uninstall", "--yes")
    (warden.home / "filler").unlink()
    warden.must("deploy", "uninstall", "--yes")
    assert off_mark.is_uninstalled(str(warden.home))


def test_uninstall_with_a_folder_in_place_of_the_history_takes_the_lines_out(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    history = warden.home / "history.jsonl"
    history.unlink()
    history.mkdir()
    output = warden.must("deploy", "uninstall", "--yes")
    assert f"note: {history}: is not a regular file: the history does not record this" in output
    assert "p4warden.form-save.client" not in table(connect(server, user=server.super_user))


def test_on_a_read_only_disk_off_names_the_way_out_and_on_that_it_was_not_off(
    warden: Warden,
) -> None:
    make_read_only(warden.home)
    output = warden.must("off", code=1)
    assert "off: cannot be made: Read-only file system; mend that and try again, or" in output
    [take_out] = advice(output)
    assert take_out == f"p4warden deploy uninstall --home {warden.home}"
    on = f"On: the triggers of {warden.home} apply its policy; p4warden was not off.\n"
    assert warden.must("on") == on
    with_files = warden.must("deploy", "uninstall", "--yes", "--remove-files", code=1)
    assert with_files.endswith(f"{READ_ONLY}; leave out --remove-files\n")
    judged = (
        "may still run the removed trigger lines, which judge as before, until they reconnect."
    )
    assert judged in warden.must("deploy", "uninstall", "--yes")


COUNTING = """\
  - {name: polling, rule: limit_command_rate, mode: enforce, commands: [fstat, sizes],
     limits: [{per: [user], allow: 50/s}]}
  - {name: few-depots, rule: limit_depot_count, mode: enforce, max: 99}
"""
EVENTS = (
    "fstat and sizes (rule polling) and saves of depots (rule few-depots) that cannot be counted"
)


def works(connect: ClientFactory, server: Server, *words: str, user: str = "bob") -> bool:
    p4 = connect(server, user=user)
    if words == ("depot",):
        p4.input, words = "Depot: new\nType: local\nMap: new/...\n", ("depot", "-i")
    try:
        p4.run(*words)
    except P4Exception:
        return False
    return True


@pytest.mark.parametrize(
    ("spoil", "reason", "on_error"),
    [(make_read_only, READ_ONLY, "deny"), (fill, FULL, "allow")],
)
def test_what_users_get_while_nothing_can_be_counted_is_said_and_can_be_mended(
    server: Server,
    warden: Warden,
    connect: ClientFactory,
    spoil: Callable[[Path], None],
    reason: str,
    on_error: str,
) -> None:
    warden.install(POLICY.replace("rules:", f"on_error: {on_error}\nrules:") + COUNTING)
    spoil(warden.home)
    said = checks(warden, 1)
    effect = {"deny": "refused", "allow": "allowed unjudged"}[on_error]
    line = f"{EVENTS} are {effect} (on_error: {on_error}); all else is judged as usual"
    assert said["answer"]["message"].endswith(line)
    assert said["ready"]["message"] == f"no: {warden.home}{reason}"
    assert works(connect, server, "fstat", "//depot/main/README") == (on_error == "allow")
    assert works(connect, server, "depot", user=server.super_user) == (on_error == "allow")
    assert save(connect(server)) == ["Client ws saved."]
    with pytest.raises(P4Exception, match="maps all of"):
        connect(server).save_client({"Client": "w", "Root": "/", "View": ["//depot/... //w/..."]})
    status = warden.must("status", code=1)
    assert ("\nWithout delay: let everybody work " in status) == (on_error == "deny")
    for command in remedies(warden, 1)["answer"] if on_error == "deny" else ():
        paste(warden, command)
        connect.anew()
        assert works(connect, server, "fstat", "//depot/main/README")
    [mend] = advice(said["disk"]["remedy"])
    paste(warden, mend)


def test_users_notice_nothing_of_a_full_disk_without_a_rule_that_counts(warden: Warden) -> None:
    fill(warden.home)
    found = remedies(warden, 1).keys()
    assert found >= {"disk", "gate"}
    assert "answer" not in found
