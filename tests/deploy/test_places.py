"""Tests that unsafe or impossible installations are refused, and leave the host unchanged.

Reasons are, for example, unsafe folders, unknown accounts, unreadable files and wrong options.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from pathlib import Path

import pytest

from deploy import versions
from deploy.hosts import OWNER, PYTHON, ROOT, SCRIPT, Host, put
from p4warden import __version__

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file another's")
NOBODY = 65534


@pytest.fixture
def host(tmp_path: Path, one_file: Path) -> Host:
    return Host(tmp_path / "host", one_file)


def refused(host: Host, message: str, *options: str, **places: Path) -> str:
    """Install; check that it is refused with this message alone; return the command in it."""
    before = state(host)
    result = host.install(*options, **places)
    assert result.code == 1, result.output
    assert re.fullmatch(rf"p4warden install: {message}\n", result.output), result.output
    assert state(host) == before
    return result.output.partition("; run ")[2].partition(", or ")[0].partition(" and use")[0]


def state(host: Host) -> list[Path]:
    return sorted(host.prefix.parent.rglob("*"))


def paste(command: str) -> None:
    subprocess.run(["sh", "-ec", command], check=True)


@pytest.mark.parametrize(
    ("place", "mode"), [("prefix", 0o777), ("home", 0o775), ("prefix", 0o1777)]
)
def test_a_folder_that_others_can_write_to_is_refused(host: Host, place: str, mode: int) -> None:
    folder: Path = getattr(host, place)
    folder.mkdir(exist_ok=True)
    folder.chmod(mode)
    paste(refused(host, rf"others have write access to {folder}; run chmod .*, or choose .*"))
    assert host.install("--dry-run").code == 0


def test_a_parent_folder_that_others_can_write_to_is_refused(host: Host) -> None:
    host.prefix.parent.chmod(0o770)
    paste(refused(host, rf"others have write access to {host.prefix.parent}; .*"))
    assert host.install("--dry-run").code == 0


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
    paste(refused(host, rf"{folder} belongs to account {NOBODY}, which could replace .*"))
    assert host.install("--dry-run").code == 0


def test_an_unknown_owner_account_is_refused(host: Host) -> None:
    result = host.install("--owner=no-such-account")
    assert result.output == (
        "p4warden install: there is no account no-such-account; name p4d's account with --owner\n"
    )


def test_a_folder_with_other_files_is_refused(host: Host) -> None:
    host.prefix.mkdir()
    (host.prefix / "pyvenv.cfg").touch()
    refused(host, rf"{host.prefix} contains other files; choose an empty folder")


def test_missing_parent_folders_are_created_and_removed_again_if_the_installation_fails(
    host: Host, tmp_path: Path
) -> None:
    folder = host.prefix / "missing" / "below"
    broken = versions.write(host.file, tmp_path / "broken.pyz", "0.3.0", b"#!/bin/sh\nexit 1\n")
    before = state(host)
    result = host.install(file=broken, prefix=folder)
    assert (result.code, state(host)) == (1, before), result.output
    result = host.install(prefix=folder)
    assert result.code == 0, result.output
    assert folder.parent.stat().st_mode & 0o777 == 0o755


def test_a_python_that_is_too_old_is_refused(host: Host) -> None:
    old = put(host.bin, "old", "#!/bin/sh\nexit 1\n")
    message = rf"{old} is not Python 3.10 or later; name another with --python, such as .*"
    refused(host, message, python=old)
    message = r"there is no program /no/python3; name another with --python, such as .*"
    refused(host, message, python=Path("/no/python3"))


def test_install_sh_requires_the_python_version_of_the_package() -> None:
    [expected] = re.findall(r"python_requires = >=(\d+)\.(\d+)", (ROOT / "setup.cfg").read_text())
    assert f"sys.version_info < ({expected[0]}, {expected[1]})" in SCRIPT.read_text()


def test_a_second_installation_at_the_same_time_is_refused(host: Host) -> None:
    host.prefix.mkdir()
    host.home.mkdir()
    with (host.prefix / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        message = rf"another installation is changing {host.prefix}; wait until it has finished"
        refused(host, message)


def test_rollback_without_a_previous_version_is_refused(host: Host) -> None:
    message = f"p4warden install: {host.prefix} contains no previous version\n"
    assert host.roll_back(*OWNER).output == message


def test_the_script_without_the_file_asks_for_it(host: Host) -> None:
    command = ["/bin/sh", str(SCRIPT), f"--prefix={host.prefix}", f"--python={PYTHON}", *OWNER]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode != 0
    assert "run python3 p4warden-VERSION.pyz install" in process.stderr


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
        f"Would install p4warden {__version__} into {host.prefix}/versions, for "
    )
    assert not host.prefix.exists()
    assert not host.home.exists()


def test_install_sh_prints_its_usage() -> None:
    result = subprocess.run(
        ["sh", str(SCRIPT), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "\n  python3 p4warden-VERSION.pyz install " in result.stdout
    assert "set -eu" not in result.stdout
