"""The programs of a processor, tested on this machine, if need be by qemu."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from one_file import contents, programs

if TYPE_CHECKING:
    from collections.abc import Sequence

_SELF_TEST = """\
import sys
from p4warden.health.programs import self_test
sys.exit(None if self_test().state == "good" else self_test().message)
"""
_IN_PYTHON = (
    *("tests/rehearse/test_cases.py", "tests/sources/test_shared_cases.py"),
    *(f"tests/gate/test_{name}.py" for name in ("command_answers", "command_rules_everywhere")),
    *(f"tests/gate/test_{name}.py" for name in ("inherited_streams", "judge", "judged_forms")),
    *(f"tests/gate/test_{name}.py" for name in ("refusal_cases", "rule_cases", "same_verdict")),
    *(f"tests/gate/test_{name}.py" for name in ("scanned_rows", "selectors")),
    *("tests/asking", "tests/policy/test_shipped_policies.py"),
)
_IN_RUST = ("cases", "form_refusals", "form_verdicts", "forms", "observing", "texts")
"""The tests with cases of forms and commands; only those in Rust judge commands by each rule."""


def answers(file: Path, processor: str) -> str:
    """Judge the cases of the shipped policies with a file's own packages and gate for a processor.

    If it is not this machine's, judge all cases of forms and commands with it, which `make test`
    does on this machine. Return what was seen, also if nothing was, because qemu is missing.

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
        seen = f"{sum(counts)} cases of {len(counts)} policies judged as expected"
        if not emulator:
            return seen
        return f"{seen}; {_tests(version) + _rust_tests(processor, *emulator)} tests of cases pass"


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


def _tests(version: Path) -> int:
    """Return the number of tests with cases that pass with a version's gate."""
    python, packages = str(version / "bin" / "python3"), sysconfig.get_path("purelib")
    command = [python, "-m", "pytest", "--quiet", "--numprocesses=2", "-p", "no:cacheprovider"]
    return _passed([*command, "-m", "not long", *_IN_PYTHON], contents.ROOT, PYTHONPATH=packages)


def _rust_tests(processor: str, emulator: str) -> int:
    triple = programs.target(processor)
    runner = f"CARGO_TARGET_{triple.upper().replace('-', '_')}_RUNNER"
    command = ["cargo", "test", "--quiet", "--locked", "--workspace", f"--target={triple}"]
    command += [f"--test={name}" for name in _IN_RUST]
    settings = {runner: emulator, "RUSTFLAGS": " ".join(programs.flags(processor))}
    return _passed(command, programs.WORKSPACE, **settings)


def _passed(command: Sequence[str], folder: Path, **settings: str) -> int:
    """Run tests; return how many pass, all of which must."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    process = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise SystemExit(process.stdout + process.stderr)
    return sum(map(int, re.findall(r"(\d+) passed", process.stdout)))


def _replace_programs(version: Path, file: Path, processor: str, emulator: list[str]) -> None:
    """Put in place of each program a script that starts a processor's own by an emulator."""
    with zipfile.ZipFile(file) as archive:
        for name in programs.NAMES:
            program = version / "bin" / f"{name}.{processor}"  # the gate looks there for Python
            program.write_bytes(archive.read(f"bin/{processor}/{name}"))
            program.chmod(0o755)
            script = f'#!/bin/sh\nexec {shlex.join([*emulator, str(program)])} "$@"\n'
            (version / "bin" / name).write_text(script)
