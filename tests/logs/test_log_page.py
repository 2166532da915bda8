"""Tests of `p4warden log report --html`: all reports on p4d's log on one page."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from click.testing import CliRunner

from logs.blocks import HEADER, done, start
from logs.database import made_of
from logs.test_incident import CASES
from p4warden.commands.log import log as log_command
from p4warden.workbench.logs.charts import chart_of
from p4warden.workbench.logs.database_reports import ReportResult
from support.pages import PageParser

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    "</style><script>alert(1)</script>@<img/src=x/onerror=alert(2)> 10.0.0.1 "
    "[\"'><svg/onload=alert(3)>\u202egnp.exe/v93]"
)


def page(folder: Path, log: Path, *words: str) -> str:
    database, file = made_of(folder, log), folder / "page.html"
    values = ["report", "--database", database, "--html", str(file), *words]
    result = CliRunner().invoke(log_command, values, standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.stdout == f"{file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return file.read_text("ascii")


def hostile(folder: Path) -> Path:
    """Write a p4d log whose user, client, program and arguments contain HTML; return its path."""
    query = "user-fstat //depot/<b>x</b>&amp;\x1b[31m"
    other = start("12:00:01", 2, "user-submit <i>")
    text = start("12:00:00", 1, query, HOSTILE) + other
    use = "--- db.rev\n---   total lock wait+held read/write 0ms+{}ms/{}ms+0ms\n\n"
    text += done("12:00:09", 1, "9") + start("12:00:00", 1, query, HOSTILE)[:-1]
    text += use.format(8000, 0) + done("12:00:09", 2, "8") + other[:-1] + use.format(0, 7000)
    text += f"{HEADER}\t2026/03/02 12:00:01 pid 2 ann@ws 10.0.0.1 [p4/v93] 'user-submit <i>'"
    text += " trigger <script>\nlapse .5s\n\n"
    (folder / "log").write_text(text)
    return folder / "log"


def test_the_page_has_reports_at_least_12_charts_and_reasons_for_missing_reports(
    tmp_path: Path,
) -> None:
    parsed_page = PageParser(page(tmp_path, CASES / "incident.log", "--class", "builds=build-*"))
    words = parsed_page.text
    for part in (
        "carol user-fstat, db.rev", "clientEntity/dave-ws", "Classes of accounts compared",
        "builds", "jira-check", "Versions of client programs", "8,000,001,000",
    ):  # fmt: skip
        assert part in words
    assert "--class" not in words
    assert (
        "not in this log: active threads and pressure (requires a newer release of p4d)" in words
    )
    assert len(parsed_page.ids) == len(set(parsed_page.ids))
    assert len(parsed_page.ids) / 2 >= 12


def test_the_page_shows_the_selected_users_and_times_and_only_matching_commands(
    tmp_path: Path,
) -> None:
    words = ("--user", "d*", "--user", "erin", "--from", "09:30", "--to", "09:40")
    page_text = PageParser(page(tmp_path, CASES / "incident.log", *words)).text
    assert "Only --user d*, erin" in page_text
    assert "Only --from 09:30" in page_text
    assert "From 2026-03-02 09:31 to 2026-03-02 09:31" in page_text
    assert "build-01" not in page_text
    assert "2026-03-02 09:31 3" in " ".join(page_text.split())


def test_markup_in_a_log_is_shown_as_text(tmp_path: Path) -> None:
    text = page(tmp_path, hostile(tmp_path))
    parsed_page = PageParser(text)
    assert not parsed_page.tags & {"script", "img", "link", "iframe", "b", "i"}
    assert not {name for name in parsed_page.attributes if name.startswith("on")}
    assert "src" not in parsed_page.attributes
    assert all(link.startswith("#table-") for link in parsed_page.links)
    assert not re.search(r"url\(|@import|https?:", text)
    assert "default-src 'none'" in text
    words = parsed_page.text
    for part in (
        "</style><script>alert(1)</script>",
        "<svg/onload=alert(3)>\\u202egnp.exe",
        "<b>x</b>&amp;\\x1b[31m",
    ):
        assert part in words


def test_a_chart_draws_accounts_without_a_class_apart_from_small_classes() -> None:
    started = {"all others": 60, "a": 50, "b": 40, "c": 30, "d": 20, "e": 7, "f": 3}
    rows = [("10:00", name, number) for name, number in started.items()]
    chart = chart_of("class-series", ReportResult(("time", "class", "started"), rows))
    heights = [*map(float, re.findall(r'<rect class="c\d"[^>]*height="([\d.]+)"', chart))]
    assert [round(60 * height / heights[0]) for height in heights] == [60, 50, 40, 30, 20, 10]
    legend = re.findall(r"</mark>([^<]*)</li>", chart)
    assert legend == ["all others", "a", "b", "c", "d", "all other classes"]


def test_a_column_without_any_value_is_left_out(tmp_path: Path) -> None:
    text = page(tmp_path, CASES / "incident.log")
    assert 'data-name="read held ms"' in text
    assert "peek held ms" not in text


def test_a_page_without_matching_commands_shows_that_nothing_matches(tmp_path: Path) -> None:
    parsed_page = PageParser(page(tmp_path, CASES / "incident.log", "--from", "2026-03-05"))
    assert "nothing in this log matches" in parsed_page.text


def test_option_html_with_a_report_name_is_refused(tmp_path: Path) -> None:
    values = ["report", "users", "--html", str(tmp_path / "page.html")]
    result = CliRunner().invoke(log_command, values)
    assert result.exit_code == 2
    assert "--html writes all reports; omit the name" in result.output
