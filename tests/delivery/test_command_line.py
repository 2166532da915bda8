"""The one file on hosts that lack something, and in folders where it cannot work."""

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

POLICY = Path(__file__).parents[2] / "policies" / "default.yaml"


def run(file: Path, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [os.path.realpath(sys.executable), "-I", file, *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """Fixture: a folder with a blank in its name, for temporary files."""
    folder = tmp_path / "for temporary files"
    folder.mkdir()
    return folder


def test_a_command_runs_without_an_installation_and_leaves_nothing(
    one_file: Path, temp: Path
) -> None:
    process = run(one_file, "check", POLICY, TMPDIR=str(temp))
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == f"{POLICY}: 2 rules, 2 exemptions: no mistakes\n"
    assert list(temp.iterdir()) == []


def test_the_exit_code_is_that_of_the_command(one_file: Path) -> None:
    process = run(one_file, "no-such-command")
    assert process.returncode == 2
    assert process.stderr.startswith("p4warden: No such command 'no-such-command'")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_command_and_nothing_is_left(
    one_file: Path, temp: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [os.path.realpath(sys.executable), "-I", one_file, "sandbox"],
        env={**os.environ, "TMPDIR": str(temp)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("P4PORT=127.0.0.1:")
        process.send_signal(number)
        process.wait(timeout=30)
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999999])
def test_a_part_of_the_file_asks_in_one_line_to_be_downloaded_again(
    one_file: Path, tmp_path: Path, kept: float
) -> None:
    part = tmp_path / "part.pyz"
    content = one_file.read_bytes()
    part.write_bytes(content[: int(len(content) * kept)])
    process = run(part, "install")
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1:] == [
        "SyntaxError: encoding problem: incomplete--download-this-file-again"
    ]


def test_a_damaged_file_asks_to_be_downloaded_again(one_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.pyz"
    shutil.copy(one_file, damaged)
    with zipfile.ZipFile(one_file) as archive:
        place = archive.getinfo("packages/p4warden/cli.py").header_offset
    with damaged.open("r+b") as file:
        file.seek(place + 200)
        file.write(b"changed")
    process = run(damaged, "--version")
    assert process.stderr == f"p4warden: {damaged} is damaged; download it again\n"
    assert process.returncode == 1


def test_a_python_without_its_p4python_is_told_what_the_file_has(
    one_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.pyz"
    own = f"cp3{sys.version_info.minor}"
    with zipfile.ZipFile(one_file) as archive, zipfile.ZipFile(other, "w") as renamed:
        for name in archive.namelist():
            renamed.writestr(
                name.replace(f"p4python/{own}-", "p4python/cp399-"), archive.read(name)
            )
    process = run(other, "--version")
    machine = os.uname().machine
    assert process.returncode == 2
    assert process.stderr == (
        f"p4warden: it has no parts for {own}-{machine}, this host's Python and processor; "
        f"it has cp399-{machine}\n"
    )


def test_unpacking_refuses_a_folder_with_files(one_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    process = run(one_file, "unpack", tmp_path)
    assert process.stderr == f"p4warden: {tmp_path} has files already; name a new folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_unpacked_version_works_whatever_the_umask(one_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "version"
    before = os.umask(0o077)
    try:
        assert run(one_file, "unpack", folder).returncode == 0
    finally:
        os.umask(before)
    own, paths = folder / "bin" / "p4warden", [folder, *folder.rglob("*")]
    modes = {path.stat().st_mode for path in paths if not path.is_symlink()}
    assert sorted(map(oct, modes)) == ["0o100644", "0o100755", "0o40755"]
    answer = subprocess.run([own, "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("p4warden, version ")
    assert not (folder / "packages" / "p4warden_sandbox").exists()
