"""Tests of `p4warden tune --checkpoint`: a checkpoint with every finding, and real ones."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli
from p4warden.core import shipped_yaml
from p4warden.workbench.tune.known_settings import known
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., str]

CASES = Path(__file__).parents[1] / "cases" / "tune"
SHARED = Path(__file__).parents[3] / "shared" / "data"
EVERY = shipped_yaml.load((CASES / "every_finding.yaml").read_text())
PRINTED = sorted((CASES / "printed").glob("*.txt"))
PEOPLE = [f"u{number}" for number in range(100, 295)]
REAL = shipped_yaml.load((CASES / "real.yaml").read_text())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Fixture: run a `p4warden` command, which must succeed, and return its standard output."""

    def run(*words: str | Path, notes: str = "") -> str:
        code = cli.run(list(map(str, words)))
        out, err = capsys.readouterr()
        assert (code, err) == (0, notes)
        return out

    return run


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    file = tmp_path / "ckp"
    file.write_text(whole(EVERY["records"]))
    return file


def brief(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "subject": one["subject"],
            "present": one["present"],
            "set": one["set_commands"],
            "undo": one["undo_commands"],
        }
        for one in findings
    ]


def test_every_finding_has_its_commands(checkpoint: Path, run: Run) -> None:
    results = json.loads(run("tune", "--checkpoint", checkpoint, "--json"))
    assert results["release"] == "2024.1"
    assert brief(results["findings"]) == EVERY["findings"]
    assert [one["subject"] for one in results["not_judged"]] == EVERY["not_judged"]
    assert results["protections"] == {**EVERY["protections"], "problem": None}
    assert all(
        one["recommendation"] and one["here"] and one["risk"] for one in results["findings"]
    )


def test_each_setting_of_the_data_file_is_in_the_case_with_every_finding() -> None:
    settings = known()
    names = [one.name for one in settings.configurables]
    names += [one.name for one in settings.limits]
    names += [one.name for one in settings.properties]
    subjects = [one["subject"] for one in EVERY["findings"]]
    judged = set(re.split(", | and ", ", ".join(subjects))) | set(EVERY["not_judged"])
    # Those with a condition: accepted as a percentage here, and nothing without a log.
    assert set(names) - judged == {"filesys.P4JOURNAL.min", "sys.pressure.max.pause.time"}


@pytest.mark.parametrize("command", ["tune", "audit"])
def test_values_that_are_not_judged_are_printed_nowhere(
    command: str, checkpoint: Path, run: Run, tmp_path: Path
) -> None:
    words = ["tune", "--checkpoint"] if command == "tune" else ["audit"]
    text = run(*words, checkpoint)
    printed = [text, run(*words, checkpoint, "--json")]
    if command == "audit":
        run(*words, checkpoint, "--html", tmp_path / "page.html")
        printed.append(re.sub("<[^>]*>|\n", "", (tmp_path / "page.html").read_text()))
    assert not [secret for secret in EVERY["never_printed"] if secret in "".join(printed)]
    for finding in EVERY["findings"]:
        assert finding["subject"] in text
        assert all(finding["subject"] in one for one in printed)
        for line in (*finding["set"], *finding["undo"]):
            assert line in text


@pytest.mark.parametrize("name", list(REAL))
def test_real_checkpoints_are_judged_as_counted_by_hand(name: str, run: Run) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("no real checkpoint is here")
    results = json.loads(run("tune", "--checkpoint", SHARED / name, "--json"))
    expected = REAL[name]
    assert results["release"] == expected["release"]
    assert [one["subject"] for one in results["not_judged"]] == expected["not_judged"]
    assert results["protections"]["before"] == expected["protections"]
    assert results["protections"]["after"] == expected["protections"]
    assert results["protections"]["diff"] == []


@pytest.mark.parametrize("text", PRINTED, ids=lambda text: text.stem)
def test_every_sentence_of_a_finding_is_as_read_against_its_source(
    text: Path, checkpoint: Path, run: Run
) -> None:
    real = SHARED / text.stem
    if text.stem != checkpoint.name and not real.is_file():
        pytest.skip("no real checkpoint is here")
    file = checkpoint if text.stem == checkpoint.name else real
    findings, *_ = run("tune", "--checkpoint", file).split("\n\n")
    assert f"{findings}\n" == text.read_text()


def test_the_users_in_no_group_are_limited_and_the_builds_are_not(
    tmp_path: Path, run: Run
) -> None:
    records = "".join(
        f"@pv@ 8 @db.domain@ @{user}-ws@ 99 @@ @/w@ @@ @@ @{user}@ 1 1 0 @@ @@ @@ 1 \n"
        for user in PEOPLE
    )
    records += "".join(
        f"@pv@ 9 @db.group@ @b{number}@ @build-farm@ 1 0 0 0 0 43200 0 0 \n" for number in range(5)
    )
    (tmp_path / "ckp").write_text(whole(f"@pv@ 1 @db.counters@ @upgrade@ @54@ \n{records}"))
    results = json.loads(run("tune", "--checkpoint", tmp_path / "ckp", "--json"))
    [limits] = [one for one in results["findings"] if "MaxScanRows" in one["subject"]]
    assert limits["present"] == (
        "195 users in no group have none: u100, u101, u102, u103, u104 and 190 more"
    )
    assert "what seem to be programs: b0, b1, b2, b3 and b4" in limits["here"]
    [line] = limits["set_commands"]
    form = subprocess.check_output(["/bin/sh", "-c", line.partition(" | ")[0]], text=True)
    assert form.split("Users:\n")[1].split() == PEOPLE


def test_records_of_an_unknown_version_are_named_and_not_judged(tmp_path: Path, run: Run) -> None:
    tables = ("config", "counters", "group", "property", "protect")
    records = "".join(f"@pv@ 99 @db.{table}@ @a@ @b@ \n" for table in tables)
    (tmp_path / "ckp").write_text(whole(records))
    losses = {
        "config": "these configurables are",
        "counters": "the release is",
        "group": "limits of groups are",
        "property": "properties are",
        "protect": "the protections table is",
    }
    notes = "".join(
        f"note: 1 record of db.{table} in version 99, whose fields p4warden does not know: {loss} "
        "not judged\n"
        for table, loss in losses.items()
    )
    text = run("tune", "--checkpoint", tmp_path / "ckp", "--json", notes=notes)
    results = json.loads(text)
    assert (results["findings"], results["release"]) == ([], None)
    assert results["protections"]["problem"] == "records of an unknown format"


def test_a_later_journal_counts(checkpoint: Path, tmp_path: Path, run: Run) -> None:
    journal = tmp_path / "journal"
    journal.write_text(
        "@rv@ 1 @db.config@ @any@ @monitor@ @1@ \n@dv@ 1 @db.config@ @edge@ @monitor@ @0@ \n"
        "@pv@ 1 @db.config@ @any@ @server.commandlimits@ @2@ \n"
    )
    results = json.loads(run("tune", "--checkpoint", checkpoint, journal, "--json"))
    subjects = {one["subject"] for one in results["findings"]}
    assert not subjects & {"monitor", "server.commandlimits"}


def test_a_comment_is_given_where_the_server_wants_one(
    checkpoint: Path, tmp_path: Path, run: Run
) -> None:
    journal = tmp_path / "journal"
    journal.write_text("@pv@ 1 @db.config@ @any@ @dm.configure.comment.mandatory@ @1@ \n")
    results = json.loads(run("tune", "--checkpoint", checkpoint, journal, "--json"))
    first = results["findings"][0]["set_commands"]
    assert first == ["p4 configure set '--comment=p4warden tune' server.commandlimits=2"]


def test_what_a_checkpoint_cannot_show_is_said(checkpoint: Path, run: Run) -> None:
    text = run("tune", "--checkpoint", checkpoint)
    assert (
        "A checkpoint lacks values from p4d's environment, the Windows registry and its " in text
    )
    assert "(p4d -v)" in text
