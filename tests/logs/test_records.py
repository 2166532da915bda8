"""Tests of the records that the log reader makes of whole logs.

The cases of single kinds of log lines are in `tests/cases/logs`.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from logs.blocks import done, start
from logs.conftest import CASES
from logs.database import commands
from p4warden.workbench.logs.reader import PROGRAM, LogError, records

FSTAT = start("12:00:00", 71, "user-fstat //depot/...")
DONE = done("12:00:01", 71, "1.5")


def save(path: Path, content: str | bytes) -> Path:
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_rotated_logs_are_read_in_the_order_of_their_times(tmp_path: Path) -> None:
    newest = save(tmp_path / "log", start("12:00:05", 72, "user-have"))
    middle = save(tmp_path / "log.1", DONE)
    oldest = save(tmp_path / "log.2.gz", FSTAT)
    results = commands(newest, oldest, middle)
    assert [(c["pid"], c.get("lapse_s")) for c in results] == [(71, 1.5), (72, None)]


def test_plain_and_gzip_logs_are_read_from_standard_input() -> None:
    for text in (FSTAT.encode(), gzip.compress(FSTAT.encode())):
        command = [PROGRAM.path(), "read", "-"]
        process = subprocess.run(command, input=text, capture_output=True, check=True)
        assert process.stdout.count(b'"user-fstat"') == 1


def test_a_pipe_is_read_alone_and_refused_together_with_another_log(tmp_path: Path) -> None:
    log = save(tmp_path / "log", FSTAT)
    read_end, write_end = os.pipe()
    with os.fdopen(read_end), os.fdopen(write_end, "wb") as into:
        os.set_inheritable(read_end, True)  # noqa: FBT003 - as a shell does for <(...)
        into.write(DONE.encode())
        into.close()
        assert [command["pid"] for command in commands(Path(f"/dev/fd/{read_end}"))] == [71]
        with pytest.raises(LogError, match=rf"^/dev/fd/{read_end}: .* specify it alone$"):
            commands(log, Path(f"/dev/fd/{read_end}"))
    with pytest.raises(LogError, match=r"^-: .* specify it alone$"):
        commands(log, Path("-"))


def test_a_log_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    log = save(tmp_path / "log", FSTAT)
    (tmp_path / "newest").symlink_to(log)
    assert len(commands(log, tmp_path / "newest", log)) == 1


def test_gzip_with_a_wrong_checksum_is_read_and_reported(tmp_path: Path) -> None:
    log = tmp_path / "log.gz"
    log.write_bytes(gzip.compress(FSTAT.encode())[:-8] + b"\1" * 8)
    results: list[dict[str, Any]] = []
    with pytest.raises(LogError, match="the compressed data are damaged"):
        results.extend(records([str(log)]))
    assert results[0]["pid"] == 71


def test_user_names_that_are_not_utf8_are_escaped_in_the_json() -> None:
    names = [command["user"] for command in commands(CASES / "arguments.log")]
    assert names[-1] == "d\\xff"
    log = str(CASES / "arguments.log")
    process = subprocess.run([PROGRAM.path(), "read", log], capture_output=True, check=True)
    json.loads(process.stdout.splitlines()[-2])["user"].encode("utf-8")


def test_truncated_gzip_is_read_as_far_as_possible_and_reported(tmp_path: Path) -> None:
    text = "".join(start("12:00:00", pid, f"user-fstat //{pid * 7919}") for pid in range(4000))
    log = tmp_path / "log.gz"
    log.write_bytes(gzip.compress(text.encode())[:-2000])
    results: list[dict[str, Any]] = []
    with pytest.raises(LogError) as error:
        results.extend(records([str(log)]))
    assert str(error.value) == f"{log}: the compressed data end early"
    assert 1000 < len(results) < 4001


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (
            b"\x7fELF\x02\x01\x00" * 999,
            "is a binary file; nothing in its first 1024 KiB is a line",
        ),
        (b"Dear diary,\n", "is not a p4d log; nothing in its first 1024 KiB is a line"),
        (b"\x1f\x8b\x08\x00rubbish", "the compressed data end early"),
        (None, "is a directory; specify the logs in it"),
    ],
)
def test_input_that_is_not_a_log_is_reported_in_one_line(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    log = tmp_path / "log"
    log.mkdir() if content is None else log.write_bytes(content)
    with pytest.raises(LogError) as error:
        list(records([str(log)]))
    assert str(error.value).startswith(f"{log}: {problem}")
    assert "\n" not in str(error.value)


def test_a_log_that_does_not_exist_is_reported() -> None:
    with pytest.raises(LogError, match=r"^/nonexistent/log: No such file"):
        list(records(["/nonexistent/log"]))


def test_option_follow_continues_with_the_new_log_after_a_rotation(tmp_path: Path) -> None:
    log = save(tmp_path / "log", FSTAT)
    following = (r for r in records([str(log)], follow=True) if r["record"] == "command")
    with log.open("a") as file:
        file.write(start("12:00:01", 71, "user-files //depot/..."))
    assert next(following)["command"] == "user-fstat"
    log.rename(tmp_path / "log.1")
    save(log, start("12:00:02", 71, "user-have") + start("12:00:03", 71, "user-info"))
    assert [next(following)["command"] for _ in range(2)] == ["user-files", "user-have"]
    following.close()


def test_log_read_exits_with_0_after_its_output_is_closed(tmp_path: Path) -> None:
    text = "".join(start("12:00:00", pid, "user-fstat //depot/...") for pid in range(9000))
    log = save(tmp_path / "log", text)
    with subprocess.Popen([PROGRAM.path(), "read", str(log)], stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        child.stdout.close()
        assert child.wait(timeout=10) == 0


def test_an_unknown_option_is_refused_by_name() -> None:
    process = subprocess.run(
        [PROGRAM.path(), "read", "--nonsense", "x"], capture_output=True, check=False
    )
    assert process.returncode == 2
    assert b"invalid option '--nonsense'" in process.stderr
