"""Each variant of the sandbox behaves as its description says."""

import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.servers import Connect
from support.triggers import Install, Script
from support.workspaces import Disk


class World:
    """A sandbox with chosen variants, its clients and triggers."""

    def __init__(self, connect: Connect, install: Install, script: Script, folder: Path) -> None:
        self.folder = folder
        self.script = script
        self._connect = connect
        self._install = install
        self._running: list[Sandbox] = []

    def start(self, **variants: str) -> None:
        """Start a sandbox: `start(table="connection")`; `_` stands for `-`."""
        chosen = {name.replace("_", "-"): value for name, value in variants.items()}
        self._running.append(Sandbox(Settings(variants=chosen)).start())

    def stop(self) -> None:
        for sandbox in self._running:
            sandbox.stop()

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox started last."""
        return self._running[-1]

    def client(self, user: str = "ann", client: str = "ws", **settings: str) -> P4:
        return self._connect(self.sandbox, user, client, **settings)

    def admin(self) -> P4:
        return self.client(self.sandbox.super_user)

    def table(self, *rows: str, anew: bool = True) -> None:
        self._install(self.sandbox, *rows, anew=anew)

    def teller(self) -> str:
        """Return a program that writes its arguments to the file `told`, each followed by `|`."""
        return self.script(f'printf "%s|" "$@" >>{self.folder}/told')

    def told(self) -> str:
        return (self.folder / "told").read_text("utf-8")


@pytest.fixture
def world(connect: Connect, install: Install, script: Script, tmp_path: Path) -> Iterator[World]:
    """Fixture: the objects that a test of a variant needs."""
    made = World(connect, install, script, tmp_path)
    yield made
    made.stop()


def errors(p4: P4, *command: str) -> str:
    with pytest.raises(P4Exception) as refused:
        p4.run(*command)
    return "\n".join(refused.value.errors)


@pytest.mark.parametrize("way", ["command", "connection"])
def test_an_old_connection_sees_a_new_table_or_not(world: World, way: str) -> None:
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
def test_the_files_of_a_submit_are_known_before_their_content_or_not(
    world: World, way: str, count: str
) -> None:
    world.start(change_files=way)
    disk = Disk(world.client(), world.folder / "ws")
    seen = _asked(world)
    disk.submit("work/a.c")
    assert seen("change-submit") == count
    assert seen("change-content") == "1"


def test_a_populate_shows_its_files_at_change_content_only(world: World) -> None:
    world.start()
    seen = _asked(world)
    p4 = world.client()
    assert p4.run("populate", "//depot/docs/...", "//depot/new/...") == [
        "1 files branched (change 2)."
    ]
    assert (seen("change-submit"), seen("change-content")) == ("0", "1")
    (row,) = p4.run("files", "//depot/new/...")
    assert (row["depotFile"], row["action"], row["change"]) == (
        "//depot/new/guide/index.md",
        "branch",
        "2",
    )
    assert p4.run("changes", "-m1")[0]["desc"].startswith("Populate //depot/new/... from ")


def test_a_populate_is_refused_by_change_submit_and_leaves_nothing(world: World) -> None:
    world.start()
    world.table('n change-submit //depot/new/... "fail not there"')
    p4 = world.client()
    assert "not there" in errors(p4, "populate", "//depot/docs/...", "//depot/new/...")
    assert [row["change"] for row in p4.run("changes")] == ["1"]
    assert p4.run("populate", "//depot/docs/...", "//depot/other/...")
    exist = "Can't populate target path when files already exist."
    assert exist in errors(p4, "populate", "//depot/docs/...", "//depot/other/...")


def _asked(world: World) -> Callable[[str], str]:
    """Install triggers that count `files @=N`; return a function with each event's count."""
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
def test_an_odd_name_is_accepted_refused_or_rewritten(world: World, way: str, user: str) -> None:
    """The client library replaces blanks by `_`, so this test sends its own bytes."""
    world.start(odd_names=way)
    answer = _raw(world.sandbox, {"user": user, "func": "user-info", "tag": ""})
    shown = {"accepted": user, "rewritten": "a_b"}.get(way)
    assert (b"userName\0" in answer) is (shown is not None)
    if shown is None:
        assert b"Non-printable characters not allowed" in answer
    else:
        assert f"userName\0\3\0\0\0{shown}\0".encode() in answer


def test_a_program_may_have_blanks_in_its_name_and_no_quotes(world: World) -> None:
    world.start(odd_names="refused")
    assert world.client(prog="Helix P4V").run("info")
    assert "Non-printable" in errors(world.client(prog='a"b'), "info")


@pytest.mark.parametrize(
    ("way", "first"),
    [("before-triggers", "P4PASSWD"), ("after-triggers", "'n' validation failed: early")],
)
def test_a_stranger_meets_the_trigger_or_the_login_first(
    world: World, way: str, first: str
) -> None:
    world.start(authentication=way)
    world.table('n command pre-user-depots$ "fail early"')
    assert first in errors(world.client(user="carol"), "depots")


ARGUMENTS = ["-f", "", "a b", 'c"d']


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("plain", '-f  a b c"d'),
        ("quoted", '-f "" "a b" c"d'),
        ("doubled", '-f "" "a b" c""d'),
    ],
)
def test_args(world: World, way: str, text: str) -> None:
    world.start(args=way, triggers_io="1")
    assert _told_by(world)["args"] == text


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("comma", '-f,,a b,c"d'),
        ("percent", "-f,,a%20b,c%22d"),
        ("csv", '-f,,a b,"c""d"'),
    ],
)
def test_args_quoted(world: World, way: str, text: str) -> None:
    world.start(args_quoted=way, triggers_io="1")
    told = _told_by(world)["argsQuoted"]
    assert told.replace("%25", "%") == text


def _told_by(world: World) -> dict[str, str]:
    """Return the dictionary that a trigger gets for a command with odd arguments."""
    file = world.folder / "told"
    program = world.folder / "tell"
    program.write_text(f"#!/bin/sh\ncat >{file}\necho action:pass\n")
    program.chmod(0o700)
    world.table(f"n command pre-user-counter$ {program}")
    with pytest.raises(P4Exception):
        world.client().run("counter", *ARGUMENTS)
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split(":", 1) for line in lines)


@pytest.mark.parametrize(
    ("way", "words"),
    [("left", "a|x=%nosuch%|b|"), ("emptied", "a|x=|b|"), ("removed", "a|b|")],
)
def test_an_unknown_variable(world: World, way: str, words: str) -> None:
    world.start(unknown_variables=way)
    world.table(f'n command pre-user-depots$ "{world.teller()} a %quote%x=%nosuch%%quote% b"')
    world.client().run("depots")
    assert world.told() == words


@pytest.mark.parametrize(
    ("way", "name", "other"),
    [("typed", "user-workspaces", "user-clients"), ("main", "user-clients", "user-workspaces")],
)
def test_a_synonym(world: World, way: str, name: str, other: str) -> None:
    world.start(command_name=way)
    world.table(
        f'n command pre-{name}$ "{world.teller()} %command%"',
        f'o command pre-{other}$ "fail wrong name"',
    )
    world.client().run("workspaces")
    assert world.told() == f"{name}|"


@pytest.mark.parametrize(
    ("way", "text"), [("blanks", "all|inner|"), ("commas", "all,inner|"), ("direct", "inner|")]
)
def test_groups(world: World, way: str, text: str) -> None:
    world.start(groups=way)
    admin = world.admin()
    admin.save_group({"Group": "inner", "Users": ["ann"]})
    admin.save_group({"Group": "all", "Subgroups": ["inner"]})
    world.table(f'n command pre-user-depots$ "{world.teller()} %groups%"')
    world.client().run("depots")
    assert world.told() == text


@pytest.mark.parametrize(
    ("path", "ways"),
    [
        ("user-depo", {"anywhere"}),
        ("pre-user-depo", {"anywhere", "start"}),
        ("pre-user-depots$", {"anywhere", "start", "whole"}),
    ],
)
@pytest.mark.parametrize("way", ["anywhere", "start", "whole"])
def test_where_a_command_path_matches(world: World, path: str, ways: set[str], way: str) -> None:
    world.start(command_pattern=way)
    world.table(f'n command {path} "fail caught"')
    p4 = world.client()
    if way in ways:
        assert "caught" in errors(p4, "depots")
    else:
        assert p4.run("depots")


SPEC = "Error in client specification."
REFUSAL = "'n' validation failed: no"


@pytest.mark.parametrize(
    ("way", "lines"),
    [
        ("context-first", [SPEC, REFUSAL]),
        ("context-last", [REFUSAL, SPEC]),
        ("alone", [REFUSAL]),
    ],
)
def test_the_lines_of_a_refusal(world: World, way: str, lines: list[str]) -> None:
    world.start(refusal_order=way)
    world.table('n form-save client "fail no"')
    p4 = world.client()
    with pytest.raises(P4Exception) as refused:
        p4.save_client(p4.fetch_client())
    assert "\n".join(refused.value.errors).split("\n") == lines


@pytest.mark.parametrize("way", ["success", "failure"])
def test_a_killed_trigger(world: World, way: str) -> None:
    world.start(killed=way)
    world.table(f"n command pre-user-depots$ {world.script('kill -9 $$')}")
    p4 = world.client()
    if way == "success":
        assert p4.run("depots")
    else:
        assert errors(p4, "depots") == "'n' validation failed: no error message"


@pytest.mark.parametrize("mode", ["600", "400", "644", "666"])
def test_the_mode_of_a_form_file(world: World, mode: str) -> None:
    world.start(form_file_mode=f"0{mode}")
    file = world.folder / "mode"
    world.table(f'n form-save client "{world.script(f"stat -c %a $1 >{file}")} %formfile%"')
    p4 = world.client()
    p4.save_client(p4.fetch_client())
    assert file.read_text("utf-8") == f"{mode}\n"


@pytest.mark.parametrize(("way", "owner"), [("filled", "ann"), ("absent", None)])
def test_an_optional_field(world: World, way: str, owner: str | None) -> None:
    world.start(form_fields=way)
    p4 = world.client()
    p4.save_client("Client: ws\nRoot: /r\nOptions: clobber\nView: //depot/... //ws/...\n")
    kept = p4.fetch_client("ws")
    assert kept.get("Owner") == owner
    assert ("noallwrite" in kept["Options"]) is (way == "filled")


@pytest.mark.parametrize("way", ["sent", "regenerated"])
def test_a_form_save_trigger_sees_the_text_sent_or_one_made_anew(world: World, way: str) -> None:
    world.start(form_save_text=way)
    file = world.folder / "form"
    world.table(f'n form-save client "{world.script(f"cat $1 >{file}")} %formfile%"')
    world.client().save_client("client: ws\nRoot: /r\nStream: //streams/main\n")
    text = file.read_text("utf-8")
    assert ("View:\n\t//streams/main/... //ws/...\n" in text) is (way == "regenerated")
    assert text.startswith("client: ws\n" if way == "sent" else "Client:\tws\n")


@pytest.mark.parametrize("way", ["fires", "silent"])
def test_a_form_that_changes_nothing(world: World, way: str) -> None:
    world.start(unchanged_form=way)
    p4 = world.client()
    p4.save_client(p4.fetch_client())
    world.table('n form-save client "fail again"')
    if way == "silent":
        assert p4.save_client(p4.fetch_client()) == ["Client ws not changed."]
    else:
        with pytest.raises(P4Exception, match="again"):
            p4.save_client(p4.fetch_client())


@pytest.mark.parametrize("way", ["fires", "silent"])
@pytest.mark.parametrize(
    "command", [("client", "-s", "-S", "//streams/dev"), ("switch", "//streams/dev")]
)
def test_a_switch_of_streams(world: World, way: str, command: tuple[str, ...]) -> None:
    world.start(stream_switch=way)
    p4 = world.client()
    p4.save_client(p4.fetch_client("-S", "//streams/main"))
    world.table('n form-save client "fail caught"')
    if way == "fires":
        assert "caught" in errors(p4, *command)
    else:
        assert p4.run(*command) == ["Client ws switched."]
        assert p4.fetch_client()["View"] == ["//streams/dev/... //ws/..."]


def test_a_client_gets_the_view_of_another(world: World) -> None:
    world.start()
    p4 = world.client()
    view = "//depot/docs/... //model/..."
    p4.save_client({**p4.fetch_client("model"), "View": [view]})
    p4.save_client(p4.fetch_client("ws"))
    assert p4.run("client", "-s", "-t", "model") == ["Client ws switched."]
    assert p4.fetch_client()["View"] == ["//depot/docs/... //ws/..."]
    assert "doesn't exist" in errors(p4, "client", "-s", "-t", "model", "nosuch")
    assert "Missing/wrong number" in errors(p4, "client", "-s")


@pytest.mark.parametrize(("way", "tries"), [("parallel", 100), ("serial", 3)])
def test_triggers_of_two_saves(world: World, way: str, tries: int) -> None:
    """Each trigger waits until both have started, and records a timeout."""
    world.start(saves=way)
    file = world.folder / "begun"
    wait = f'echo begun >>{file}; for i in $(seq {tries}); do [ "$(grep -c begun {file})" = 2 ] '
    program = world.script(f"{wait} && exit 0; sleep 0.1; done; echo gave-up >>{file}")
    world.table(f"n form-save client {program}")
    forms = [(p4, p4.fetch_client()) for p4 in (world.client(client=c) for c in ("w1", "w2"))]
    savers = [threading.Thread(target=p4.save_client, args=(form,)) for p4, form in forms]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join()
    assert ("gave-up" in file.read_text("utf-8")) is (way == "serial")


@pytest.mark.parametrize(("way", "hops"), [("once", "sandbox "), ("twice", "edge sandbox ")])
def test_a_forwarded_command(world: World, way: str, hops: str) -> None:
    world.start(forwarded=way)
    file = world.folder / "hops"
    program = world.script(f'printf "%s " $1 >>{file}')
    world.table(f'n command pre-user-depots$ "{program} %serverid%"')
    world.client().run("depots")
    assert file.read_text("utf-8") == hops


def test_what_a_strict_server_checks_of_a_table(world: World) -> None:
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
    """Send one message that no client would send; return the bytes of the answer."""
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
