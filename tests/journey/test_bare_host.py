"""The way of an administrator on a bare Debian with Python and nothing else, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from audit.test_audit import CHECKPOINT
from deploy import versions
from deploy.hosts import ROOT
from p4warden import __version__

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("debootstrap"),
        reason="a bare Debian root needs debootstrap and root",
    ),
]

DEBIAN = ROOT / "build" / "debian"
ENTER = """\
set -eu
ip link set lo up
mount -t tmpfs p4warden "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay p4warden -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
root=$1/root files=$3
shift 3
cp "$files"/* "$root/var/tmp/"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin P4WARDEN_SYSLOG= chroot "$root" "$@"
"""
"""Enter the Debian in namespaces of its own; what happens there is kept in memory."""


@pytest.fixture(scope="module")
def debian() -> Path:
    if not (DEBIAN / "usr/bin/python3").exists():
        shutil.rmtree(DEBIAN, ignore_errors=True)
        DEBIAN.parent.mkdir(exist_ok=True)
        command = [
            "debootstrap",
            "--variant=minbase",
            "--include=python3",
            "bookworm",
            str(DEBIAN),
        ]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            shutil.rmtree(DEBIAN, ignore_errors=True)
            pytest.skip("debootstrap could not download a Debian")
    return DEBIAN


def test_with_python_alone_from_the_audit_to_the_uninstall(
    debian: Path, tmp_path: Path, one_file: Path
) -> None:
    files, place = tmp_path / "files", tmp_path / "place"
    for folder in (files, place):
        folder.mkdir()
    shutil.copy(one_file, files / f"p4warden-{__version__}.pyz")
    versions.write(one_file, files / "p4warden-0.2.0.pyz", "0.2.0")
    (files / "checkpoint").write_text("\n".join([*CHECKPOINT, ""]))
    shutil.copy(Path(__file__).with_name("bare_host.sh"), files)
    names = ["bare_host.sh", f"p4warden-{__version__}.pyz", "p4warden-0.2.0.pyz", "checkpoint"]
    command = ["sh", *(f"/var/tmp/{name}" for name in names), __version__]  # noqa: S108 - in there
    process = subprocess.run(
        [
            "unshare",
            "-n",
            "-m",
            "-p",
            "-f",
            "sh",
            "-c",
            ENTER,
            "sh",
            place,
            debian,
            files,
            *command,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if transcript := os.environ.get("P4WARDEN_TRANSCRIPT"):
        Path(transcript).write_text(process.stdout)
    assert process.returncode == 0, process.stdout
