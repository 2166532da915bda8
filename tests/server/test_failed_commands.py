"""Tests that a command that fails at any step leaves the home folder and the server as before."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from support.changing_commands import CASES, World, install
from support.examples import long_but
from support.faults import fail_at_every_step
from support.small_disks import mounted
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches("table")
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
NOBODY = 65534


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
