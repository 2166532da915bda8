"""Tests of reading p4d's log files: compressed, empty, not a log, or still growing."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from logs.blocks import done, start
from logs.database import commands
from p4warden.workbench.logs.reader import PROGRAM, LogError, records
from support.examples import long_but

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FSTAT = start("12:00:00", 71, "user-fstat //depot/...")
BLOCK_BYTES = 100_000


def zstd(data: bytes, checksum: bytes = b"") -> bytes:
    """Return data as an uncompressed Zstandard frame (raw blocks, RFC 8878), without a library."""
    # Zstandard frame header: the size field has four bytes, and the window is 128 KiB.
    head = b"\x28\xb5\x2f\xfd" + (b"\x84" if checksum else b"\x80") + b"\x38"
    blocks = [data[at : at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES)] or [b""]
    body = b"".join(
        (len(block) << 3 | (number == len(blocks))).to_bytes(3, "little") + block
        for number, block in enumerate(blocks, 1)
    )
    return head + len(data).to_bytes(4, "little") + body + checksum


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.mark.parametrize("kind", PACKED)
def test_the_compression_of_a_log_is_detected_by_its_content(tmp_path: Path, kind: str) -> None:
    text = "".join(start("12:00:00", pid, f"user-files //{pid * 7919}") for pid in range(5000))
    log = tmp_path / "log.1"  # named as a plain log: compression is found by content
    log.write_bytes(PACKED[kind](text.encode()))
    assert [command["pid"] for command in commands(log)] == list(range(5000))


@pytest.mark.parametrize("kind", PACKED)
def test_concatenated_compressed_parts_are_read_as_one_log(tmp_path: Path, kind: str) -> None:
    more = done("12:00:01", 71, "1.5").encode()
    log = tmp_path / "log"
    log.write_bytes(PACKED[kind](FSTAT.encode()) + PACKED[kind](more))
    assert [(c["pid"], c["lapse_s"]) for c in commands(log)] == [(71, 1.5)]


@pytest.mark.parametrize("kind", long_but(["gz", "zst"], PACKED))
def test_a_truncated_compressed_log_is_read_in_part_and_reported(
    tmp_path: Path, kind: str
) -> None:
    words = [hashlib.sha512(str(pid).encode()).hexdigest() for pid in range(5_000)]
    text = "".join(start("12:00:00", pid, f"user-files //{w}") for pid, w in enumerate(words))
    log = tmp_path / "log"
    packed = PACKED[kind](text.encode())
    log.write_bytes(packed[: len(packed) * 9 // 10])
    results: list[dict[str, Any]] = []
    with pytest.raises(LogError, match=r"the compressed data (end early|are damaged)"):
        results.extend(records([str(log)]))
    assert 100 < len(results) < 5_000


def test_skippable_zstd_frames_are_skipped_and_a_wrong_checksum_is_reported(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    skippable_frame = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"any"
    log.write_bytes(skippable_frame + zstd(FSTAT.encode()))
    assert len(commands(log)) == 1
    log.write_bytes(zstd(FSTAT.encode(), b"\0\0\0\0"))
    with pytest.raises(LogError, match="wrong checksum"):
        commands(log)


@pytest.mark.skipif(not shutil.which("zstd"), reason="zstd is not installed")
@pytest.mark.parametrize("level", long_but(["-1"], ["-1", "-19", "--ultra", "--long=27"]))
def test_logs_compressed_by_the_zstd_program_are_read(tmp_path: Path, level: str) -> None:
    text = "".join(start("12:00:00", pid, f"user-files //{pid * 7919}") for pid in range(3000))
    log = tmp_path / "log"
    log.write_text(text)
    more = ["-22"] if level == "--ultra" else []
    subprocess.run(["zstd", "-q", level, *more, str(log)], check=True)
    assert len(commands(tmp_path / "log.zst")) == 3000


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("Perforce server info:\n".encode("utf-16"), "is UTF-16, which p4d does not write"),
        (b"@pv@ 0 @db.config@ @any@\n", "is a checkpoint or journal, not a p4d log"),
        (b"d41d8cd98f00b204e9800998ecf8427e  log\n", "is not a p4d log"),
        (b"\x28\xb5\x2f\xfdrubbish", "the compressed data are damaged"),
        (b"BZh9rubbish", "the compressed data"),
        (b"\xfd7zXZ\0rubbish and more of it", "the compressed data"),
    ],
)
def test_a_file_that_is_not_a_log_is_reported_in_one_line_and_other_logs_are_read(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    log.write_text(FSTAT)
    other.write_bytes(content)
    results: list[dict[str, Any]] = []
    with pytest.raises(LogError) as error:
        results.extend(records([str(other), str(log)]))
    assert str(error.value).startswith(f"{other}: {problem}")
    assert "\n" not in str(error.value)
    assert [record["record"] for record in results] == ["command", "counts"]
    process = subprocess.run(
        [PROGRAM.path(), "read", str(other), str(log)], capture_output=True, check=False
    )
    assert process.returncode == 1


def test_a_byte_order_mark_is_not_counted_as_an_unknown_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xef\xbb\xbf" + FSTAT.encode())
    [command, counts] = records([str(log)])
    assert (command["pid"], counts["unknown"]) == (71, 0)


def test_an_empty_log_beside_a_rotated_log_is_not_an_error(tmp_path: Path) -> None:
    log = tmp_path / "log.1"
    log.write_text(FSTAT)
    (tmp_path / "log").touch()
    assert len(commands(tmp_path / "log", log)) == 1


@pytest.fixture
def following(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Fixture: a running `p4warden-log read --follow` of a log file that is still empty."""
    (tmp_path / "log").touch()
    command = [PROGRAM.path(), "read", "--follow", str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        yield child
        child.kill()


def test_option_follow_reads_lines_appended_to_an_empty_log_and_keeps_running(
    tmp_path: Path, following: subprocess.Popen[str]
) -> None:
    with (tmp_path / "log").open("a") as file:
        file.write(FSTAT + start("12:00:01", 71, "user-info"))
    assert following.stdout
    assert json.loads(following.stdout.readline())["command"] == "user-fstat"
    assert following.poll() is None


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_option_follow_prints_unfinished_commands_and_exits_with_0_after_a_signal(
    tmp_path: Path, following: subprocess.Popen[str], end: signal.Signals
) -> None:
    with (tmp_path / "log").open("a") as file:
        file.write(FSTAT + start("12:00:01", 71, "user-info"))
    assert following.stdout
    following.stdout.readline()  # printed only after the log reader has read the file
    following.send_signal(end)
    report = [json.loads(line) for line in following.stdout]
    assert [record.get("command") for record in report] == ["user-info", None]
    assert following.wait(timeout=10) == 0
