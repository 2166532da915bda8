"""Tests that `p4warden prove` finds a program's tracking lines in the log file of p4d."""

from pathlib import Path

from p4warden.prove.server_log import await_tracking_lines, tracking_lines

LOG = b"""\
Perforce server info:
\t2024/12/18 10:00:01 pid 70 prove-super@prove-wide 127.0.0.1 [prove-files/1.0] 'user-files //depot/...'
Perforce server info:
\t2024/12/18 10:00:01 pid 70 completed .004s 3+0us 0+0io 0+0net 0k 0pf
Perforce server info:
\t2024/12/18 10:00:01 pid 70 prove-super@prove-wide 127.0.0.1 [prove-files/1.0] 'user-files //depot/...'
--- lapse .004s
--- db.rev
---   locks read/write 1/0 rows get+pos+scan put+del 0+1+20461 0+0

Perforce server info:
\t2024/12/18 10:00:02 pid 71 prove-super@prove-wide 127.0.0.1 [prove-files-m1 [PY3.11/P4PY2026.1/API2026.1/1]/1.0] 'user-files -m1 //depot/...'
--- db.rev
---   locks read/write 1/0 rows get+pos+scan put+del 0+1+2 0+0
"""  # noqa: E501 - the lines are whole


def test_only_tracking_lines_of_the_program_are_found() -> None:
    assert tracking_lines(LOG, "prove-files") == [
        b"--- lapse .004s",
        b"--- db.rev",
        b"---   locks read/write 1/0 rows get+pos+scan put+del 0+1+20461 0+0",
    ]
    assert tracking_lines(LOG, "prove-files-m1") == [
        b"--- db.rev",
        b"---   locks read/write 1/0 rows get+pos+scan put+del 0+1+2 0+0",
    ]
    assert tracking_lines(LOG, "files") == []
    assert tracking_lines(b"--- db.rev\n", "prove-files") == []


def test_tracking_lines_written_late_are_found(tmp_path: Path) -> None:
    file, pauses = tmp_path / "log", list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) > 2:
            file.write_bytes(LOG)

    assert await_tracking_lines(file, "prove-files-m1", pause)[0] == b"--- db.rev"
    assert len(pauses) == 3


def test_waiting_for_a_missing_log_file_ends_after_2_seconds(tmp_path: Path) -> None:
    pauses = list[float]()
    assert await_tracking_lines(tmp_path / "no log", "prove-files", pauses.append) == ()
    assert 0 < sum(pauses) <= 2.01
