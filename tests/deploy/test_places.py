"""Tests that install.sh refuses unsafe or impossible installations, and leaves the host unchanged.

Reasons are, for example, unsafe folders, unknown accounts, missing wheels and wrong options.
"""

from __future__ import annotations

import fcntl
import os
import re
from typing import TYPE_CHECKING

import pytest

from deploy.hosts import SCRIPT, Host, put
from deploy.wheels import ROOT

if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file another's")
NOBODY = 65534


@pytest.fixture
def host(tmp_path: Path) -> Host:
    host = Host(tmp_path / "host")
    host.wheels.mkdir()
    (host.wheels / "p4warden-0.1.0-py3-none-any.whl").touch()
    return host


def refused(host: Host, message: str, *options: str, **settings: Path) -> None:
    result = host.install(*options, **settings)
    assert result.code == 1, result.output
    assert re.fullmatch(rf"install\.sh: {message}", result.output.splitlines()[-1])
    assert not host.current.exists()
    assert not list(host.prefix.glob("versions/*"))


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
@pytest.mark.parametrize("place", ["prefix", "home", "wheels"])
def test_a_folder_that_others_can_write_to_is_refused(host: Host, place: str, mode: int) -> None:
    folder: Path = getattr(host, place)
    folder.mkdir(exist_ok=True)
    folder.chmod(mode)
    refused(host, rf"others have write access to {folder}; run chmod go-w {folder}, or choose .*")


def test_a_parent_folder_that_others_can_write_to_is_refused(host: Host) -> None:
    host.prefix.parent.chmod(0o770)
    refused(host, rf"others have write access to {host.prefix.parent}; .*")


def test_a_parent_folder_with_the_sticky_bit_is_accepted(host: Host) -> None:
    host.prefix.parent.chmod(0o1777)
    assert host.install("--dry-run").code == 0


def test_a_link_through_a_folder_that_others_can_write_to_is_refused(
    host: Host, tmp_path: Path
) -> None:
    loose = tmp_path / "loose"
    (loose / "inside").mkdir(parents=True)
    (tmp_path / "hop").symlink_to("loose/inside")
    host.prefix.symlink_to(tmp_path / "hop")
    assert host.install("--dry-run").code == 0
    loose.chmod(0o777)
    refused(host, rf"others have write access to {tmp_path}.*/loose; .*")


@AS_ROOT
@pytest.mark.parametrize("place", ["prefix", "home"])
def test_a_folder_of_another_account_is_refused(host: Host, place: str) -> None:
    folder: Path = getattr(host, place)
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    refused(host, rf"{folder} is owned by account {NOBODY}, neither root nor root; .*")


@AS_ROOT
def test_a_folder_of_root_is_refused_for_another_owner(host: Host) -> None:
    host.prefix.mkdir()
    result = host.install("--dry-run", "--owner=nobody")
    assert result.code == 1
    assert f"{host.prefix} does not belong to nobody; run chown -R nobody" in result.output


def test_an_unknown_owner_account_is_refused(host: Host) -> None:
    result = host.install("--owner=no-such-account")
    assert result.output == (
        "install.sh: there is no account no-such-account; name p4d's account with --owner\n"
    )


def test_a_folder_with_other_files_is_refused(host: Host) -> None:
    host.prefix.mkdir()
    (host.prefix / "pyvenv.cfg").touch()
    refused(host, rf"{host.prefix} contains other files; choose an empty folder")


def test_a_missing_parent_folder_is_created(host: Host) -> None:
    folder = host.prefix / "missing" / "below"
    refused(host, "pip could not install .*", prefix=folder)
    assert folder.is_dir()
    assert folder.parent.stat().st_mode & 0o777 == 0o755


def test_a_python_that_is_too_old_is_refused(host: Host) -> None:
    old = put(host.bin, "old", "#!/bin/sh\nexit 1\n")
    refused(host, rf"{old} is not Python 3.10 or later; name another with --python", python=old)


def test_install_sh_requires_the_python_version_of_the_package() -> None:
    [expected] = re.findall(r"python_requires = >=(\d+)\.(\d+)", (ROOT / "setup.cfg").read_text())
    assert f"sys.version_info < ({expected[0]}, {expected[1]})" in SCRIPT.read_text()


def test_a_version_without_a_wheel_is_refused(host: Host) -> None:
    refused(host, rf"{host.wheels} contains no wheel of p4warden 9\.9", "--version=9.9")


def test_wheels_of_several_versions_are_refused(host: Host) -> None:
    (host.wheels / "p4warden-0.2.0-py3-none-any.whl").touch()
    refused(
        host, rf"{host.wheels} contains several versions of p4warden; choose one with --version"
    )


def test_a_second_install_sh_at_the_same_time_is_refused(host: Host) -> None:
    host.prefix.mkdir()
    with (host.prefix / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(
            host, rf"another install\.sh is changing {host.prefix}; wait until it has finished"
        )


def test_rollback_without_a_previous_version_is_refused(host: Host) -> None:
    assert host.roll_back().output == (f"install.sh: {host.prefix} contains no previous version\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--prefix=/opt/p4 warden"],
            "a path may contain only letters, digits and . _ + @ -",
        ),
        (["--prefix=/opt/p4#warden"], "a path may contain only letters"),
        (["--prefix=/"], "/ is not a usable folder"),
        (["--prefix"], "--prefix needs a value"),
        (["--home="], "--home needs a value"),
        (["--version=*"], "* is not a version"),
        (["--nothing"], "unknown option --nothing"),
        (["--nothing=x"], "unknown option --nothing"),
    ],
)
def test_a_wrong_command_line_is_refused(host: Host, options: list[str], message: str) -> None:
    result = host.roll_back(*options)
    assert result.code == 2
    assert message in result.output


def test_a_dry_run_changes_nothing(host: Host) -> None:
    result = host.install("--dry-run")
    assert result.code == 0
    assert result.output.startswith(
        f"Would install p4warden 0.1.0 into {host.prefix}/versions, for "
    )
    assert not host.prefix.exists()
    assert not host.home.exists()
