"""Tests of the owners that `p4warden-index clients` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.checkpoint_text import TIME_S, domain, ex
from index.conftest import built, rows
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

VIEWS = {name: [f"//depot/... //{name}/..."] for name in ("build-all", "gone", "same")}


def owners(index: Path) -> dict[str, str]:
    return {row["client"]: row["owner"] for row in rows("clients", index)}


def test_owners_are_those_of_the_checkpoint_and_of_its_journals(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/a": 9}, VIEWS, time_s=TIME_S)
    assert owners(index) == dict.fromkeys(VIEWS, "ann")
    journal = tmp_path / "journal"
    journal.write_text(
        domain("build-all").replace("@ann@", "@scm@")
        + domain("gone").replace("@pv@", "@dv@")
        + domain("same", at_s=(1, 50))
        + domain("new").replace("@ann@", "@@")
        + ex()
    )
    index = built(tmp_path, tmp_path / "checkpoint", journal)
    assert owners(index) == {"build-all": "scm", "same": "ann", "new": ""}
