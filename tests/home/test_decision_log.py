"""Tests of reading decision logs that are rotated, compressed, cut off, or missing."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

from p4warden.home.decision_log import WholeDecisionLog, paths
from p4warden.home.rotated_files import LogFileError, lines_of
from p4warden.reports import counting

if TYPE_CHECKING:
    from pathlib import Path


def line(time_s: float) -> bytes:
    return json.dumps({"time": time_s, "verdict": "refuse"}).encode() + b"\n"


def times(home: Path) -> list[float]:
    return [record["time"] for record in WholeDecisionLog(str(home)).records()]


def test_rotated_logs_are_read_in_order_of_their_records(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl.10").write_bytes(line(1))
    (tmp_path / "decisions.jsonl-20270301.gz").write_bytes(gzip.compress(line(2)))
    (tmp_path / "decisions.jsonl.1").write_bytes(line(3))
    (tmp_path / "decisions.jsonl").write_bytes(line(4))
    (tmp_path / "decisions.jsonl.bak").write_bytes(line(5))
    assert times(tmp_path) == [1, 2, 3, 4]


def day_of_lines(day: int) -> bytes:
    """Return 2,000 lines of a day, and lines of decisions that were counted on the day before."""
    lines = [line(day * 86400 + n * 40) + line((day - 1) * 86400 + n) for n in range(1000)]
    return b"".join(lines)


def test_a_log_is_read_from_a_day_on_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl.1.gz").write_bytes(gzip.compress(line(1)))
    os.utime(tmp_path / "decisions.jsonl.1.gz", (1, 1))
    days = [*range(100, 150), 149, *range(150, 160)]  # the clock was set back by a day
    (tmp_path / "decisions.jsonl").write_bytes(b"".join(map(day_of_lines, days)))
    whole = times(tmp_path)
    for day in (99, 149, 150, 160):
        log = WholeDecisionLog(str(tmp_path), day * 86400)
        read = [record["time"] for record in log.records()]
        late = [time_s for time_s in whole if time_s >= day * 86400]
        assert [time_s for time_s in read if time_s >= day * 86400] == late
        assert len(read) < len(late) + 4 * 2000 + 2 * 64 * 1024 // 35 or day < 100
        assert counting.gather(log.lines()).sums.bad_lines == 0


def test_a_cut_off_log_is_reported_and_read_up_to_the_cut(tmp_path: Path) -> None:
    complete_file = gzip.compress(b"".join(line(n) for n in range(5000)))
    (tmp_path / "decisions.jsonl.1.gz").write_bytes(complete_file[: len(complete_file) // 2])
    (tmp_path / "decisions.jsonl").write_bytes(line(9000) + b'{"time": 90')
    log = WholeDecisionLog(str(tmp_path))
    times = [record["time"] for record in log.records()]
    assert times[0] == 0
    assert times[-1] == 9000
    assert counting.gather(WholeDecisionLog(str(tmp_path)).lines()).sums.bad_lines == 1
    assert log.problems == [f"{tmp_path}/decisions.jsonl.1.gz: cut off; read up to the cut"]


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 3000, b"[" * 5000, b"\n\n5\nnull\n"])
def test_a_file_that_is_not_a_log_has_no_records(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "decisions.jsonl").write_bytes(content)
    (tmp_path / "decisions.jsonl.1.gz").write_bytes(content)
    assert times(tmp_path) == []


def test_a_record_with_an_enormous_time_is_read(tmp_path: Path) -> None:
    (tmp_path / "decisions.jsonl.1").write_bytes(b'{"time": 1' + b"0" * 400 + b"}\n")
    (tmp_path / "decisions.jsonl.2").write_bytes(line(2))
    assert times(tmp_path) == [2, 10**400]


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(line(1))
    (tmp_path / "decisions.jsonl").symlink_to(tmp_path / "secret")
    (tmp_path / "decisions.jsonl.1").mkdir()
    os.mkfifo(tmp_path / "decisions.jsonl.2")
    log = WholeDecisionLog(str(tmp_path))
    assert list(log.records()) == []
    assert len(log.problems) == 3


def test_a_long_line_is_read_in_pieces_of_one_mebibyte(tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    file.write_bytes(b"x" * 3_000_000 + b"\n" + line(7))
    assert max(map(len, lines_of(file))) <= 1024 * 1024
    assert times(tmp_path) == [7]


def test_a_log_is_read_from_an_offset(tmp_path: Path) -> None:
    plain, packed = tmp_path / "decisions.jsonl", tmp_path / "decisions.jsonl.1.gz"
    plain.write_bytes(b"one\ntwo\n")
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert list(lines_of(plain, 4)) == list(lines_of(packed, 4)) == [b"two\n"]


def test_a_missing_log_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LogFileError, match=r"none: No such file or directory$"):
        list(lines_of(tmp_path / "none"))
    assert paths(str(tmp_path / "none")) == []
