"""What stops a release, and what its file has."""

import email
import platform
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from one_file import contents, emulated, licences, programs, release, wheels

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Fixture: a repository with what a release looks at."""
    package = tmp_path / "triggers" / "p4warden"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0, 2027-03-31\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(tree: Path, *words: str) -> None:
    subprocess.run(["git", "-C", tree, *words], check=True)


def commit(tree: Path) -> None:
    git(tree, "add", "--all")
    who = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"]
    git(tree, *who, "commit", "--quiet", "--message=all")


def test_a_committed_tree_with_a_dated_section_is_ready(tree: Path) -> None:
    release.refuse_unready(tree)


@pytest.mark.parametrize("name", ["CHANGELOG.md", "a new file"])
def test_a_change_that_is_not_committed_stops_a_release(tree: Path, name: str) -> None:
    with (tree / name).open("a") as file:
        file.write("more\n")
    with pytest.raises(SystemExit, match="changes that are not committed"):
        release.refuse_unready(tree)


@pytest.mark.parametrize(
    "heading", ["## 1.2.0, unreleased", "## 1.2.0", "## 1.3.0, 2027-03-31", "## 1x2.0, 2027-03-31"]
)
def test_a_version_without_a_date_stops_a_release(tree: Path, heading: str) -> None:
    (tree / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    commit(tree)
    with pytest.raises(SystemExit, match=r"CHANGELOG\.md has no date for 1\.2\.0"):
        release.refuse_unready(tree)


def archive(target: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(target, "w") as written:
        for name, content in files.items():
            written.writestr(zipfile.ZipInfo(name), content)
    return target


def test_two_builds_that_differ_stop_a_release_with_the_files_that_do(tmp_path: Path) -> None:
    first = archive(tmp_path / "1", same=b"1", changed=b"1", less=b"1").read_bytes()
    second = archive(tmp_path / "2", same=b"1", changed=b"2", more=b"1").read_bytes()
    release.refuse_difference(first, first)
    with pytest.raises(SystemExit, match="two builds differ: changed, less, more"):
        release.refuse_difference(first, second)


def test_a_path_of_this_machine_stops_a_release(tmp_path: Path) -> None:
    file = archive(tmp_path / "file", gate=b"\0/home/ann/clone/src/main.rs\0")
    release.refuse_places(file, [Path("/home/ann/other")])
    with pytest.raises(SystemExit, match="gate contains the path /home/ann/clone of"):
        release.refuse_places(file, [Path("/home/ann/clone")])


def test_a_missing_licence_stops_a_release(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("a crate")
    with pytest.raises(SystemExit, match=r"the crate one 1\.0 brings no text of its licence"):
        licences.of_crate("one", "1.0", tmp_path)
    with pytest.raises(SystemExit, match="has no licence of Rust's standard library"):
        licences.of_the_standard_library(tmp_path)
    wheel = archive(tmp_path / "one-1.0-py3-none-any.whl", **{"one-1.0.dist-info/METADATA": b""})
    with pytest.raises(SystemExit, match=r"one-1\.0-.+ brings no text of its licence"):
        list(wheels.contents(wheel))
    (tmp_path / "LICENSE-MIT").write_text("free")
    assert licences.of_crate("one", "1.0", tmp_path) == {
        "licences/crates/one-1.0/LICENSE-MIT": b"free"
    }


def test_each_linked_crate_and_each_package_has_its_licence(one_file: Path) -> None:
    with zipfile.ZipFile(one_file) as archive:
        names = archive.namelist()
    command = ["cargo", "tree", "--edges=normal", "--workspace", "--prefix=none", "--locked"]
    tree = subprocess.run(
        command, cwd=programs.WORKSPACE, capture_output=True, text=True, check=True
    )
    crates = {match[0] for match in re.findall(r"(?m)^(\S+) v(\S+)(?! \(/)$", tree.stdout)}
    assert len(crates) > 40
    for crate in crates:
        assert any(name.startswith(f"licences/crates/{crate}-") for name in names), crate
    assert any(name.startswith("licences/rust-standard-library/") for name in names)
    described = [name.rpartition("/")[0] for name in names if name.endswith(".dist-info/METADATA")]
    assert len(described) == len(wheels.packages()) + 2  # p4warden, and P4Python once
    for folder in described:
        assert any(name.startswith(f"{folder}/licenses/") for name in names), folder


def test_the_file_describes_p4warden_for_scanners(one_file: Path) -> None:
    with zipfile.ZipFile(one_file) as archive:
        folder = f"packages/p4warden-{contents.version()}.dist-info"
        described = email.message_from_bytes(archive.read(f"{folder}/METADATA"))
    assert (described["Name"], described["Version"]) == ("p4warden", contents.version())
    assert any(one.startswith("p4python ") for one in described.get_all("Requires-Dist", []))


def test_every_entry_has_one_time_and_the_rights_of_a_file_or_program(one_file: Path) -> None:
    with zipfile.ZipFile(one_file) as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert len({entry.date_time for entry in entries}) == 1
    assert {oct(entry.external_attr >> 16) for entry in entries} == {"0o100644", "0o100755"}


@pytest.mark.long
@pytest.mark.timeout(120)
def test_the_shipped_policies_pass_on_the_files_own_packages_and_gate(
    one_file: Path,
) -> None:
    seen = emulated.answers(one_file, platform.machine())
    assert re.fullmatch(r"[0-9]{3,} cases of 6 policies judged as expected", seen)


def test_a_processor_that_nothing_imitates_is_named(
    one_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert emulated.answers(one_file, "riscv64") == (
        "not tested: there is no qemu-riscv64-static (Debian: qemu-user-static)"
    )
