"""The one file on hosts that lack something, and in folders where it cannot work."""

import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.small_disks import mounted


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
    process = run(one_file, "test", "default", TMPDIR=str(temp))
    assert (process.returncode, process.stderr) == (0, "")
    assert re.fullmatch(r"\d+ cases, 0 failed\n", process.stdout)
    assert list(temp.iterdir()) == []


def test_the_exit_code_is_that_of_the_command(one_file: Path) -> None:
    process = run(one_file, "no-such-command")
    assert process.returncode == 2
    assert process.stderr.startswith("p4warden: No such command 'no-such-command'")


def test_a_reader_that_ends_early_is_no_problem(one_file: Path) -> None:
    command = [os.path.realpath(sys.executable), "-I", str(one_file), "--help"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process, process.stdout, process.stderr:  # type: ignore[union-attr]
        process.stdout.close()  # type: ignore[union-attr]
        assert process.stderr.read() == ""  # type: ignore[union-attr]


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


def test_a_temporary_folder_without_programs_is_refused_with_the_way_to_another(
    one_file: Path, tmp_path: Path
) -> None:
    with mounted(tmp_path, "noexec"):
        process = run(one_file, "--version", TMPDIR=str(tmp_path))
        assert list(tmp_path.iterdir()) == []
    assert (process.returncode, process.stdout) == (2, "")
    assert re.fullmatch(
        rf"p4warden: no program can be started in {tmp_path}/p4warden-file-\w+/version, as if it "
        r"were mounted with noexec; name another folder for temporary files: "
        r"TMPDIR=DIR python3 \.\.\.\n",
        process.stderr,
    )


@pytest.mark.parametrize("words", [["--version"], ["unpack", "{folder}/version"]])
@pytest.mark.parametrize("size", ["1m", "20m"])
def test_a_full_disk_is_named_and_nothing_is_left(
    one_file: Path, tmp_path: Path, words: list[str], size: str
) -> None:
    with mounted(tmp_path, f"size={size}"):
        words = [word.format(folder=tmp_path) for word in words]
        process = run(one_file, *words, TMPDIR=str(tmp_path))
        assert list(tmp_path.iterdir()) == []
    assert process.returncode == 1
    assert re.fullmatch(rf"p4warden: {tmp_path}/\S+: No space left on device\n", process.stderr), (
        process.stderr
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["unpack"], "unpack needs one folder: unpack DIR"),
        (["unpack", "--help"], "unpack needs one folder: unpack DIR"),
        (["demo", "--help"], "demo takes at most one file, for its report: demo [PAGE.html]"),
        (["demo", "a", "b"], "demo takes at most one file, for its report: demo [PAGE.html]"),
    ],
)
def test_words_that_the_file_does_not_take(one_file: Path, words: list[str], problem: str) -> None:
    process = run(one_file, *words)
    assert (process.returncode, process.stderr) == (2, f"p4warden: {problem}\n")


@pytest.mark.parametrize(
    "words",
    [
        ["activate", "default"],
        ["deploy", "apply", "--policy", "default"],
        ["doctor"],
        ["follow", "x"],
        ["share", "x"],
        ["status"],
        ["units", "x"],
        ["units", "uninstall"],
    ],
)
def test_nothing_is_said_of_a_program_that_goes_with_the_command(
    one_file: Path, words: list[str]
) -> None:
    process = run(one_file, *words)
    assert process.returncode == 2
    assert process.stderr == (
        f"p4warden: {words[0]} is about programs that stay; run python3 {one_file} install "
        f"first, and then the installed p4warden {words[0]}\n"
    )


def test_the_help_lists_the_commands_of_the_file_itself(one_file: Path) -> None:
    process = run(one_file, "--help")
    assert process.returncode == 0
    for word in ("audit", "sandbox", "demo", "install", "unpack"):
        assert re.search(rf"^  {word} ", process.stdout, re.MULTILINE), word


def test_a_disk_without_room_for_compiled_packages_is_named_and_nothing_is_left(
    one_file: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(one_file) as archive:
        parts = ("packages/", "share/", "licences/", "bin/", "p4python/")
        sizes = [one.file_size for one in archive.infolist() if one.filename.startswith(parts)]
    pages = sum(-(-size // 4096) * 4 for size in sizes)
    with mounted(tmp_path, f"size={pages + 500}k"):
        process = run(one_file, "unpack", tmp_path / "version")
        assert list(tmp_path.iterdir()) == []
    assert process.returncode == 2
    assert process.stderr == (
        f"p4warden: {tmp_path}/version has no room for compiled packages; it was removed\n"
    )


def test_unpacking_refuses_a_folder_with_files(one_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    process = run(one_file, "unpack", tmp_path)
    assert process.stderr == f"p4warden: {tmp_path} has files already; name a new folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_unpacked_version_works_whatever_the_umask_and_nothing_is_written_to_it(
    one_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "version"
    umask = os.umask(0o077)
    try:
        assert run(one_file, "unpack", folder).returncode == 0
    finally:
        os.umask(umask)
    own, paths = folder / "bin" / "p4warden", [folder, *folder.rglob("*")]
    modes = {path.stat().st_mode for path in paths if not path.is_symlink()}
    assert sorted(map(oct, modes)) == ["0o100644", "0o100755", "0o40755"]
    answer = subprocess.run([own, "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("p4warden, version ")
    assert not (folder / "packages" / "p4warden_sandbox").exists()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    for words in (["test", "strict"], ["audit", "--help"], ["prove", "--help"]):
        subprocess.run([own, *words], capture_output=True, check=True)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
