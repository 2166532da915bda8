"""Test of one prefix on a host whose Python moves to another minor version, and back."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from one_file import build, wheels

from deploy.hosts import PYTHON, Host
from journey.test_upgrade import refuses
from p4warden import __version__
from support.policies import POLICY

OWN = f"3.{sys.version_info.minor}"


def another_python() -> tuple[str, Path] | None:
    """Return the minor version and the path of a Python other than that of these tests."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for minor in (one for one in wheels.PYTHONS if one != OWN):
        found = map(str, pyenv.glob(f"versions/{minor}.*/bin/python{minor}"))
        for python in filter(None, (shutil.which(f"python{minor}"), *found)):
            works = [python, "-I", "-c", f"import sys; sys.exit({minor!r} not in sys.version)"]
            if subprocess.run(works, capture_output=True, check=False).returncode == 0:
                return minor, Path(python)
    return None


ANOTHER = another_python()

pytestmark = pytest.mark.skipif(not ANOTHER, reason=f"this host has no Python beside {OWN}")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Fixture: a host whose `python3` a test can replace, with the file for two Pythons."""
    assert ANOTHER
    file = tmp_path / "bin" / f"p4warden-{__version__}.pyz"
    programs = {platform.machine(): Path(sys.executable).parent}
    build.build(file, programs, [OWN, ANOTHER[0]])
    return Host(tmp_path, file)


def move(host: Host, python: Path | str) -> Path:
    link = host.bin / "python3"
    link.unlink(missing_ok=True)
    link.symlink_to(python)
    return link


def run(host: Host, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=host.bin,
        env={"PATH": f"{host.bin}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.mark.timeout(180)
def test_doctor_says_so_and_the_same_file_mends_it(host: Host) -> None:
    assert ANOTHER
    p4warden, policy = host.current / "bin" / "p4warden", host.bin / "policy.yaml"
    assert host.install(python=move(host, PYTHON)).code == 0
    policy.write_text(POLICY)
    assert run(host, p4warden, "activate", policy, f"--home={host.home}").returncode == 0
    for minor, python in (ANOTHER, (OWN, PYTHON)):
        move(host, python)
        told = run(host, p4warden, "doctor", f"--home={host.home}")
        version = host.current.resolve()
        problem, _, remedy = told.stdout.strip().partition("; run ")
        assert (
            problem == f"p4warden: P4Python is missing for Python {minor} ({version}/bin/python3)"
        )
        assert refuses(host), "the gate needs no Python"
        mended = run(host, "sh", "-c", remedy)
        assert mended.returncode == 0, mended.stdout
        told = run(host, p4warden, "doctor", f"--home={host.home}")
        assert "P4Python" not in told.stdout
        assert "server cannot be reached" in told.stdout
        assert run(host, "sh", "-c", remedy).stdout.startswith("Unchanged: ")
        assert refuses(host)
    earlier = (host.prefix / "previous").resolve()
    back = run(host, "python3", host.file, "install", "--rollback", f"--prefix={host.prefix}")
    assert back.stdout == (
        f"p4warden install: {earlier} is for another Python than this host has now; "
        "install that version again from its file\n"
    )
    assert host.current.resolve() == version.with_name(f"{__version__}-3")
