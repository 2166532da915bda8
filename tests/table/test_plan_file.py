"""Tests of messages about a stored deployment plan that cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files
from p4warden.table import plan_file
from p4warden.table.merge import Plan

if TYPE_CHECKING:
    from pathlib import Path

STORED = plan_file.KeptPlan("perforce:1666", "a" * 64, Plan("before\n", "after\n"))
WHOLE: dict[str, Any] = {
    "server": "perforce:1666",
    "policy": "a" * 64,
    "plan": {"before": "before\n", "after": "after\n"},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def load_error(home: Path) -> str:
    with pytest.raises(P4WardenError) as caught:
        plan_file.load(str(home))
    return str(caught.value)


def test_a_stored_plan_is_read_back(home: Path) -> None:
    plan_file.keep(str(home), STORED)
    assert plan_file.load(str(home)).plan.after == "after\n"
    trusted_files.replace(str(home), plan_file.FILE_NAME, json.dumps(WHOLE).encode())
    assert plan_file.load(str(home)) == STORED


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"server": "perf',
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        json.dumps(WHOLE | {"server": None}).encode(),
        json.dumps(WHOLE | {"policy": 5}).encode(),
        json.dumps(WHOLE | {"plan": None}).encode(),
        json.dumps(WHOLE | {"plan": WHOLE["plan"] | {"before": 5}}).encode(),
        json.dumps(WHOLE | {"plan": WHOLE["plan"] | {"after": None}}).encode(),
        json.dumps(WHOLE | {"plan": {"after": ""}}).encode(),
        json.dumps(WHOLE | {"plan": WHOLE["plan"] | {"future": 1}}).encode(),
    ],
)
def test_a_damaged_plan_is_to_be_made_again(home: Path, content: bytes) -> None:
    trusted_files.replace(str(home), plan_file.FILE_NAME, content)
    assert load_error(home) == (
        f"{home}/deploy.plan.json is damaged or was written by another version of p4warden; "
        "run p4warden deploy plan again"
    )
    assert not plan_file.is_for(str(home), "a" * 64)


def test_a_plan_that_cannot_be_read_keeps_the_systems_message(home: Path) -> None:
    (home / plan_file.FILE_NAME).symlink_to("elsewhere")
    assert load_error(home) == f"{home}/deploy.plan.json: is a symbolic link"
