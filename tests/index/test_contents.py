"""Tests of the Python functions that read the output of `p4warden-index` and `p4warden-log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from logs.conftest import CASES as LOGS
from p4warden.commands import file_counts
from p4warden.core.records import Depot
from p4warden.index import contents
from p4warden.index.build import IndexFileError, build
from p4warden.workbench.logs.load_database import load
from support.small_index import small_index
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SERVER = {"//depot/main": 3, "//depot/a long directory": 1, "//tools/B": 2, "//tools/a": 1}
CLIENTS = {"wide": ["//... //wide/..."], "narrow": ["//tools/B/... //narrow/..."]}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("index")
    have_counts = {"//wide/depot/main": 2}
    index = small_index(
        folder,
        SERVER,
        CLIENTS,
        revisions=2,
        time_s=1_800_000_000,
        have_counts=have_counts,
        empty_depots={"old": 4},
        server_id="main",
    )
    return str(index)


def test_head_returns_the_header_of_an_index(index: str) -> None:
    head = contents.head(index)
    assert head == {
        "format": 1,
        "step": 250,
        "server_id": "main",
        "case": "sensitive",
        "change": None,
        "time_s": 1_800_000_000,
        "files": 7,
        "revisions": 14,
        "clients": 2,
        "changelist_records": 14,
    }


def test_clients_and_client_files_return_the_counts_of_each_client(index: str) -> None:
    expected = [("narrow", contents.Counts(2, 4, 0)), ("wide", contents.Counts(7, 14, 2))]
    assert list(contents.clients(index)) == expected
    assert contents.client_files(index) == [2, 7]


def test_depots_and_places_return_directories_with_their_counts(index: str) -> None:
    assert contents.depots(index, {0: "local", 4: "archive"}) == {
        "depot": Depot("local", ("a long directory", "main"), 2),
        "old": Depot("archive", (), 0),
        "tools": Depot("local", ("B", "a"), 2),
    }
    assert {path: numbers for path, *numbers in contents.places(index, {4})} == {
        "//depot/": [4, 8],
        "//depot/a long directory/": [1, 2],
        "//depot/main/": [3, 6],
        "//old/": [None, None],
        "//tools/": [3, 6],
        "//tools/B/": [2, 4],
        "//tools/a/": [1, 2],
    }


def test_counts_return_the_expected_numbers(index: str) -> None:
    assert contents.counts(index, ["//depot/...", "//tools/B/f000001.c"]) == [4, 1]


def test_path_lengths_count_every_250th_file_by_the_bytes_of_its_path(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/a": 1000, "//depot/longer": 500}, {})
    assert contents.path_lengths(str(index)) == [(19, 4), (24, 2)]


def test_leading_parts_count_revisions_at_all_levels(tmp_path: Path) -> None:
    few_and_many = {"//depot/com/company": 2000, "//depot/com/few": 5, "//depot/other": 1000}
    index = small_index(tmp_path, few_and_many, {})
    assert contents.leading_parts(str(index)) == [
        ("//depot/", 3000),
        ("//depot/com/", 2000),
        ("//depot/com/company/", 2000),
        ("//depot/other/", 1000),
    ]


def test_an_index_with_other_case_handling_is_an_error(index: str) -> None:
    reason = "its case handling is sensitive, this server's is not"
    text = f"{index}: belongs to another server: {reason}"
    with (
        pytest.raises(IndexFileError) as error,
        file_counts.by_index(index, case_sensitive=False),
    ):
        pass
    assert str(error.value) == text


def built(folder: Path, progress: Callable[[int, int], None]) -> int:
    source = folder / "checkpoint"
    source.write_text(whole("@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n" * 9))
    build([str(source)], [], str(folder / "index"), None, progress)
    return source.stat().st_size


def loaded(folder: Path, progress: Callable[[int, int], None]) -> int:
    log = LOGS / "whole_command.log"
    assert load([str(log)], str(folder / "log.db"), progress) == []
    return log.stat().st_size


@pytest.mark.parametrize("run", [built, loaded])
def test_progress_is_reported_as_bytes_read_of_all_bytes(
    run: Callable[[Path, Callable[[int, int], None]], int], tmp_path: Path
) -> None:
    reports: list[tuple[int, int]] = []
    total_bytes = run(tmp_path, lambda position, size: reports.append((position, size)))
    assert reports
    assert all(0 <= position <= size == total_bytes for position, size in reports)
