"""Tests of the list of depots that the depot trigger allowed within the last minute."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

import pytest

from p4warden.core.records import Depot, Facts
from p4warden.home.locks import LockHeldError
from p4warden.home.trusted_files import HomeError
from p4warden.worker import pending_depots

if TYPE_CHECKING:
    from pathlib import Path

FACTS = Facts(depots={"depot": Depot("local", ("main",), 1)})
NOW_S = 1_800_000_000


def add(folder: Path, name: str, now_s: int = NOW_S) -> None:
    with pending_depots.locked_list(str(folder), now_s) as waiting:
        waiting.add(name, "stream")


def names(folder: Path, now_s: int) -> set[str]:
    with pending_depots.locked_list(str(folder), now_s) as waiting:
        return set(waiting.counted(FACTS).depots)


def test_an_accepted_depot_counts_for_a_minute(tmp_path: Path) -> None:
    add(tmp_path, "new")
    assert names(tmp_path, NOW_S + 59) == {"depot", "new"}
    assert names(tmp_path, NOW_S + 60) == {"depot"}


def test_an_accepted_depot_does_not_count_if_the_clock_was_set_back(tmp_path: Path) -> None:
    add(tmp_path, "new")
    assert names(tmp_path, NOW_S - 60) == {"depot"}


def test_a_depot_counts_whose_trigger_started_later_and_had_the_lock_first(tmp_path: Path) -> None:
    add(tmp_path, "new", NOW_S + 1)
    assert names(tmp_path, NOW_S) == {"depot", "new"}
    add(tmp_path, "newer", NOW_S)
    assert names(tmp_path, NOW_S + 1) == {"depot", "new", "newer"}


def test_an_accepted_depot_that_the_server_lists_counts_once(tmp_path: Path) -> None:
    add(tmp_path, "depot")
    with pending_depots.locked_list(str(tmp_path), NOW_S) as waiting:
        assert waiting.counted(FACTS) == FACTS


def test_several_accepted_depots_are_kept_and_old_depots_are_dropped(tmp_path: Path) -> None:
    add(tmp_path, "a" * 500, NOW_S)
    add(tmp_path, "b", NOW_S + 50)
    add(tmp_path, "c", NOW_S + 70)
    assert names(tmp_path, NOW_S + 71) == {"depot", "b", "c"}


@pytest.mark.parametrize("content", [b"", b"\0\xff noise", b"[1]", b'{"x": 5}', b'{"x": ["a"'])
def test_a_damaged_file_of_pending_depots_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / pending_depots.FILE_NAME).write_bytes(content)
    assert names(tmp_path, NOW_S) == {"depot"}
    add(tmp_path, "new")
    assert names(tmp_path, NOW_S) == {"depot", "new"}


def test_a_locked_file_of_pending_depots_raises_busy(tmp_path: Path) -> None:
    with (tmp_path / pending_depots.FILE_NAME).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockHeldError), pending_depots.locked_list(str(tmp_path), NOW_S):
            pass
    assert names(tmp_path, NOW_S) == {"depot"}


def test_a_symbolic_link_in_place_of_the_pending_depots_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / pending_depots.FILE_NAME).symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(HomeError, match="symbolic"),
        pending_depots.locked_list(str(tmp_path), NOW_S),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()
