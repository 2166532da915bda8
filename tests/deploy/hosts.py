"""A simulated host for installing p4warden: two folders, a Python, and the install script."""

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
# Command that creates a virtual environment without its own pip, because copying pip takes most of
# an installation's time; it uses the pip of the test environment.
_PYTHON = f"""\
#!/bin/sh
[ "$2 $3" = "-m venv" ] || exec {sys.executable} "$@"
{sys.executable} -I -m venv --without-pip "$4" || exit
/bin/ln -s {_PIP} "$4"/lib/python3*/site-packages/
"""


class Ran(NamedTuple):
    """The result of the script; `output` is both streams in order."""

    code: int
    output: str


class Host:
    """A folder that stands for a host on which tests install p4warden."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "opt"
        self.home = folder / "home"
        self.wheels = folder / "wheels"
        self.current = self.prefix / "current"
        self.bin = folder / "bin"
        self.python = put(self.bin, "python", _PYTHON)
        # replace `sync`: a test need not wait until its files are on disk
        put(self.bin, "sync", "#!/bin/sh\n")

    def install(self, *options: str, programs: Path | None = None, **settings: Path) -> Ran:
        """Run install.sh on the simulated host.

        Args:
            options: the command line options.
            programs: a folder of programs, first on PATH.
            settings: options that replace the usual ones.
        """
        usual = {"prefix": self.prefix, "home": self.home, "wheels": self.wheels}
        environment = usual | {"python": self.python} | settings
        return self._run(
            *(f"--{name}={value}" for name, value in environment.items()),
            *options,
            programs=programs,
        )

    def roll_back(self, *options: str) -> Ran:
        """Roll the simulated host back to the previous p4warden version with install.sh."""
        return self._run("--rollback", f"--prefix={self.prefix}", f"--home={self.home}", *options)

    def _run(self, *options: str, programs: Path | None = None) -> Ran:
        owner = [] if any(option.startswith("--owner") for option in options) else _OWNER
        done = subprocess.run(
            ["/bin/sh", str(SCRIPT), *owner, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={"PATH": f"{programs or self.bin}:{self.bin}:/usr/bin:/bin"},
        )
        return Ran(done.returncode, done.stdout)

    def versions(self) -> list[str]:
        """Return the p4warden versions installed on the simulated host, sorted."""
        return sorted(folder.name for folder in (self.prefix / "versions").iterdir())


def put(folder: Path, name: str, text: str) -> Path:
    """Write a shell script that can be executed, in place of a program of the host."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    return program


# As root, the script would install for the account `perforce`, which a test host lacks.
_OWNER = ["--owner=root"] if os.geteuid() == 0 else []
