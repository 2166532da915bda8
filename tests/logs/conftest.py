"""Fixtures of the log tests."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from p4warden.logs import reader

CASES = Path(__file__).parents[1] / "cases" / "logs"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixture: the logs' local time is UTC."""
    monkeypatch.setenv("TZ", "UTC0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests if the program was not built."""
    try:
        reader.program()
    except reader.LogError:
        reason = pytest.mark.skip(reason="no log reader was built: cargo was not found")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(reason)


@pytest.fixture
def today() -> datetime.date:
    """Return the day on which policies are checked."""
    return datetime.date(2026, 3, 9)
