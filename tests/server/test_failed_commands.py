"""Tests that a command that fails at any step leaves the home folder and the server as before."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from p4warden.asking import gate_program
from support.examples import long_but
from support.faults import KillingDisk, fail_at_every_step, places
from support.policies import OBSERVED, POLICY
from support.small_disks import mounted
from support.small_index import small_index
from support.triggers import write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from P4 import P4

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches("table", fast=False)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
NOBODY = 65534
GROWING = ("decisions.jsonl", "history.jsonl", "old_lines.jsonl", "state")


class World:
    """A home folder, a folder for output and a server, which can be compared and put back."""

    def __init__(self, warden: Warden, admin: P4, folder: Path) -> None:
        self.warden, self.admin, self.folder = warden, admin, folder
        self.policy = folder / "new.yaml"
        self.policy.write_text(OBSERVED)
        self._backup = folder.with_name("backup")

    def content(self) -> dict[str, bytes | None]:
        """Return the triggers table and the files, without locks, logs and metrics.

        The file of the metrics says that it is not complete.
        """
        files: dict[str, bytes | None] = {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
            if path.suffix not in (".lock", ".prom") and path.name not in GROWING
        }
        return files | {"the table": self.table().encode()}

    def table(self) -> str:
        return str(self.admin.run("triggers", "-o", tagged=False)[0])

    def keep(self) -> None:
        """Keep the present state for `put_back`."""
        shutil.rmtree(self._backup, ignore_errors=True)
        shutil.copytree(self.folder, self._backup)
        self._table = self.table()

    def put_back(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._backup, self.folder)
        if self.table() != self._table:
            write(self.admin, self._table)


class Case(NamedTuple):
    """A command line that changes files, and the state before it."""

    words: tuple[str, ...]
    prepare: Callable[[World], object]
    has_home: bool = True
    success: int = 0


def install(world: World) -> None:
    world.warden.install(POLICY)


def add_depot(world: World) -> None:
    install(world)
    world.admin.save_depot({"Depot": "new", "Type": "local", "Map": "new/..."})


def plan(world: World) -> None:
    world.warden.install(POLICY)
    text = POLICY.replace("[client]", "[client, branch]")
    world.policy.write_text(text)
    world.warden.must("deploy", "plan", "--policy", str(world.policy), code=1)


def plan_beside_an_edge(world: World) -> None:
    edge = {"ServerID": "edge-1", "Type": "server", "Services": "edge-server", "Name": "edge-1"}
    world.admin.save_server(edge)
    install_named(world)
    world.policy.write_text(POLICY.replace("[client]", "[client, branch]"))
    world.warden.must("deploy", "plan", "--policy", str(world.policy), code=1)


def install_named(world: World) -> None:
    world.warden.prepare(POLICY)
    world.warden.must("deploy", "plan", code=1)
    words = ("--exclude", "edge-1", "--reason", "not there yet")
    world.warden.must("deploy", "apply", "--no-verify", *words)


def deploy_twice(world: World) -> None:
    plan(world)
    world.warden.must("deploy", "apply", "--no-verify", "--policy", str(world.policy))


def switch_off(world: World) -> None:
    install(world)
    world.warden.must("off")


def refuse(world: World) -> None:
    """Let the log have a refusal, and the home an allowance."""
    install(world)
    record = {"time": 1, "event": "form-save", "type": "client", "user": "ann", "ip": "10.0.0.1"}
    record |= {"verdict": "refuse", "rule": "no-whole-depot"}
    lines = [json.dumps({**record, "name": name, "id": name}) for name in ("refused1", "allowed1")]
    (world.warden.home / "decisions.jsonl").write_text("".join(f"{line}\n" for line in lines))
    world.warden.must("allow", "allowed1", *ALLOWED)


def tolerate(world: World) -> None:
    world.warden.install(OBSERVED)
    world.warden.must("census", "--write-baseline")
    world.admin.save_client({"Client": "w", "Root": "/w", "View": ["//depot/... //w/..."]})


def draft(world: World) -> None:
    (world.folder / "out.yaml").write_text("old\n")


def replan(world: World) -> None:
    install(world)
    world.policy.write_text(POLICY.replace("[client]", "[client, branch]"))


def give(world: World) -> None:
    """Share a policy and an index; then run another policy without an index."""
    world.warden.install(OBSERVED)
    index = world.warden.home / "checkpoint.index"
    small_index(world.folder, {"//depot/main": 3}, {}).rename(index)
    index.chmod(0o600)
    world.warden.must("share", str(world.folder / "shared"))
    index.unlink(missing_ok=True)
    world.policy.write_text(POLICY)
    world.warden.must("activate", str(world.policy))


def check_in(world: World) -> None:
    """Submit a small file with a client, whose root is beside the folder that is compared."""
    install(world)
    root = world.folder.with_name("root")
    root.mkdir()
    view = ["//depot/main/... //pulse-ws/..."]
    world.admin.save_client({"Client": "pulse-ws", "Root": str(root), "View": view})
    (root / "pulse.txt").write_text("beat\n")
    world.admin.client = "pulse-ws"
    world.admin.run("add", str(root / "pulse.txt"))
    world.admin.run("submit", "-d", "a small file")


def letter(world: World) -> None:
    install(world)
    row = {"type": "client", "name": "ann-ws", "owner": "ann", "verdict": "refuse", "rule": "wide"}
    text = json.dumps({**row, "detail": "It maps all of //depot", "fix": None})
    (world.folder / "census").write_text(text + "\n")
    (world.folder / "users.csv").write_text("ann,ann@example.com\n")


NOTIFY = (
    *("notify-owners", "--census", "{folder}/census", "--addresses", "{folder}/users.csv"),
    *("--deadline", "2027-03-31", "--domain", "example.com"),
    *("--contact", "admins"),
)
ALLOWED = ("--for", "1d", "--reason", "a demo")
PULSE = ("pulse", "--once", "--path", "//depot/main/pulse.txt", "--client", "pulse-ws")

CASES = {
    "activate, no home": Case(("activate", "{policy}"), lambda _: None),
    "activate": Case(("activate", "{policy}"), install),
    "refresh": Case(("refresh",), add_depot),
    "init": Case(("init", "--output", "{folder}/out.yaml"), lambda _: None, has_home=False),
    "init --force": Case(
        ("init", "--force", "--output", "{folder}/out.yaml"), draft, has_home=False
    ),
    "deploy plan": Case(("deploy", "plan", "--policy", "{policy}"), replan, success=1),
    "deploy plan --instance": Case(
        ("deploy", "plan", "--instance", "second", "--policy", "{policy}"), replan, success=1
    ),
    "share": Case(("share", "{folder}/other"), give),
    "share again": Case(("share", "{folder}/shared"), give),
    "follow": Case(("follow", "{folder}/shared"), give),
    "notify-owners --to-folder": Case((*NOTIFY, "--to-folder", "{folder}/a/b"), letter),
    "pulse": Case(PULSE, check_in),
    "report --html": Case(("report", "--html", "{folder}/page.html"), install),
    "deploy apply": Case(
        ("deploy", "apply", "--no-verify", "--policy", "{policy}"),
        plan,
    ),
    "deploy apply --ready-on": Case(
        ("deploy", "apply", "--no-verify", "--policy", "{policy}", "--ready-on", "edge-1"),
        plan_beside_an_edge,
    ),
    "deploy rollback": Case(("deploy", "rollback", "--yes"), deploy_twice),
    "deploy uninstall": Case(("deploy", "uninstall", "--yes"), install),
    "census": Case(("census", "--write-baseline"), tolerate),
    "off": Case(("off",), install),
    "on": Case(("on",), switch_off),
    "allow": Case(("allow", "refused1", *ALLOWED), refuse),
    "allow --end": Case(("allow", "--end", "allowed1"), refuse),
    "metrics": Case(("metrics", "--output", "{folder}/p4warden.prom"), install),
}


KILLED = ("activate", "metrics")


@pytest.fixture
def world(server: Server, connect: ClientFactory, tmp_path: Path) -> World:
    folder = tmp_path / "world"
    folder.mkdir()
    warden = Warden(server, folder, connect)
    return World(warden, connect(server, user=server.super_user), folder)


@pytest.mark.sampled
@pytest.mark.parametrize("stays_full", long_but([False], [False, True]), ids=["once", "full"])
@pytest.mark.parametrize("name", long_but([*CASES][::2], CASES))
def test_a_command_that_fails_at_any_step_changes_nothing(
    world: World, name: str, *, stays_full: bool
) -> None:
    case = CASES[name]
    case.prepare(world)
    world.keep()
    words = [word.format(policy=world.policy, folder=world.folder) for word in case.words]
    fail_at_every_step(
        lambda: world.warden.run(*words, home=case.has_home),
        world.content,
        world.put_back,
        stays_full=stays_full,
        success=case.success,
    )


@pytest.fixture
def public_world(server: Server, connect: ClientFactory) -> Iterator[World]:
    """Fixture: a world in a folder that every account may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        folder = Path(path, "world")
        folder.mkdir()
        warden = Warden(server, folder, connect)
        yield World(warden, connect(server, user=server.super_user), folder)


WRITING = (
    *("activate", "refresh", "deploy apply", "deploy rollback", "deploy uninstall", "census"),
    *(
        "metrics",
        "allow",
        "allow --end",
        "deploy plan",
        "follow",
        "pulse",
    ),
)


@AS_ROOT
@pytest.mark.parametrize("name", WRITING)
def test_root_in_the_home_of_another_account_changes_nothing_and_is_told_the_command(
    public_world: World, name: str
) -> None:
    world = public_world
    CASES[name].prepare(world)
    give_away(world)
    before = world.content()
    words = [word.format(policy=world.policy, folder=world.folder) for word in CASES[name].words]
    output = world.warden.must(*words, code=2 if name == "deploy plan" else 1)
    home = world.warden.home
    advice = f"p4warden: {home} belongs to nobody; run this as nobody: runuser -u nobody -- "
    assert output.startswith(advice + f"p4warden {words[0]} ")
    assert output.count("\n") == 1
    assert world.content() == before


READING = (
    *(("history",), ("report",), ("deploy", "plan"), ("deploy", "verify"), ("census",)),
    *(("activate",), ("explain", "--typed", "p4 fstat //depot/..."), ("share", "{folder}/shared")),
)


@AS_ROOT
@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_root_who_reads_the_home_of_another_account_is_told_the_command(
    public_world: World, words: tuple[str, ...]
) -> None:
    world = public_world
    install(world)
    give_away(world)
    before = world.content()
    words = tuple(word.format(folder=world.folder) for word in words)
    result = world.warden.run(*words)
    home = world.warden.home
    advice = f"p4warden: {home} belongs to nobody; run this as nobody: runuser -u nobody -- "
    assert result.output.startswith(f"{advice}p4warden {words[0]} ")
    assert (result.code, result.output.count("\n")) == (2 if words[-1] == "plan" else 1, 1)
    assert world.content() == before


@AS_ROOT
def test_root_may_switch_off_and_on_in_the_home_of_another_account(public_world: World) -> None:
    world = public_world
    install(world)
    give_away(world)
    world.warden.must("off", "--reason", "too slow")
    assert "warning" not in world.warden.must("on")
    home = world.warden.home
    lines = [json.loads(line) for line in (home / "history.jsonl").read_text().splitlines()]
    assert [(line["action"], line["account"]) for line in lines[-2:]] == [
        ("off", "root"),
        ("on", "root"),
    ]
    assert {path.stat().st_uid for path in (home, *home.rglob("*"))} == {NOBODY}


@AS_ROOT
def test_the_command_that_root_is_told_works(public_world: World) -> None:
    world = public_world
    install(world)
    give_away(world)
    output = world.warden.must("activate", str(world.policy), code=1)
    _, _, command = output.partition("run this as nobody: ")
    path = f"{programs_for_all(world)}:{os.environ['PATH']}"
    subprocess.run(["/bin/sh", "-ec", command], check=True, env={**os.environ, "PATH": path})
    assert b"observe" in (world.warden.home / "policy.json").read_bytes()


def programs_for_all(world: World) -> Path:
    """Return a folder with a `p4warden` for every account; skip without a Python for all."""
    program = world.folder / "bin" / "p4warden"
    program.parent.mkdir()
    shutil.copy(gate_program.find(), program.parent)
    python = program.with_name("python3")
    modules = ":".join(path for path in sys.path if path)
    for original in (sys.executable, shutil.which("python3", path="/usr/bin:/bin") or ""):
        python.unlink(missing_ok=True)
        python.symlink_to(original)
        program.write_text(f'#!/bin/sh\nPYTHONPATH={modules} exec {python} -m p4warden "$@"\n')
        program.chmod(0o755)
        try_it = ["runuser", "-u", "nobody", "--", str(program), "check", str(world.policy)]
        if subprocess.run(try_it, check=False, capture_output=True).returncode == 0:
            return program.parent
    pytest.skip("no Python here can be started by another account")


def give_away(world: World) -> None:
    for path in (world.folder, *world.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


def run(world: World, *prefix: str) -> subprocess.CompletedProcess[str]:
    """Run `p4warden activate` as a process of its own, started by the command `prefix`."""
    home = str(world.warden.home)
    words = ["-I", "-B", "-m", "p4warden", "activate", str(world.policy), "--home", home]
    command = [*prefix, sys.executable, *words]
    environment = {**os.environ, **world.warden.settings}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_a_limit_on_the_size_of_files_changes_nothing(world: World) -> None:
    install(world)
    before = world.content()
    process = run(world, "prlimit", "--fsize=4096")
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.endswith("home: cannot be written: File too large\n")
    assert world.content() == before


def test_a_full_disk_changes_nothing(world: World) -> None:
    install(world)
    home = world.warden.home
    files = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
    with mounted(home, "size=256k,mode=700"):
        for name in ("policy.json", "policy.source", "facts.json"):
            if name in files:
                (home / name).write_bytes(files[name])
                (home / name).chmod(0o600)
        before = world.content()
        process = run(world)
        assert process.returncode == 1
        assert process.stderr.endswith("home: cannot be written: No space left on device\n")
        assert world.content() == before


@pytest.mark.sampled
@pytest.mark.parametrize("name", long_but(["metrics"], KILLED))
def test_the_next_command_removes_what_a_killed_one_left(world: World, name: str) -> None:
    CASES[name].prepare(world)
    world.keep()
    words = [word.format(policy=world.policy, folder=world.folder) for word in CASES[name].words]
    lefts = set()
    for place in places():
        if not is_killed(world, words, place):
            break
        lefts |= {leftover.partition(".p4warden-")[0] for leftover in leftovers(world)}
        for one in ("policy.yaml.2024.old", f"policy.json.p4warden-{os.getppid()}.new"):
            (world.warden.home / one).write_text("of someone who lives")
        world.warden.must("refresh")
        assert leftovers(world) == [f"policy.json.p4warden-{os.getppid()}.new"], place
        assert (world.warden.home / "policy.yaml.2024.old").exists()
        world.put_back()
    else:
        pytest.fail("the command never ended")
    assert lefts


def leftovers(world: World) -> list[str]:
    return [path.name for path in world.warden.home.rglob("*.p4warden-*")]


def is_killed(world: World, words: list[str], place: int) -> bool:
    """Run a command in a process that is killed before the n-th change of files."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of other threads, which do not matter
        process = os.fork()
    if process == 0:
        code = 3
        try:
            with KillingDisk(place):
                code = world.warden.run(*words).code
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


@AS_ROOT
def test_a_read_only_home_is_unchanged(world: World) -> None:
    install(world)
    home = str(world.warden.home)
    mounts = [["mount", "--bind", home, home], ["mount", "-o", "remount,bind,ro", home]]
    if subprocess.run(mounts[0], check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        subprocess.run(mounts[1], check=True)
        before = world.content()
        for name in WRITING:
            words = [w.format(policy=world.policy, folder=world.folder) for w in CASES[name].words]
            if name in ("follow", "census") or "uninstall" in words:
                continue
            output = world.warden.run(*words).output
            assert output == f"p4warden: {home} is on a read-only file system\n", name
        assert world.content() == before
    finally:
        subprocess.run(["umount", home], check=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_home_is_unchanged_and_the_command_that_opens_it_is_named(world: World) -> None:
    install(world)
    world.warden.home.chmod(0o500)
    output = world.warden.must("activate", str(world.policy), code=1)
    subprocess.run(shlex.split(output.partition("; run ")[2]), check=True)
    world.warden.must("activate", str(world.policy))
