"""Tests on a host with a p4warden version: upgrades, and upgrades that fail.

Also of the way back to the old version, and removal of older ones.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from deploy import versions
from deploy.hosts import PYTHON, Host, put
from p4warden import __version__
from p4warden.health.lost_program import put_back
from p4warden.home import summed_file
from support.home_files import facts_file, policy_file
from support.pasted import advice
from support.policies import POLICY
from support.triggers import line_words

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, one_file: Path) -> Host:
    """Fixture: a simulated host with p4warden 0.1.0 and a policy; tests keep 0.1.0 in use."""
    host = Host(tmp_path_factory.mktemp("host"), one_file)
    result = host.install()
    assert result.code == 0, result.output
    policy = host.bin / "policy.yaml"
    policy.write_text(POLICY)
    _must(str(host.current / "bin" / "p4warden"), "activate", str(policy), f"--home={host.home}")
    (host.home / "facts.json").write_bytes(facts_file('{"depots": {}}'))
    return host


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory, one_file: Path) -> Path:
    """Fixture: the one file as version 0.2.0."""
    return versions.write(one_file, tmp_path_factory.mktemp("newer") / "0.2.0.pyz", "0.2.0")


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


def test_an_upgrade_with_the_prefix_alone_can_be_rolled_back(host: Host, newer: Path) -> None:
    old = host.current.resolve()
    result = host.run(f"--prefix={host.prefix}", file=newer)
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


def changed_since(host: Host, mark: Path) -> list[str]:
    return _must("find", str(host.prefix), str(host.home), "-newer", str(mark)).split()


def test_the_same_file_again_changes_nothing(host: Host, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    result = host.run(f"--prefix={host.prefix}")
    assert result.code == 0, result.output
    assert result.output.startswith(f"Unchanged: {host.current} is this version, versions/0.1.0-")
    assert changed_since(host, mark) == []


def test_the_same_file_mends_a_version_that_lost_a_program(host: Host) -> None:
    gate = host.current.resolve() / "bin" / "p4warden-gate"
    gate.unlink()
    result = host.run(f"--prefix={host.prefix}")
    assert result.code == 0, result.output
    assert host.current.resolve() != gate.parents[1]
    assert refuses(host)


def test_another_home_is_refused(host: Host, newer: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    result = host.install(file=newer, home=other)
    assert result.code == 1
    assert f"{host.prefix} belongs to the home {host.home}, which its trigger lines" in (
        result.output
    )
    assert not other.exists()
    assert version_of(host) == "0.1.0"


def test_a_home_that_is_gone_is_not_made_without_being_named(host: Host, newer: Path) -> None:
    aside = host.home.rename(host.home.with_name("aside"))
    result = host.run(f"--prefix={host.prefix}", file=newer)
    assert result.code == 1
    assert f"{host.home} is gone; add --home {host.home} to make it again" in result.output
    assert not host.home.exists()
    aside.rename(host.home)


class Failure(NamedTuple):
    """A way in which an upgrade with install.sh fails.

    Attributes:
        message: part of the expected error message; None if the script itself is killed.
        break_it: causes the failure; called with a folder of programs, with the one file and the
            path of the file that is installed.
    """

    message: str | None
    break_it: Callable[[Path, Path, Path], object]


def program(name: str, text: str) -> Callable[[Path, Path, Path], object]:
    """Return the cause of a failed upgrade: a function that puts a shell script in place of a
    system program on PATH; the script finds the replaced program in `$real`.
    """
    return lambda programs, _file, _target: put(
        programs, name, f"#!/bin/sh\nreal={shutil.which(name)}\n{text}\n"
    )


def bad_gate(text: bytes) -> Callable[[Path, Path, Path], object]:
    return lambda _, file, target: versions.write(file, target, "0.3.0", text)


KILL = "kill -9 $PPID; exit 1"
KILLED = 137
UNPACKING = '[ "$3" != unpack ] || '
FAILURES = {
    "killed while it unpacks": Failure(
        None, program("python", f'{UNPACKING}{{ $real "$@"; {KILL}; }}; exec $real "$@"')
    ),
    "a disk that is full while it unpacks": Failure(
        "could not be unpacked; the version in use stays",
        program("python", f'{UNPACKING}ulimit -f 2000; exec $real "$@"'),
    ),
    "the gate does not start": Failure(
        "p4warden-gate does not start on this host", bad_gate(b"#!/bin/sh\nexit 1\n")
    ),
    "the gate is of another version": Failure(
        "has version 0.1.0, p4warden itself 0.3.0", bad_gate(versions.gate("0.1.0"))
    ),
    "the gate judges nothing": Failure(
        "failed; the version in use stays",
        bad_gate(b"#!/bin/sh\n[ $1 != --version ] || echo p4warden-gate 0.3.0\n"),
    ),
    "the program that asks the server cannot run on the chosen Python": Failure(
        "failed; the version in use stays",
        lambda _, file, target: versions.write(
            file,
            target,
            "0.3.0",
            instead={"server/answers.py": b"import a_module_of_a_later_python\n"},
        ),
    ),
    "killed at the rename": Failure(
        None, program("mv", f'case "$*" in */current) {KILL} ;; *) exec $real "$@" ;; esac')
    ),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_failed_upgrade_keeps_the_running_version(
    host: Host, failure: Failure, newer: Path, tmp_path: Path
) -> None:
    programs, file = tmp_path / "bin", tmp_path / "0.3.0.pyz"
    failure.break_it(programs, host.file, file)
    before = host.current.resolve()
    python = programs / "python" if (programs / "python").exists() else Path(PYTHON)
    file = file if file.exists() else newer
    result = host.install(programs=programs, file=file, python=python)
    assert result.code == (KILLED if failure.message is None else 1), result.output
    assert (failure.message or "") in result.output
    assert host.current.resolve() == before
    assert refuses(host)


def test_an_upgrade_that_cannot_read_the_policy_is_refused(host: Host, newer: Path) -> None:
    policy = host.home / "policy.json"
    content = policy.read_bytes()
    newer_text = summed_file.text(content).replace('"format": 1', '"format": 99')
    policy.write_bytes(policy_file(newer_text))
    try:
        result = host.run(f"--prefix={host.prefix}", file=newer)
    finally:
        policy.write_bytes(content)
    assert result.code == 1
    assert "it has format 99, this release reads 1" in result.output
    assert "cannot read the policy in" in result.output
    assert refuses(host)


def test_an_upgrade_removes_incomplete_and_old_versions(host: Host, newer: Path) -> None:
    versions = host.prefix / "versions"
    for name in ("0.0.1-90", "0.0.2-91", "0.0.3-92"):
        (versions / name).mkdir()
        (versions / name / "complete").touch()
    # Simulate an installation that was killed: a p4warden version's folder without `complete`.
    (versions / "0.0.4-93").mkdir()
    previous = host.current.resolve().name
    result = host.install(file=newer)
    assert result.code == 0, result.output
    assert host.versions() == ["0.0.2-91", "0.0.3-92", previous, "0.2.0-93"]
    assert host.current.resolve().name == "0.2.0-93"
    assert host.roll_back().code == 0
    assert (version_of(host), refuses(host)) == ("0.1.0", True)


def test_the_bin_folder_contains_only_programs_of_p4warden(host: Host) -> None:
    names = {file.name for file in (host.prefix / "bin").iterdir()}
    assert {"p4warden", "p4warden-gate"} <= names
    assert all(name.startswith("p4warden") for name in names)
    version = _must(str(host.prefix / "bin" / "p4warden"), "--version").split()[-1]
    assert version == version_of(host)


def paste(host: Host, *commands: str) -> None:
    """Run proposed commands where the file has the name that they give it."""
    shutil.copy(host.file, host.bin / f"p4warden-{__version__}.pyz")
    words = [f"cd {host.bin}", f"export PATH={Path(PYTHON).parent}:$PATH", *commands]
    _must("/bin/sh", "-ec", "\n".join(words))


def move_to_another_minor_version(version: Path) -> None:
    [folder] = version.glob("lib/python3.*")
    folder.rename(folder.with_name("python3.1"))


def remove(version: Path) -> None:
    (version / "bin" / "python3").unlink()
    (version / "bin" / "python3").symlink_to("/usr/bin/python3.1")


def age(version: Path) -> None:
    put(version / "bin", "python3.9", "#!/bin/sh\nexit 1\n")
    (version / "bin" / "python3").unlink()
    (version / "bin" / "python3").symlink_to("python3.9")


@pytest.mark.parametrize(
    ("upgrade", "problem"),
    [
        (move_to_another_minor_version, "p4warden: P4Python is missing for Python 3."),
        (remove, "p4warden: its Python, /usr/bin/python3.1, is gone or too old, so no "),
        (
            lambda version: (version / "bin" / "python3").unlink(),
            "/bin/python3, is gone or too old, so no ",
        ),
        (lambda version: shutil.rmtree(version / "packages"), "/packages, are gone, so no "),
        (age, "p4warden: its Python, python3.9, is gone or too old, so no "),
    ],
)
def test_after_an_upgrade_of_python_doctor_names_the_command_that_mends_it(
    host: Host, upgrade: Callable[[Path], None], problem: str
) -> None:
    upgrade(host.current.resolve())
    doctor = [str(host.current / "bin" / "p4warden"), "doctor", f"--home={host.home}"]
    process = subprocess.run(doctor, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert process.stderr.startswith("p4warden: ")
    assert problem in process.stderr
    assert refuses(host), "the gate needs no Python"
    one_line = process.stderr.partition("; run ")[2]
    paste(host, one_line or advice(process.stderr)[1])
    process = subprocess.run(doctor, capture_output=True, text=True, check=False)
    assert "P4Python" not in process.stdout + process.stderr


def test_without_python_the_starter_names_commands_that_let_people_work_and_mend_it(
    host: Host,
) -> None:
    remove(host.current.resolve())
    for command in ("off", "doctor", "deploy"):
        program = [str(host.current / "bin" / "p4warden"), command]
        process = subprocess.run(program, capture_output=True, text=True, check=False)
        assert (process.returncode, process.stdout) == (1, "")
    touch, install, remove_mark = advice(process.stderr)
    assert touch == f"touch {host.prefix}/home/off"
    assert refuses(host)
    paste(host, touch)
    assert not refuses(host)
    paste(host, install)
    assert not refuses(host)
    paste(host, remove_mark)
    assert refuses(host)
    _must(str(host.current / "bin" / "p4warden"), "--version")


def test_after_the_current_version_was_removed_the_proposed_commands_bring_a_gate_back(
    host: Host, newer: Path
) -> None:
    assert host.install(file=newer).code == 0
    gate = str(host.current / "bin" / "p4warden-gate")

    shutil.rmtree(host.current.resolve())
    [back] = advice(put_back(gate))
    assert f"sh {host.prefix}/previous/share/p4warden/deploy/install.sh --rollback " in back
    paste(host, back)
    assert (version_of(host), refuses(host)) == ("0.1.0", True)

    host.current.unlink()
    paste(host, *advice(put_back(gate)))
    assert (version_of(host), refuses(host)) == ("0.1.0", True)


def test_a_gate_that_is_lost_twice_is_not_sought_in_the_version_that_lost_it_before(
    host: Host,
) -> None:
    gate = host.current / "bin" / "p4warden-gate"
    (host.prefix / "previous").unlink(missing_ok=True)
    for empty in (True, False):
        gate.unlink()
        if empty:
            gate.touch(0o755)
        [install] = advice(put_back(str(gate)))
        assert install == f"python3 p4warden-{__version__}.pyz install --prefix {host.prefix}"
        paste(host, install)
        assert refuses(host)


def test_a_gate_outside_a_prefix_is_put_back_from_the_file(host: Host) -> None:
    gate = host.bin / "venv of a clone" / "bin" / "p4warden-gate"
    paste(host, *advice(put_back(str(gate))))
    assert _must(str(gate), "--version").split()[-1] == __version__
