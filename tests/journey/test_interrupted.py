"""Tests that an upgrade that is killed, meets another or a full disk keeps a version in use."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from deploy import versions
from deploy.hosts import Host, put
from p4warden import __version__
from support.examples import long_but
from support.small_disks import mounted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deploy.hosts import InstallResult

KILLED = 137
STEPS = range(5, 500, 11)
"""Of the commands that the script runs when it upgrades."""
TRAP = """\
steps=0
set -T
trap 'steps=$((steps + 1)); [ "$steps" -lt "$LAST_STEP" ] || kill -9 $$' DEBUG
"""
"""What bash does before each command of the script, also in functions and subshells."""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, one_file: Path) -> Host:
    host = Host(tmp_path_factory.mktemp("host"), one_file)
    trap = host.bin / "trap"
    trap.write_text(TRAP)
    put(
        host.bin,
        "sh",
        f'#!/bin/sh\n[ -z "$LAST_STEP" ] || export BASH_ENV={trap}\nexec bash "$@"\n',
    )
    result = host.install()
    assert result.code == 0, result.output
    return host


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory, one_file: Path) -> Path:
    return versions.write(one_file, tmp_path_factory.mktemp("newer") / "0.2.0.pyz", "0.2.0")


def upgrade(host: Host, newer: Path, step: int) -> InstallResult:
    return host.run(f"--prefix={host.prefix}", file=newer, settings={"LAST_STEP": str(step)})


def works(host: Host) -> str:
    """Check the version in use by its self-test; return its version."""
    script = "from p4warden.health.programs import self_test; print(self_test().state)"
    command = [str(host.current / "bin" / "python3"), "-I", "-c", script]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.stdout == "good\n", process.stderr
    return host.current.resolve().name.partition("-")[0]


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash, which counts commands")
@pytest.mark.parametrize("step", long_but(STEPS[8::9], STEPS))
def test_killed_before_any_command_of_the_script_a_version_is_in_use(
    host: Host, newer: Path, step: int
) -> None:
    result = upgrade(host, newer, step)
    assert result.code in (0, KILLED), result.output
    works(host)
    result = host.run(f"--prefix={host.prefix}")
    assert result.code == 0, result.output
    assert works(host) == __version__
    versions_left = [*host.prefix.glob("versions/*")]
    assert [one for one in versions_left if not (one / "complete").exists()] == []


def test_of_two_files_at_once_in_one_prefix_one_is_in_use(host: Host, newer: Path) -> None:
    alone = f"--prefix={host.prefix}"
    with ThreadPoolExecutor() as pool:
        ends = [*pool.map(lambda file: host.run(alone, file=file), [newer, host.file] * 2)]
    assert all(
        end.code == 0 or "another installation is changing" in end.output for end in ends
    ), ends
    assert any(end.code == 0 for end in ends)
    assert works(host) in (__version__, "0.2.0")
    assert host.run(alone).code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Fixture: a file system with room for one version and a half."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "size=45m,mode=755"):
        yield disk


def test_a_disk_that_is_full_while_it_unpacks_keeps_the_version_and_nothing_else(
    small_disk: Path, one_file: Path, newer: Path
) -> None:
    host = Host(small_disk, one_file)
    assert host.install().code == 0
    result = host.run(f"--prefix={host.prefix}", file=newer)
    assert result.code == 1, result.output
    assert "No space left on device" in result.output
    assert "p4warden 0.2.0 could not be unpacked; the version in use stays" in result.output
    assert works(host) == __version__
    assert host.versions() == [f"{__version__}-1"]
