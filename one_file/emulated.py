"""The programs of a processor, tested on this machine, if need be by qemu."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from one_file import contents, programs

_SELF_TEST = """\
import sys
from p4warden.health.programs import self_test
sys.exit(None if self_test().state == "good" else self_test().message)
"""


def answers(file: Path, processor: str) -> str:
    """Judge the cases of the shipped policies with a file's own packages and gate for a processor.

    Return what was seen, also if nothing was, because qemu is missing.

    Raises:
        SystemExit: a case fails.
    """
    emulator = [] if processor == platform.machine() else [f"qemu-{processor}-static"]
    if emulator and not shutil.which(emulator[0]):
        return f"not tested: there is no {emulator[0]} (Debian: qemu-user-static)"
    with tempfile.TemporaryDirectory() as place:
        version = Path(place, "version")
        subprocess.run([sys.executable, "-I", file, "unpack", version], check=True)
        if emulator:
            _replace_programs(version, file, processor, emulator)
        command = [str(version / "bin" / "python3"), "-I", "-c", _SELF_TEST]
        if subprocess.run(command, check=False).returncode:
            raise SystemExit(f"the gate for {processor} fails its self-test")
        counts = [_cases(version, policy) for policy in sorted(_policies())]
    return f"{sum(counts)} cases of {len(counts)} policies judged as expected"


def _policies() -> list[str]:
    names = [path.stem for path in (contents.ROOT / "policies").glob("*.yaml")]
    return [name for name in names if not name.endswith(".cases")]


def _cases(version: Path, policy: str) -> int:
    """Return the number of test cases of a policy, all of which must be judged as expected."""
    command = [str(version / "bin" / "p4warden"), "test", policy]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise SystemExit(process.stdout + process.stderr)
    return int(process.stdout.split()[0])


def _replace_programs(version: Path, file: Path, processor: str, emulator: list[str]) -> None:
    """Put in place of each program a script that starts a processor's own by an emulator."""
    with zipfile.ZipFile(file) as archive:
        for name in programs.NAMES:
            program = version / processor / name
            program.parent.mkdir(exist_ok=True)
            program.write_bytes(archive.read(f"bin/{processor}/{name}"))
            program.chmod(0o755)
            script = f'#!/bin/sh\nexec {shlex.join([*emulator, str(program)])} "$@"\n'
            (version / "bin" / name).write_text(script)
