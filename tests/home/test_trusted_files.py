"""Tests of the home folder's files: reading trusted, rejecting untrusted ones, replacing."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.home import gate_counts, trusted_files

if TYPE_CHECKING:
    from collections.abc import Callable


def link(path: Path) -> None:
    path.with_name("target").write_text("content")
    path.symlink_to(path.with_name("target"))


def writable(path: Path) -> None:
    path.write_text("content")
    path.chmod(0o620)


def large(path: Path) -> None:
    path.touch()
    os.truncate(path, trusted_files.MAX_FILE_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda path: None, "No such file"),  # noqa: ARG005 - nothing is made
        (link, "is a symbolic link"),
        (writable, "others have write access to it"),
        (Path.mkdir, "is not a regular file"),
        (os.mkfifo, "is not a regular file"),
        (large, "is larger than 64 MiB, the limit for p4warden's files; move it away, so that"),
    ],
    ids=["missing", "link", "writable by the group", "directory", "pipe", "large"],
)
def test_reading_a_missing_or_untrusted_file_is_an_error(
    tmp_path: Path, make: Callable[[Path], None], problem: str
) -> None:
    make(tmp_path / "policy.json")
    with pytest.raises(trusted_files.HomeError, match=problem):
        trusted_files.read(str(tmp_path), "policy.json")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_reading_a_file_of_another_account_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "policy.json").write_text("content")
    os.chown(tmp_path / "policy.json", 12345, -1)
    with pytest.raises(trusted_files.HomeError, match="owned by account 12345"):
        trusted_files.read(str(tmp_path), "policy.json")


def test_a_written_file_is_accessible_only_to_its_owner(tmp_path: Path) -> None:
    trusted_files.replace(str(tmp_path), "policy.json", b"content")
    assert trusted_files.read(str(tmp_path), "policy.json") == b"content"
    assert (tmp_path / "policy.json").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["policy.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_written_by_root_gets_the_owner_of_the_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    trusted_files.replace(str(tmp_path), "policy.json", b"content")
    status = (tmp_path / "policy.json").stat()
    assert (status.st_uid, status.st_gid) == (12345, 12345)


def test_a_reader_gets_the_complete_old_or_the_complete_new_file(tmp_path: Path) -> None:
    contents = [bytes([letter]) * 100_000 for letter in b"ab"]
    trusted_files.replace(str(tmp_path), "policy.json", contents[0])
    values = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            values.append(trusted_files.read(str(tmp_path), "policy.json"))

    reader = threading.Thread(target=look)
    reader.start()
    for turn in range(60):
        trusted_files.replace(str(tmp_path), "policy.json", contents[turn % 2])
    stop.set()
    reader.join()
    assert values
    assert set(values) <= set(contents)


def test_a_failed_write_leaves_the_folder_unchanged(tmp_path: Path) -> None:
    (tmp_path / "policy.json").mkdir()
    with pytest.raises(trusted_files.HomeError, match="cannot be written"):
        trusted_files.replace(str(tmp_path), "policy.json", b"content")
    assert [file.name for file in tmp_path.iterdir()] == ["policy.json"]


def test_a_home_is_created_private_and_refused_if_others_can_write_to_the_folder(
    tmp_path: Path,
) -> None:
    trusted_files.make(str(tmp_path / "new" / "home"))
    assert (tmp_path / "new" / "home").stat().st_mode & 0o777 == 0o700
    (tmp_path / "new" / "home").chmod(0o777)
    with pytest.raises(trusted_files.HomeError, match="run chmod 700"):
        trusted_files.make(str(tmp_path / "new" / "home"))


def test_a_home_that_cannot_be_opened_has_no_files_and_no_counters(tmp_path: Path) -> None:
    (tmp_path / "facts.json").touch()
    assert trusted_files.has(str(tmp_path), "facts.json")
    assert not trusted_files.has(str(tmp_path), "policy.json")
    # A path too long to open, even for root.
    long_path = "/closed" * 1_000
    assert not trusted_files.has(long_path, "facts.json")
    assert gate_counts.counts(long_path) is None
