"""Tests of files of a home that another program, or a person, has damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from p4warden.core import server_names as names
from p4warden.core.errors import P4WardenError
from p4warden.home import last_census, server_account, server_names, trusted_files
from p4warden.server import deployment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["", "[" * 50_000, "[]", "5", '{"format": 99}'])
def content(request: pytest.FixtureRequest) -> bytes:
    return str(request.param).encode()


def test_damaged_names_and_counts_are_as_none(tmp_path: Path, content: bytes) -> None:
    home = f"{tmp_path}/home"
    trusted_files.make(home)
    for name in (names.FILE_NAME, last_census.FILE_NAME):
        trusted_files.replace(home, name, content)
    assert (server_names.last(home), last_census.last(home)) == (None, None)


def test_a_damaged_journal_or_account_is_named(tmp_path: Path, content: bytes) -> None:
    home = f"{tmp_path}/home"
    trusted_files.make(home)
    for name in (deployment.JOURNAL, server_account.FILE_NAME):
        trusted_files.replace(home, name, content)
    with pytest.raises(P4WardenError, match=f"{home}/{deployment.JOURNAL} is damaged$"):
        deployment.cut_off(home)
    with pytest.raises(P4WardenError, match=f"{home}/{server_account.FILE_NAME}: it cannot be"):
        server_account.read(home)
