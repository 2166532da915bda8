"""Tests of what a log database says about the commands that a finding is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from logs.blocks import HEADER, done, start
from logs.database import made_of
from p4warden import cli
from p4warden.workbench.tune import log_use
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

DAY = "2026/03/02"
DEV = (
    "@pv@ 9 @db.group@ @ann@ @dev@ 1 0 0 0 0 43200 0 \n"
    "@pv@ 1 @db.property@ @P4V.Performance.ServerRefresh@ 1 0 @@ @2@ 1 @ann@ \n"
)


def ran(
    pid: int, user: str, command: str, held_ms: int = 0, prog: str = "p4", more: str = ""
) -> str:
    """Return a command of 5 s that begins with `pid` seconds, with the use of one table."""
    sender = f"{user}@{user}-ws 10.0.0.1 [{prog}/v93]"
    begins = f"10:00:{pid:02}"
    track = (
        f"{HEADER}\t{DAY} {begins} pid {pid} {sender} '{command}'\n--- lapse 5s\n{more}"
        "--- db.rev\n---   locks read/write 1/0 rows get+pos+scan put+del 1+2+3 0+0\n"
        f"---   total lock wait+held read/write 0ms+{held_ms}ms/0ms+0ms\n\n"
    )
    return start(begins, pid, command, sender) + done(f"10:00:{pid + 5:02}", pid, "5") + track


def log(folder: Path) -> Path:
    file = folder / "log"
    file.write_text(
        ran(1, "ann", "user-sync //depot/...")
        + ran(2, "ann", "user-files //...", more="--- memory cmd/proc 40mb/50mb\n")
        + ran(3, "bob", "user-fstat //...", 30_001, "p4/2016.2/LINUX26X86_64/1598668")
        + ran(4, "bob", "user-fstat //depot/a", prog="Helix P4V/NTX64/2019.2/1904275")
        + ran(5, "bob", "user-info", more="--- paused 12.5s\n")
        + ran(30, "svc", "rmt-Journal", prog="p4d/2012.1/LINUX26X86_64/1")
    )
    return file


def test_commands_over_the_limits_and_their_users_are_counted(tmp_path: Path) -> None:
    use = log_use.read(made_of(tmp_path, log(tmp_path)))
    assert use._asdict() == {
        "most_at_once": 5,
        "locks": (1, 1),
        "syncs": 1,
        "sync_users": 1,
        "p4v_commands": 1,
        "pauses": (1, 12.5),
        "memory": (40, "user-files", "ann"),
        "oldest_client": (2016, 2),
    }


def test_a_log_without_track_lines_has_no_locks(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text(start("10:00:01", 1, "user-sync //...") + done("10:00:02", 1, "1"))
    use = log_use.read(made_of(tmp_path, file))
    assert use.locks is None


def test_a_log_whose_commands_took_no_whole_megabyte_has_no_largest_memory(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text(ran(1, "ann", "user-info", more="--- memory cmd/proc 0mb/50mb\n"))
    assert log_use.read(made_of(tmp_path, file)).memory is None


def test_findings_say_what_they_mean_for_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ckp").write_text(whole(DEV))
    database = made_of(tmp_path, log(tmp_path))
    words = ["tune", "--checkpoint", str(tmp_path / "ckp"), "--database", database, "--json"]
    assert cli.run(words) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    here = {one["subject"]: one["here"] for one in findings}
    limits = here["MaxResults, MaxScanRows, MaxLockTime and MaxOpenFiles"]
    assert "1 command of 1 user kept a lock for more than 30,000 ms; that " in limits
    assert here["P4V.Performance.ServerRefresh"].endswith("The log has 1 command of P4V")


def test_a_file_that_is_no_log_database_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "no.db").write_text("no database\n")
    words = ["tune", "--checkpoint", str(tmp_path / "ckp"), "--database", str(tmp_path / "no.db")]
    assert cli.run(words) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "create it with p4warden log load" in err


def test_a_log_file_in_place_of_its_database_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["tune", "--checkpoint", "ckp", "--database", str(log(tmp_path))]) == 1
    assert "p4warden log load" in capsys.readouterr().err
