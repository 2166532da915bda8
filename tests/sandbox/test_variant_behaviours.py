"""Tests of the sandbox's variants: ways in which p4d releases differ or are not documented.

Variants of connections, submits, odd names, logins, forwarded commands and the triggers table.
"""

import socket
import struct
import sys
import time
from collections.abc import Callable

import pytest
from P4 import P4Exception

from p4warden_sandbox import Sandbox
from support.variant_world import VariantServers, errors
from support.workspaces import ClientWorkspace


@pytest.mark.parametrize("way", ["command", "connection"])
def test_variant_table_determines_whether_an_old_connection_uses_a_new_table(
    world: VariantServers, way: str
) -> None:
    world.start(table=way)
    early = world.client()
    early.run("depots")
    world.table('n command pre-user-depots$ "fail new table"', anew=False)
    assert "new table" in errors(world.client(), "depots")
    if way == "command":
        assert "new table" in errors(early, "depots")
    else:
        assert early.run("depots")


@pytest.mark.parametrize(("way", "count"), [("submit", "1"), ("content", "0")])
def test_variant_change_files_determines_whether_change_submit_can_list_files(
    world: VariantServers, way: str, count: str
) -> None:
    world.start(change_files=way)
    disk = ClientWorkspace(world.client(), world.folder / "ws")
    values = _answers(world)
    disk.submit("work/a.c")
    assert values("change-submit") == count
    assert values("change-content") == "1"


def test_files_of_a_populate_are_listed_at_change_content_but_not_at_change_submit(
    world: VariantServers,
) -> None:
    world.start()
    values = _answers(world)
    p4 = world.client()
    assert p4.run("populate", "//depot/docs/...", "//depot/new/...") == [
        "1 files branched (change 2)."
    ]
    assert (values("change-submit"), values("change-content")) == ("0", "1")
    (row,) = p4.run("files", "//depot/new/...")
    assert (row["depotFile"], row["action"], row["change"]) == (
        "//depot/new/guide/index.md",
        "branch",
        "2",
    )
    assert p4.run("changes", "-m1")[0]["desc"].startswith("Populate //depot/new/... from ")


def test_a_populate_refused_by_a_change_submit_trigger_leaves_no_changelist(
    world: VariantServers,
) -> None:
    world.start()
    world.table('n change-submit //depot/new/... "fail not there"')
    p4 = world.client()
    assert "not there" in errors(p4, "populate", "//depot/docs/...", "//depot/new/...")
    assert [row["change"] for row in p4.run("changes")] == ["1"]
    assert p4.run("populate", "//depot/docs/...", "//depot/other/...")
    message = "Can't populate target path when files already exist."
    assert message in errors(p4, "populate", "//depot/docs/...", "//depot/other/...")


def _answers(world: VariantServers) -> Callable[[str], str]:
    """Install change triggers that count their changelist's files by `p4 files //...@=CHANGE`.

    The returned function maps a trigger type, such as `change-submit`, to that count as text.
    """
    program = world.folder / "count.py"
    program.write_text(
        "import sys\nfrom P4 import P4\n"
        "port, change, file = sys.argv[1:]\n"
        "with P4(port=port, user='bob', exception_level=0).connect() as p4:\n"
        "    open(file, 'w').write(str(len(p4.run('files', f'//...@={change}'))))\n",
        "utf-8",
    )
    rows = [
        f'n-{kind} {kind} //... "{sys.executable} {program} %serverport% %change% {file}"'
        for kind in ("change-submit", "change-content")
        for file in [world.folder / kind]
    ]
    world.table(*rows)
    return lambda kind: (world.folder / kind).read_text("utf-8")


@pytest.mark.parametrize("user", ["a b", 'a"b', "a\tb", "a\0b"])
@pytest.mark.parametrize("way", ["accepted", "refused", "rewritten"])
def test_variant_odd_names_determines_whether_a_name_is_accepted_refused_or_rewritten(
    world: VariantServers, way: str, user: str
) -> None:
    """Send odd user names as raw protocol messages, because P4Python replaces blanks in names."""
    world.start(odd_names=way)
    answer = _raw(world.sandbox, {"user": user, "func": "user-info", "tag": ""})
    stored_name = {"accepted": user, "rewritten": "a_b"}.get(way)
    assert (b"userName\0" in answer) is (stored_name is not None)
    if stored_name is None:
        assert b"Non-printable characters not allowed" in answer
    else:
        assert f"userName\0\3\0\0\0{stored_name}\0".encode() in answer


def test_with_odd_names_refused_a_program_name_may_have_blanks_but_no_quotes(
    world: VariantServers,
) -> None:
    world.start(odd_names="refused")
    assert world.client(prog="Helix P4V").run("info")
    assert "Non-printable" in errors(world.client(prog='a"b'), "info")


@pytest.mark.parametrize(
    ("way", "first"),
    [("before-triggers", "P4PASSWD"), ("after-triggers", "'n' validation failed: early")],
)
def test_variant_authentication_determines_whether_triggers_run_before_the_login_check(
    world: VariantServers, way: str, first: str
) -> None:
    world.start(authentication=way)
    world.table('n command pre-user-depots$ "fail early"')
    assert first in errors(world.client(user="carol"), "depots")


@pytest.mark.parametrize(("way", "hops"), [("once", "sandbox "), ("twice", "edge sandbox ")])
def test_variant_forwarded_determines_whether_triggers_run_once_or_twice(
    world: VariantServers, way: str, hops: str
) -> None:
    world.start(forwarded=way, server_id="set")
    file = world.folder / "hops"
    program = world.script(f'printf "%s " $1 >>{file}')
    world.table(f'n command pre-user-depots$ "{program} %serverid%"')
    world.client().run("depots")
    assert file.read_text("utf-8") == hops


def test_strict_variants_refuse_triggers_tables_that_the_defaults_accept(
    world: VariantServers,
) -> None:
    strict = {
        "depot_programs": "must-exist",
        "single_types": "one",
        "archive_depot_file": "refused",
    }
    tables = {
        "Trigger depot file '//depot/x' not found": ["a form-save client %//depot/x%"],
        "Only one trigger of type auth-check allowed": [
            "a auth-check auth pass",
            "b auth-check auth pass",
        ],
        "Archive trigger may not use trigger depot files": ["a archive //... %//depot/x%"],
    }
    world.start()
    lenient = world.admin()
    world.start(**strict)
    for text, rows in tables.items():
        assert lenient.save_triggers({"Triggers": rows}) == ["Triggers saved."]
        with pytest.raises(P4Exception, match=text):
            world.admin().save_triggers({"Triggers": rows})


def _raw(sandbox: Sandbox, values: dict[str, str]) -> bytes:
    """Send the sandbox a message that no real client would send; return the reply's bytes."""
    payload = b"".join(
        name.encode() + b"\0" + struct.pack("<I", len(value)) + value.encode() + b"\0"
        for name, value in values.items()
    )
    length = struct.pack("<I", len(payload))
    check = length[0] ^ length[1] ^ length[2] ^ length[3]
    host, port = sandbox.port.split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(bytes([check]) + length + payload)
        answer, until = b"", time.monotonic() + 10
        while b"release" not in answer and time.monotonic() < until:
            answer += connection.recv(65536)
    return answer
