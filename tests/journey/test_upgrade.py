"""Tests of install.sh on a host with a p4warden version: upgrades, and upgrades that fail.

Also of the way back to the old version, and removal of older ones.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from deploy import wheels
from deploy.hosts import Host, put
from p4warden import __version__
from p4warden.asking import gate_program
from p4warden.health import trigger_programs
from support.policies import POLICY
from support.triggers import line_words

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """Fixture: a simulated host with p4warden 0.1.0 and a policy; tests keep 0.1.0 in use."""
    host = Host(tmp_path_factory.mktemp("host"))
    wheels.fill(host.wheels, "0.1.0", _gate())
    result = host.install()
    assert result.code == 0, result.output
    assert "p4warden init --output policy.yaml" in result.output
    policy = host.bin / "policy.yaml"
    policy.write_text(POLICY)
    _must(str(host.current / "bin" / "p4warden"), "activate", str(policy), f"--home={host.home}")
    (host.home / "facts.json").write_text('{"depots": {}}')
    return host


def _gate(version: str = "0.1.0") -> bytes:
    """Return the bytes of the gate program, with its version number replaced by `version`."""
    gate = Path(gate_program.find() or "").read_bytes()
    own = f"{gate_program.NAME} {__version__}\n".encode()
    assert own in gate
    return gate.replace(own, f"{gate_program.NAME} {version}\n".encode())


def _must(*command: str) -> str:
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def version_of(host: Host) -> str:
    """Return the p4warden version that a host's `current` link leads to."""
    return _must(str(host.current / "bin" / "p4warden"), "--version").split()[-1]


def save_wide(host: Host) -> subprocess.CompletedProcess[str]:
    """Run the gate as p4d does for a user who saves a client with a view of a whole depot."""
    form = host.bin / "form"
    form.write_text(WIDE)
    options = [f"--home={host.home}", "--type=client", f"--form={form}"]
    words = line_words("form-save", *options, "--user=ann", "--name=ws")
    program = str(host.current / "bin" / "p4warden-gate")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def refuses(host: Host) -> bool:
    answer = save_wide(host)
    return answer.returncode == 1 and "rule=no-whole-depot " in answer.stdout


def test_trigger_lines_name_the_gate_by_a_path_that_upgrades_keep(host: Host) -> None:
    assert refuses(host)
    for folder in (host.current, host.current.resolve()):
        script = "from p4warden.asking.gate_program import find; print(find())"
        output = _must(str(folder / "bin" / "python3"), "-I", "-c", script).split()
        assert set(output) == {str(host.current / "bin" / "p4warden-gate")}


def test_an_upgrade_can_be_rolled_back(host: Host, tmp_path: Path) -> None:
    wheels.fill(tmp_path / "wheels", "0.2.0", _gate("0.2.0"))
    old = host.current.resolve()
    result = host.install(wheels=tmp_path / "wheels")
    assert result.code == 0, result.output
    assert (
        f"{host.current} is now versions/0.2.0-2. The previous version, versions/0.1.0-1, is kept"
        in result.output
    )
    aside = old.rename(old.with_name("aside"))
    assert (version_of(host), refuses(host)) == ("0.2.0", True)
    aside.rename(old)

    result = host.roll_back()
    assert result.code == 0, result.output
    assert (version_of(host), refuses(host)) == ("0.1.0", True)
    assert (
        host.roll_back("--dry-run").output == f"Would return to {host.prefix}/versions/0.2.0-2.\n"
    )


class Failure(NamedTuple):
    """A way in which an upgrade with install.sh fails.

    Attributes:
        message: part of the expected error message; None if the script itself is killed.
        break_it: causes the failure; called with a folder of programs and a folder of wheels.
    """

    message: str | None
    break_it: Callable[[Path, Path], object]


def program(name: str, text: str) -> Callable[[Path, Path], object]:
    """Return the cause of a failed upgrade: a function that puts a shell script in place of a
    system program on PATH; the script finds the replaced program in `$real`.
    """
    return lambda programs, _: put(
        programs, name, f"#!/bin/sh\nreal={shutil.which(name)}\n{text}\n"
    )


def bad_gate(text: str) -> Callable[[Path, Path], object]:
    return lambda _, folder: wheels.fill(folder, "0.3.0", text.encode())


KILL = "kill -9 $PPID; exit 1"
FAILURES = {
    "no environment": Failure(
        "cannot create a virtual environment",
        program("python", '[ "$3" != venv ] || exit 1; exec $real "$@"'),
    ),
    "killed beside pip": Failure(None, program("ln", KILL)),
    "a wheel is missing": Failure(
        "pip could not install p4warden 0.3.0; the previous version stays in use",
        lambda _, folder: (folder / "needed_by_p4warden-1-py3-none-any.whl").unlink(),
    ),
    "the gate does not start": Failure(
        "p4warden-gate does not start on this host", bad_gate("#!/bin/sh\nexit 1\n")
    ),
    "the gate is of another version": Failure(
        "has version 0.1.0, p4warden itself 0.3.0; rebuild the wheel",
        lambda _, folder: wheels.fill(folder, "0.3.0", _gate()),
    ),
    "the gate judges nothing": Failure(
        "failed; the previous version stays in use",
        bad_gate("#!/bin/sh\n[ $1 != --version ] || echo p4warden-gate 0.3.0\n"),
    ),
    "the program that asks the server cannot run on the chosen Python": Failure(
        "failed; the previous version stays in use",
        lambda _, folder: wheels.fill(
            folder,
            "0.3.0",
            _gate("0.3.0"),
            {"server/answers.py": b"import a_module_of_a_later_python\n"},
        ),
    ),
    "killed at the rename": Failure(
        None, program("mv", f'case "$*" in */current) {KILL} ;; *) exec $real "$@" ;; esac')
    ),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_failed_upgrade_keeps_the_running_version(
    host: Host, failure: Failure, tmp_path: Path
) -> None:
    programs, folder = tmp_path / "bin", tmp_path / "wheels"
    wheels.fill(folder, "0.3.0", _gate("0.3.0"))
    failure.break_it(programs, folder)
    before = host.current.resolve()
    python = programs / "python" if (programs / "python").exists() else host.python
    result = host.install(programs=programs, wheels=folder, python=python)
    assert result.code == (-9 if failure.message is None else 1), result.output
    assert (failure.message or "") in result.output
    assert host.current.resolve() == before
    assert refuses(host)


def test_an_upgrade_that_cannot_read_the_policy_is_refused(host: Host, tmp_path: Path) -> None:
    wheels.fill(tmp_path / "wheels", "0.3.0", _gate("0.3.0"))
    policy = host.home / "policy.json"
    content = policy.read_bytes()
    policy.write_bytes(content.replace(b'"format": 1', b'"format": 99'))
    try:
        result = host.install(wheels=tmp_path / "wheels")
    finally:
        policy.write_bytes(content)
    assert result.code == 1
    assert "it has format 99, this release reads 1; run p4warden activate POLICY" in result.output
    assert "cannot read the policy in" in result.output
    assert refuses(host)


def test_an_upgrade_removes_incomplete_and_old_versions(host: Host) -> None:
    versions = host.prefix / "versions"
    for name in ("0.0.1-90", "0.0.2-91", "0.0.3-92"):
        (versions / name).mkdir()
        (versions / name / "complete").touch()
    # Simulate an installation that was killed: a p4warden version's folder without `complete`.
    (versions / "0.0.4-93").mkdir()
    result = host.install()
    assert result.code == 0, result.output
    assert host.versions() == ["0.0.2-91", "0.0.3-92", "0.1.0-1", "0.1.0-93"]
    assert host.current.resolve().name == "0.1.0-93"
    assert (version_of(host), refuses(host)) == ("0.1.0", True)


def test_the_bin_folder_contains_only_programs_of_p4warden(host: Host) -> None:
    names = {file.name for file in (host.prefix / "bin").iterdir()}
    assert {"p4warden", "p4warden-gate"} <= names
    assert all(name.startswith("p4warden") for name in names)
    version = _must(str(host.prefix / "bin" / "p4warden"), "--version").split()[-1]
    assert version == version_of(host)


def test_an_installation_accepts_the_folder_above_the_folder_of_wheels(
    host: Host, tmp_path: Path
) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    wheels.fill(dist / "wheels", "0.2.0", _gate("0.2.0"))
    # Simulate the result of `make wheel`: p4warden's wheel without those of its dependencies.
    wheels.fill(dist, "0.2.0", _gate("0.2.0"))
    (dist / "needed_by_p4warden-1-py3-none-any.whl").unlink()
    result = host.install(wheels=dist)
    assert result.code == 0, result.output
    assert host.roll_back().code == 0


def test_after_the_current_version_was_removed_the_proposed_commands_bring_a_gate_back(
    host: Host, tmp_path: Path
) -> None:
    wheels.fill(tmp_path / "wheels", "0.2.0", _gate("0.2.0"))
    assert host.install(wheels=tmp_path / "wheels").code == 0
    gate = str(host.current / "bin" / "p4warden-gate")
    account = pwd.getpwuid(os.geteuid()).pw_name

    shutil.rmtree(host.current.resolve())
    back = trigger_programs.way_back(gate, str(host.home), account)
    assert f"sh {host.prefix}/previous/share/p4warden/deploy/install.sh --rollback " in back
    _must("/bin/sh", "-ec", back)
    assert (version_of(host), refuses(host)) == ("0.1.0", True)

    host.current.unlink()
    again = trigger_programs.way_back(gate, str(host.home), account)
    assert again.endswith(" --wheels WHEELS")
    again = again.replace("WHEELS", str(host.wheels)) + f" --python {host.python}"
    _must("/bin/sh", "-ec", again)
    assert (version_of(host), refuses(host)) == ("0.1.0", True)
