"""Simulated hosts, on which the tests run p4warden's install.sh."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pip

from deploy.wheels import ROOT

SCRIPT = ROOT / "deploy" / "install.sh"
_PIP = Path(pip.__file__).parent
# Substitute for the host's `python` program: it creates virtual environments without pip, because
# copying pip takes most of an installation's time, and lets them use the pip of the tests.
_PYTHON = f"""\
#!/bin/sh
[ "$2 $3" = "-m venv" ] || exec {sys.executable} "$@"
{sys.executable} -I -m venv --without-pip "$4" || exit
/bin/ln -s {_PIP} "$4"/lib/python3*/site-packages/
"""


class InstallResult(NamedTuple):
    """Exit code and output of a run of install.sh; `output` is stdout and stderr in order."""

    code: int
    output: str


class Host:
    """A temporary folder that stands for a host on which tests install p4warden."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "opt"
        self.home = folder / "home"
        self.wheels = folder / "wheels"
        self.current = self.prefix / "current"
        self.bin = folder / "bin"
        self.python = put(self.bin, "python", _PYTHON)
        # Replace the host's program `sync`, which waits until files are on disk, by an empty
        # script, so that the tests are faster.
        put(self.bin, "sync", "#!/bin/sh\n")

    def install(
        self, *options: str, programs: Path | None = None, **settings: Path
    ) -> InstallResult:
        """Run install.sh on the simulated host; return its exit code and output.

        Args:
            options: further command line options.
            programs: a folder of substitute programs, first on PATH.
            settings: folders or a Python that replace the usual ones, by option name without `--`.
        """
        usual = {"prefix": self.prefix, "home": self.home, "wheels": self.wheels}
        environment = usual | {"python": self.python} | settings
        return self._run(
            *(f"--{name}={value}" for name, value in environment.items()),
            *options,
            programs=programs,
        )

    def roll_back(self, *options: str) -> InstallResult:
        """Run install.sh --rollback, which makes the previous p4warden version the current one."""
        return self._run("--rollback", f"--prefix={self.prefix}", f"--home={self.home}", *options)

    def _run(self, *options: str, programs: Path | None = None) -> InstallResult:
        owner = [] if any(option.startswith("--owner") for option in options) else _OWNER
        process = subprocess.run(
            ["/bin/sh", str(SCRIPT), *owner, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={"PATH": f"{programs or self.bin}:{self.bin}:/usr/bin:/bin"},
        )
        return InstallResult(process.returncode, process.stdout)

    def versions(self) -> list[str]:
        """Return the p4warden versions installed on the simulated host, sorted."""
        return sorted(folder.name for folder in (self.prefix / "versions").iterdir())


def put(folder: Path, name: str, text: str) -> Path:
    """Write an executable shell script to a folder, as a substitute for a program of the host."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    return program


# Run by root, install.sh installs for the account `perforce`, which a test host may lack; so the
# tests name root as the owner.
_OWNER = ["--owner=root"] if os.geteuid() == 0 else []
