"""Tests of notes and extra columns with which reports on p4d's log qualify their figures."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from logs.blocks import start
from logs.database import ask, loaded
from p4warden.commands.log import log as log_command
from support.pages import PageParser

ESTIMATES = Path(__file__).parents[1] / "cases" / "logs" / "estimates.log"
UNSURE = "2 syncs waited for estimates at the same time as another sync"


def test_estimates_of_overlapping_syncs_are_marked_unsure_in_text_json_and_html(
    tmp_path: Path,
) -> None:
    with loaded(tmp_path, ESTIMATES):
        pass
    words = ["report", "syncs", "--database", str(tmp_path / "log.db")]
    text = CliRunner().invoke(log_command, words, standalone_mode=False)
    assert "unsure syncs" in text.stdout
    assert UNSURE in text.stderr
    lines = CliRunner().invoke(log_command, [*words, "--json"], standalone_mode=False).stdout
    unsure = {row["user"]: row["unsure_syncs"] for row in map(json.loads, lines.splitlines())}
    assert unsure == {"ann": 1, "bob": 1}
    page = tmp_path / "page.html"
    words = ["report", "--html", str(page), *words[2:]]
    CliRunner().invoke(log_command, words, standalone_mode=False, catch_exceptions=False)
    assert UNSURE in PageParser(page.read_text("utf-8")).text


def test_no_note_is_added_where_no_syncs_overlap(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(
        start("12:00:00", 1, "user-sync")
        + "Perforce server info:\n\t2026/03/02 12:00:00 pid 1 compute end .020s\n"
        + "Perforce server info:\n\tServer network estimates: files added/updated/deleted=5/0/0,"
        " bytes added/updated=55/0\n"
    )
    with loaded(tmp_path, tmp_path / "log"):
        results = ask(str(tmp_path / "log.db"), "syncs", 9)
    [row] = [dict(zip(results.columns, row, strict=True)) for row in results.rows]
    assert (row["estimated_bytes"], results.note) == (55, "")


def test_contention_has_a_column_for_waits_of_reads_without_locks(tmp_path: Path) -> None:
    log_text = start("12:00:00", 1, "user-changes").replace(
        "\n\n",
        "\n--- db.rev\n---   peek count 21 wait+held total/max 700ms+60953ms/400ms+34390ms\n"
        "--- db.have\n---   total lock wait+held read/write 300ms+5ms/0ms+0ms\n\n",
    )
    (tmp_path / "log").write_text(log_text)
    with loaded(tmp_path, tmp_path / "log"):
        results = ask(str(tmp_path / "log.db"), "contention", 9)
    rows = [dict(zip(results.columns, row, strict=True)) for row in results.rows]
    report = [(row["tables"], row["wait_ms"], row["peek_wait_ms"]) for row in rows]
    assert report == [("db.rev", None, 700), ("db.have", 300, None)]
