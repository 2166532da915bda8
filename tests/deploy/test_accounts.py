"""Tests of root, who installs for p4d's account what a personal account copied to the host."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.hosts import PYTHON, Host

if TYPE_CHECKING:
    from collections.abc import Iterator

ANN, NOBODY = 1234, 65534
SYSTEM_PYTHON = "/usr/bin/python3"


def minor(python: str) -> str:
    command = [python, "-I", "-c", "import sys; print(sys.version_info[:2])"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return process.stdout


pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can install for another account"),
    pytest.mark.skipif(
        not Path(SYSTEM_PYTHON).exists() or minor(SYSTEM_PYTHON) != minor(PYTHON),
        reason=f"{SYSTEM_PYTHON} is not the Python of these tests, for which the file is built",
    ),
]


@pytest.fixture
def host(one_file: Path) -> Iterator[Host]:
    """Fixture: a host in a folder that every account may enter, with the file in it."""
    folder = Path(tempfile.mkdtemp(prefix="p4warden-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield Host(folder, Path(shutil.copy(one_file, folder / f"{folder.name}.pyz")))
    shutil.rmtree(folder)


def install(host: Host, *options: str, python: str = SYSTEM_PYTHON) -> str:
    result = host.install("--owner=nobody", f"--python={python}", *options)
    assert result.code == 0, result.output
    return result.output


def accepted(host: Host) -> None:
    """Check what an installation checks before it writes, which takes a tenth of the time."""
    install(host, "--dry-run")


def refused(host: Host, problem: str, python: str = SYSTEM_PYTHON) -> str:
    """Install; check that it is refused with a problem; return the remedy."""
    result = host.install("--owner=nobody", f"--python={python}")
    assert result.code == 1, result.output
    assert result.output.startswith(f"p4warden install: {problem}"), result.output
    assert not host.prefix.exists()
    assert not host.home.exists()
    return result.output.partition("; ")[2].strip()


def use_copy(host: Host, remedy: str) -> None:
    command, _, rest = remedy.removeprefix("run ").partition(" and use ")
    assert rest == "that copy"
    subprocess.run(["sh", "-ec", command], check=True)
    copied = Path("/var/tmp", host.file.name)  # noqa: S108 - named by the remedy
    host.file = copied.replace(host.prefix.parent / host.file.name)


def test_a_file_of_a_personal_account_is_refused_with_the_command_against_it(host: Host) -> None:
    os.chown(host.file, ANN, ANN)
    remedy = refused(host, f"{host.file} belongs to account {ANN}, which could replace p4warden")
    use_copy(host, remedy)
    accepted(host)


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        (0o666, "others have write access to {}; run install -m "),
        (0o600, "nobody has no access to {}, or to a folder above"),
    ],
)
def test_a_file_of_wrong_rights_is_refused_with_the_command_against_it(
    host: Host, mode: int, problem: str
) -> None:
    host.file.chmod(mode)
    use_copy(host, refused(host, problem.format(host.file)))
    accepted(host)


def test_a_file_that_an_account_could_replace_is_refused_with_the_command_against_it(
    host: Host,
) -> None:
    folder = host.file.parent / "ann"
    folder.mkdir(mode=0o755)
    host.file = Path(shutil.move(host.file, folder))
    os.chown(folder, ANN, ANN)
    use_copy(host, refused(host, f"{folder} belongs to account {ANN}, which could replace"))
    accepted(host)


def test_a_file_in_a_personal_folder_is_refused_with_the_command_against_it(host: Host) -> None:
    folder = host.file.parent / "ann"
    folder.mkdir(mode=0o700)
    host.file = Path(shutil.move(host.file, folder))
    use_copy(host, refused(host, f"nobody has no access to {host.file}, or to a folder above"))
    accepted(host)


def test_a_python_that_the_owner_may_not_start_is_refused_with_another_to_name(host: Host) -> None:
    folder = host.file.parent / "of-root"
    folder.mkdir(mode=0o700)
    python = str(shutil.copy(os.path.realpath(SYSTEM_PYTHON), folder))
    remedy = refused(host, f"nobody has no access to {python}, or to a folder above", python)
    assert remedy == f"name another with --python, such as --python {SYSTEM_PYTHON}"
    accepted(host)


@pytest.mark.parametrize(
    ("owner", "mode", "problem"),
    [
        (ANN, 0o755, f"{{}} belongs to account {ANN}, which could replace p4warden"),
        (0, 0o777, "others have write access to {}"),
    ],
)
def test_a_python_that_others_could_replace_is_refused_with_another_to_name(
    host: Host, owner: int, mode: int, problem: str
) -> None:
    python = Path(shutil.copy(os.path.realpath(SYSTEM_PYTHON), host.file.parent))
    os.chown(python, owner, owner)
    python.chmod(mode)
    remedy = refused(host, problem.format(python), str(python))
    assert remedy == f"name another with --python, such as --python {SYSTEM_PYTHON}"
    accepted(host)


def test_an_upgrade_and_a_rollback_with_the_prefix_alone_keep_home_and_owner(host: Host) -> None:
    install(host)
    assert [place.stat().st_uid for place in (host.prefix, host.home)] == [NOBODY, NOBODY]
    alone = (f"--prefix={host.prefix}", f"--python={SYSTEM_PYTHON}")
    host.file.write_bytes(host.file.read_bytes() + b"\n")
    result = host.run(*alone)
    assert result.code == 0, result.output
    assert "Next, as nobody" in result.output
    assert f" P4WARDEN_HOME={host.home}" in result.output
    result = host.run("--rollback", alone[0])
    assert result.code == 0, result.output
    owners = {path.stat().st_uid for path in host.prefix.rglob("*") if not path.is_symlink()}
    assert owners == {NOBODY}
    refused_with_versions_of_root(host)


def refused_with_versions_of_root(host: Host) -> None:
    versions = host.prefix / "versions"
    os.chown(versions, 0, 0)
    result = host.install("--owner=nobody", f"--python={SYSTEM_PYTHON}")
    assert result.code == 1
    problem = f"p4warden install: {versions} does not belong to nobody; run "
    assert result.output.startswith(problem), result.output
    command = result.output.removeprefix(problem).partition(", or name")[0]
    subprocess.run(["sh", "-ec", command], check=True)
    accepted(host)
