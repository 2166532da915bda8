"""Tests of the lines of `status` and `doctor` about the checkpoint index and row estimates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.health import BAD, GOOD, WARNING, CheckedInstallation, checkpoint_index
from p4warden.home import trusted_files
from p4warden.home.trusted_files import INDEX
from p4warden.index.build import build
from p4warden.policy import compiled
from support.home_files import facts_file, policy_file
from support.small_index import small_index
from support.whole_checkpoint import whole_bytes

DAY_S = 86_400
TIME_S = 1_573_649_999
RULE = {"name": "few", "rule": "limit_scanned_rows", "commands": ["sync"], "max_files": 9}
FACTS = b'{"case_sensitive": true, "depots": {}}'


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Fixture: the bytes of a small index, built from a checkpoint that ended at `TIME_S`."""
    file = small_index(
        tmp_path_factory.mktemp("index"),
        {"//depot/B": 700, "//depot/a": 9},
        {"ws": []},
        time_s=TIME_S,
    )
    return file.read_bytes()


@pytest.fixture
def home(tmp_path: Path, index: bytes) -> str:
    home = str(tmp_path / "home")
    trusted_files.make(home)
    trusted_files.replace(home, INDEX, index)
    trusted_files.replace(home, "facts.json", facts_file(FACTS))
    run(home, RULE | {"mode": "observe"})
    return home


def run(home: str, *rules: dict[str, Any]) -> None:
    policy = compiled.compile_policy({"contact": "x", "rules": list(rules)}, "0" * 64)
    trusted_files.replace(home, compiled.FILE_NAME, policy_file(compiled.dumps(policy)))


def checks(home: str, age_s: int = 3 * DAY_S) -> dict[str, tuple[str, str, str | None]]:
    place = CheckedInstallation(home, (TIME_S + age_s) * 10**9)
    results = checkpoint_index.checks(place)
    return {check.name: (check.state, check.message, check.remedy) for check in results}


def test_digest_and_age_of_the_index_are_reported_with_a_warning_after_8_days(home: str) -> None:
    state, output, remedy = checks(home)["index"]
    assert (state, remedy) == (GOOD, None)
    digest, rest = output.split(", ", 1)
    assert len(digest) == 12
    assert rest == "709 files, 1 client, 3 days old"
    state, output, remedy = checks(home, 9 * DAY_S)["index"]
    assert state == WARNING
    assert output.endswith(", 9 days old, more than 8 days")
    assert remedy == f"p4warden index --checkpoint CHECKPOINT --home {home}; after each checkpoint"


def test_an_index_without_counts_by_changelist_is_used_and_reported(
    home: str, tmp_path: Path
) -> None:
    checkpoint, index = tmp_path / "ckp", tmp_path / "index"
    revision = b"@pv@ 9 @db.rev@ @//depot/a@ 1 0 0 1 1 1 00 1 \n"
    checkpoint.write_bytes(whole_bytes(revision))
    build([str(checkpoint)], [], str(index), None, lambda _read, _of: None)
    trusted_files.replace(home, INDEX, index.read_bytes())
    state, output, _ = checks(home)["index"]
    missing = "1 file, 0 clients, no counts by changelist (ranges of changelists are unknown), "
    assert (state, missing in output) == (GOOD, True), output


def test_an_index_of_another_server_is_reported(home: str, tmp_path: Path) -> None:
    trusted_files.replace(
        home, "facts.json", facts_file(json.loads(FACTS) | {"server_id": "edge"})
    )
    assert checks(home)["index"][0] == GOOD
    index = small_index(tmp_path, {"//depot/B": 9, "//depot/a": 9}, {}, server_id="commit")
    trusted_files.replace(home, INDEX, index.read_bytes())
    assert "it belongs to the server commit, but this is edge" in checks(home)["index"][1]


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_a_rule_that_needs_a_missing_index_is_reported(home: str, mode: str) -> None:
    trusted_files.remove(home, INDEX)
    narrow = {"name": "narrow", "rule": "limit_view_scope", "mode": mode, "max_files": 9}
    run(home, narrow, RULE | {"mode": "off"})
    assert checks(home)["index"][:2] == (WARNING, "missing; narrow cannot use it")
    run(home, {"name": "depth", "rule": "limit_view_scope", "mode": mode})
    assert checks(home) == {}


def test_an_index_that_cannot_be_used_is_reported(home: str, index: bytes) -> None:
    trusted_files.replace(home, INDEX, index[:-9])
    state, output, _ = checks(home)["index"]
    assert state == BAD
    assert output.endswith("make it again with p4warden index; few cannot use it")
    trusted_files.replace(home, INDEX, index)
    trusted_files.replace(home, "facts.json", facts_file(FACTS.replace(b"true", b"false")))
    assert "its case handling is sensitive, unlike this server's" in checks(home)["index"][1]
    Path(home, INDEX).chmod(0o666)
    assert "others have write access to it" in checks(home)["index"][1]
