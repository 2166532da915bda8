"""Tests of `p4warden units`: what it writes fits the installation, the commands and systemd."""

from __future__ import annotations

import fnmatch
import os
import pwd
import shutil
import subprocess
from typing import TYPE_CHECKING

import click
import pytest

from p4warden import cli
from p4warden.asking import gate_program
from p4warden.commands.deploy.files import FILE_PATTERNS
from p4warden.commands.units.jobs import JOBS
from p4warden.home import decision_log, server_account, trusted_files
from p4warden.table import instances

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden.commands.units.jobs import Job

ACCOUNT = pwd.getpwuid(os.geteuid()).pw_name
PROGRAMS = gate_program.path().rpartition("/")[0]
KNOWN = {
    "port": "ssl:commit:1666",
    "user": "p4admin",
    "ticket_file": "/srv/tickets",
    "environment": {"P4TRUST": "/srv/trust", "P4CHARSET": ""},
}


@pytest.fixture
def home(tmp_path: Path) -> str:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    server_account.write(str(home), KNOWN)
    return str(home)


def written(home: str, folder: Path) -> dict[str, str]:
    assert cli.run(["units", str(folder), f"--home={home}"]) == 0
    return {file.name: file.read_text() for file in folder.rglob("*") if file.is_file()}


def values(unit: str, name: str) -> list[str]:
    return [line.partition("=")[2] for line in unit.splitlines() if line.startswith(f"{name}=")]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_service_runs_an_existing_command_for_this_installation(
    job: Job, home: str, tmp_path: Path
) -> None:
    units = written(home, tmp_path / "etc")
    service = units[f"p4warden-{job.name}.service"]
    assert values(service, "User") == [ACCOUNT]
    assert values(service, "Environment") == [
        f"P4WARDEN_HOME={home}",
        "P4PORT=ssl:commit:1666",
        "P4USER=p4admin",
        "P4TICKETS=/srv/tickets",
        "P4TRUST=/srv/trust",
    ]
    assert home in values(service, "ReadWritePaths")
    assert ("PrivateNetwork=yes" in service) is not job.asks_server
    assert values(units[f"p4warden-{job.name}.timer"], "OnCalendar")
    [command] = values(service, "ExecStart")
    program, name, *words = command.split()
    if program == "/bin/sh":
        assert name.endswith("/share/p4warden/deploy/index.sh")
        return
    assert program == f"{PROGRAMS}/p4warden"
    subcommand = cli.p4warden.get_command(click.Context(cli.p4warden), name)
    assert subcommand
    present = {option for parameter in subcommand.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= present
    assert words[:2] == ["--home", home]


def test_nothing_has_to_be_edited_for_another_prefix_or_account(home: str, tmp_path: Path) -> None:
    text = "".join(written(home, tmp_path / "etc").values())
    for default in ("/opt/p4warden", trusted_files.DEFAULT, "perforce"):
        assert f"{default}/" not in text
        assert f"{default} " not in text


def test_units_of_an_instance_have_its_name(home: str, tmp_path: Path) -> None:
    instances.give(home, "two")
    units = written(home, tmp_path / "etc")
    assert {name for name in units if not name.startswith("p4warden-two")} == set()
    assert "EnvironmentFile=-/etc/p4warden-two.env" in units["p4warden-two-pulse.service"]


def test_an_address_that_is_not_known_is_named(
    home: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trusted_files.remove(home, server_account.FILE_NAME)
    assert "P4PORT" not in "".join(written(home, tmp_path / "etc").values())
    assert f"run p4warden refresh --home {home}, then this again" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["a home", "a home=b"])
def test_a_path_that_systemd_would_split_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    home = tmp_path / name
    home.mkdir(mode=0o700)
    assert cli.run(["units", str(tmp_path / "etc"), f"--home={home}"]) == 1
    assert "a unit can name letters, digits and / . _ + @ : - only" in capsys.readouterr().err
    assert not (tmp_path / "etc").exists()


def test_systemd_accepts_the_units(home: str, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze on this host")
    written(home, tmp_path / "etc")
    units = sorted((tmp_path / "etc" / "systemd" / "system").iterdir())
    process = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_uninstall_removes_rotated_decision_logs(home: str, tmp_path: Path) -> None:
    text = written(home, tmp_path / "etc")["p4warden"]
    assert f"{home}/{decision_log.FILE_NAME} {{" in text
    assert f"    su {ACCOUNT} " in text
    assert "dateformat .%" in text
    name = f"{decision_log.FILE_NAME}.20270301-1803859200.gz"
    assert any(fnmatch.fnmatchcase(name, pattern) for pattern in FILE_PATTERNS)
