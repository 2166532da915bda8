"""Tests of `p4warden-index owners`: clients' owners at the checkpoint and changed by journals."""

from __future__ import annotations

from pathlib import Path

from index.conftest import rows
from index.journal_text import TIME_S, domain, ex, line, update
from support.small_index import small_index

FORMAT_5 = (
    Path(__file__).parents[2] / "triggers" / "gate" / "index" / "tests" / "index_of_format_5"
)
VIEWS = {name: [f"//depot/... //{name}/..."] for name in ("build-all", "gone", "same")}


def owners(index: Path) -> dict[str, str | None]:
    return {row["client"]: row["owner"] for row in rows("owners", index)}


def files_of(index: Path, client: str) -> int:
    (row,) = rows("estimate", index, "--client", client)
    files = row["files"]
    assert isinstance(files, int)
    return files


def test_owners_are_those_of_the_checkpoint_and_of_later_records_in_the_journal(
    tmp_path: Path,
) -> None:
    index = small_index(tmp_path, {"//depot/a": 9}, VIEWS, time_s=TIME_S)
    assert owners(index) == dict.fromkeys(VIEWS, "ann")
    journal = tmp_path / "journal"
    text = (
        domain("build-all").replace("@ann@", "@scm@")
        + domain("gone").replace("@pv@", "@dv@")
        + domain("same", at_s=(1, 50))
        + domain("new").replace("@ann@", "@@")
        + line("new", 0, "//depot/...")
        + ex()
    )
    journal.write_text(text)
    assert update(index, journal)["clients"] == 3
    assert owners(index) == {"build-all": "scm", "same": "ann", "new": ""}
    assert files_of(index, "build-all") == 9
    journal.write_text(text + domain("build-all").replace("@ann@", "@ci@") + ex(200))
    update(index, journal)
    assert owners(index) == {"build-all": "ci", "same": "ann", "new": ""}


def test_clients_that_differ_in_case_are_one_client_if_the_server_ignores_case(
    tmp_path: Path,
) -> None:
    directories = {"//depot/B": 1, "//depot/a": 1}
    index = small_index(tmp_path, dict(reversed(directories.items())), VIEWS, folded=True)
    journal = tmp_path / "journal"
    journal.write_text(domain("Build-All").replace("@ann@", "@scm@") + ex())
    update(index, journal)
    changed = {name.lower(): owner for name, owner in owners(index).items()}
    assert changed == {"build-all": "scm", "gone": "ann", "same": "ann"}
    assert len(owners(index)) == 3


def test_an_index_without_owners_is_read_and_updated(tmp_path: Path) -> None:
    index = tmp_path / "index"
    index.write_bytes(FORMAT_5.read_bytes())
    assert owners(index) == {"one": None}
    assert rows("show", index)[0]["has_owners"] is False
    journal = tmp_path / "journal"
    # A record of a use of the client, with the root that it had.
    used = domain("one").replace("/home/one", "/one")
    journal.write_text(used + ex())
    assert update(index, journal)["clients"] == 0
    assert owners(index) == {"one": None}
    journal.write_text(used + ex() + used + line("one", 1, "//depot/b/...") + ex(200))
    update(index, journal)
    assert owners(index) == {"one": "ann"}
