"""Tests of the commands with which `p4warden audit` unloads unused clients."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.workbench.audit import small_tables
from support.checkpoint_tables import small_tables_of
from support.whole_checkpoint import TIME_S, whole

SHARED = Path(__file__).parents[3] / "shared"
DATA, GENERATOR = SHARED / "data", SHARED / "tools" / "make_checkpoint.py"
DAY_S = 86400
LAST_YEAR_S = TIME_S - 400 * DAY_S
LOCKED, READONLY = 0x08, 0x10000
DEPOT = "@pv@ 1 @db.depot@ @unload@ 5 @@ @unload/...@ \n"
OPEN = "@pv@ 10 @db.working@ @//open/f@ @//depot/f@ @open@ @ann@ 1 1 0 0 1 0 \n"


def client(
    name: str, used_s: int, options: int = 0, *, changed_s: int | None = None, server: str = ""
) -> str:
    times = f"{used_s if changed_s is None else changed_s} {used_s}"
    return (
        f"@pv@ 6 @db.domain@ @{name}@ 99 @@ @/w@ @@ @@ @ann@ {times} {options} @@ @@ "
        f"@{server}@ 0 \n"
        f"@pv@ 1 @db.view@ @{name}@ 0 0 @//{name}/...@ @//depot/...@ \n"
        f"@pv@ 3 @db.have@ @//{name}/f@ @//depot/f@ 1 0 1 \n"
    )


def audit(
    folder: Path, capsys: pytest.CaptureFixture[str], records: str
) -> tuple[dict[str, list[str] | str], list[tuple[str, list[str]]]]:
    """Return the commands of each unused client, and those of the step that unloads them.

    A client without commands has a reason instead.
    """
    (folder / "ckp").write_text(whole(records))
    assert cli.run(["audit", str(folder / "ckp"), "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    rows = results["tables"]["unused"]["rows"]
    assert all(bool(row["commands"]) != bool(row["reason"]) for row in rows)
    steps = [step for step in results["first_steps"] if " that nobody used " in step["text"]]
    return {row["client"]: row["commands"] or row["reason"] for row in rows}, [
        (step["text"].split(" that ")[0], step["commands"]) for step in steps
    ]


def lines(name: str, flags: str = "-f") -> list[str]:
    return [f"# p4 unload {flags} -c {name}", f"# p4 client -d -f {name}"]


def change(number: int, client: str, status: int) -> str:
    return f"@pv@ 2 @db.changex@ {number} {number} @{client}@ @ann@ 1 {status} @x@ @@ \n"


PENDING, SHELVED = 0, 2
ASK_FOR_FILES = "its list of files is not in this checkpoint: ask its owner"


def test_only_clients_without_open_files_are_unloaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = DEPOT + OPEN
    records += client("old", LAST_YEAR_S) + client("locked", LAST_YEAR_S, LOCKED)
    records += client("open", LAST_YEAR_S) + client("new", TIME_S)
    records += client("readonly", LAST_YEAR_S, READONLY)
    records += client("edge", LAST_YEAR_S, server="edge-1")
    commands, steps = audit(tmp_path, capsys, records)
    assert commands == {
        "old": lines("old"),
        "locked": lines("locked", "-f -L"),
        "open": "it has open files: ask its owner",
        "readonly": ASK_FOR_FILES,
        "edge": ASK_FOR_FILES,
    }
    assert steps == [("Unload 2 clients", [])]


def test_without_an_unload_depot_nothing_is_unloaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands, steps = audit(tmp_path, capsys, client("old", LAST_YEAR_S) + client("new", TIME_S))
    assert commands == {"old": ["# p4 client -d -f old"]}
    create = "Create an unload depot (p4 depot unload, Type: unload). Then unload 1 client"
    assert steps == [(create, [])]


# TIME_S is 2019-11-13 11:43:01 UTC, 400 days before 2018-10-09, the same time of day.
DATED = "p4 unload -f -ac -d 2018/10/11"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (client("new", TIME_S), [DATED]),
        (client("locked", LAST_YEAR_S, LOCKED), ["p4 unload -f -L -ac -d 2018/10/11"]),
        (client("open", LAST_YEAR_S), []),
        (client("readonly", LAST_YEAR_S, READONLY), []),
        # Used today: that its last change is before the day does not count.
        (client("new", TIME_S, changed_s=LAST_YEAR_S), [DATED]),
        # No day begins between the two in every time zone.
        (
            client("late", TIME_S - 180 * DAY_S - 60) + client("near", TIME_S - 180 * DAY_S + 60),
            [],
        ),
        (client("never", 0), []),
    ],
)
def test_one_command_for_all_only_if_it_selects_no_other_client(
    others: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = DEPOT + OPEN + client("old", LAST_YEAR_S) + others
    rows, ((_, commands),) = audit(tmp_path, capsys, records)
    assert commands == expected
    unload = [line for line in rows["old"] if line.startswith("# p4 unload ")]
    assert bool(unload) != bool(expected)


def test_a_file_that_a_journal_closes_is_not_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "journal").write_text(OPEN.replace("@pv@", "@dv@"))
    records = DEPOT + OPEN + client("open", LAST_YEAR_S) + client("never", 0)
    (tmp_path / "ckp").write_text(whole(records))
    assert cli.run(["audit", str(tmp_path / "ckp"), str(tmp_path / "journal"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["unused"]["rows"]
    assert row["commands"] == lines("open")


def test_a_name_in_other_letter_case_has_its_open_files_on_a_server_that_folds_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = DEPOT + OPEN.replace("@open@", "@OPEN@").replace("//open", "//OPEN")
    records += "".join(client(name, LAST_YEAR_S) for name in ("a", "B", "Open"))
    commands, _ = audit(tmp_path, capsys, records)
    assert commands["Open"] == "it has open files: ask its owner"


def test_a_client_with_shelved_files_is_neither_unloaded_nor_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """p4d refuses both (p4 help client, -Fs; p4 help unload)."""
    records = DEPOT + "".join(client(name, LAST_YEAR_S) for name in ("few", "many", "old"))
    records += change(19, "few", SHELVED) + change(20, "old", PENDING) + client("new", TIME_S)
    records += "".join(change(number, "many", SHELVED) for number in (32, 31, 33))
    commands, steps = audit(tmp_path, capsys, records)
    assert commands == {
        "few": "it has shelved files in change 19: ask its owner",
        "many": "it has shelved files in change 31 and 2 more: ask its owner",
        "old": lines("old"),
    }
    assert steps == [("Unload 1 client", [])]


def test_a_shelf_that_a_journal_deletes_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "journal").write_text(change(19, "old", PENDING).replace("@pv@", "@rv@"))
    (tmp_path / "ckp").write_text(whole(client("old", LAST_YEAR_S) + change(19, "old", SHELVED)))
    assert cli.run(["audit", str(tmp_path / "ckp"), str(tmp_path / "journal"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["unused"]["rows"]
    assert row["commands"] == ["# p4 client -d -f old"]


def test_a_name_in_other_letter_case_has_its_shelf_on_a_server_that_folds_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = "".join(client(name, LAST_YEAR_S) for name in ("a", "B", "Old"))
    commands, _ = audit(tmp_path, capsys, records + change(19, "OLD", SHELVED))
    assert commands["Old"] == "it has shelved files in change 19: ask its owner"


def test_an_empty_client_with_shelved_files_is_not_called_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = "".join(client(name, TIME_S).replace("//depot/f", "//gone/f") for name in ("a", "b"))
    empty = "".join(line for line in empty.splitlines(keepends=True) if "db.have" not in line)
    records = empty + change(19, "b", SHELVED)
    records += "@pv@ 9 @db.revhx@ @//depot/f@ 1 0 0 1 1 1 00 1 \n"
    (tmp_path / "ckp").write_text(whole(records))
    assert cli.run(["audit", str(tmp_path / "ckp"), "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["first_steps"]
    [text] = [step["text"] for step in steps if step["text"].startswith("Nothing is synced")]
    assert text == (
        "Nothing is synced or open in 1 of the 2 widest clients (a). Ask each owner whether the "
        "client is still needed; p4 client -d -f NAME deletes it."
    )


@pytest.mark.parametrize(("release", "shelves"), [("r15.1", {"admin.ws": [19]}), ("r17.1", {})])
def test_the_shelves_of_a_real_checkpoint(release: str, shelves: dict[str, list[int]]) -> None:
    file = DATA / f"checkpoint_{release}.gz"
    if not file.is_file():
        pytest.skip("no real checkpoint is here")
    with small_tables_of(str(file)) as tables:
        assert small_tables.shelves(tables) == shelves


def test_pending_changes_of_a_generated_checkpoint_are_no_shelves(tmp_path: Path) -> None:
    if not GENERATOR.is_file():
        pytest.skip("no generator of checkpoints is here")
    command = [sys.executable, str(GENERATOR), "500", "20", "5"]
    content = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"@db.changex@" in content
    (tmp_path / "ckp").write_bytes(content)
    with small_tables_of(str(tmp_path / "ckp")) as tables:
        assert small_tables.shelves(tables) == {}
