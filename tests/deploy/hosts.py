"""Simulated hosts, on which the tests install p4warden's one file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "deploy" / "install.sh"
PYTHON = os.path.realpath(sys.executable)


class InstallResult(NamedTuple):
    """Exit code and output of an installation; `output` is stdout and stderr in order."""

    code: int
    output: str

    def next_steps(self) -> str:
        """Return the commands under `Next`, as one shell script."""
        return "\n".join(line for line in self.output.splitlines() if line.startswith("  "))


class Host:
    """A temporary folder that stands for a host on which tests install p4warden."""

    def __init__(self, folder: Path, file: Path) -> None:
        self.prefix = folder / "opt"
        self.home = folder / "home"
        self.file = file
        self.current = self.prefix / "current"
        self.bin = folder / "bin"
        # Replace the host's program `sync`, which waits until files are on disk, by an empty
        # script, so that the tests are faster.
        put(self.bin, "sync", "#!/bin/sh\n")

    def install(
        self, *options: str, programs: Path | None = None, file: Path | None = None, **places: Path
    ) -> InstallResult:
        """Install p4warden on the simulated host; return the exit code and the output.

        Args:
            options: further command line options.
            programs: a folder of substitute programs, first on PATH.
            file: another one file than the host's.
            places: folders or a Python that replace the usual ones, by option name without `--`.
        """
        usual = {"prefix": self.prefix, "home": self.home} | places
        words = [*(f"--{name}={value}" for name, value in usual.items()), *OWNER, *options]
        return self.run(*words, programs=programs, file=file)

    def roll_back(self, *options: str) -> InstallResult:
        """Make the previous p4warden version the current one."""
        return self.run("--rollback", f"--prefix={self.prefix}", *options)

    def run(
        self,
        *options: str,
        programs: Path | None = None,
        file: Path | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> InstallResult:
        """Run `install` with these options alone, and these settings in the environment."""
        process = subprocess.run(
            [PYTHON, "-I", file or self.file, "install", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**(settings or {}), "PATH": f"{programs or self.bin}:{self.bin}:/usr/bin:/bin"},
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


# Root installs for the account `perforce`, which a test host may lack; so the tests name root as
# the owner.
OWNER = ["--owner=root"] if os.geteuid() == 0 else []
