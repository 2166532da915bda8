"""Fixtures for the tests of reading p4d's logs and reporting on them."""

from __future__ import annotations

import datetime
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from logs.database import made_of

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parents[1] / "cases" / "logs"
INCIDENT = CASES.with_name("incident") / "incident.log"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fixture: the time zone of the test process, and so of the logs that it reads, is UTC."""
    monkeypatch.setenv("TZ", "UTC0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Fixture: the path of a log database of an incident, for tests that do not change it."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("TZ", "UTC0")
        return made_of(tmp_path_factory.mktemp("incident"), INCIDENT, name="p4log")


@pytest.fixture
def today() -> datetime.date:
    """Fixture: a fixed date, on which tests check policies."""
    return datetime.date(2026, 3, 9)
