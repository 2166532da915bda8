"""`p4warden audit` on a small checkpoint: each finding, the page, and the object for programs."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

from p4warden import cli

PROGRAM = Path(sys.executable).with_name("p4warden-index")
pytestmark = pytest.mark.skipif(not PROGRAM.is_file(), reason="no cargo, no index")
SHARED = Path(__file__).parents[3] / "shared" / "data"
NOW_S = 1_573_645_381
OLD_S = NOW_S - 400 * 86400
ROOT = "@h@ @/w@ @@ @@"
CHECKPOINT = [
    f"@nx@ 0 {NOW_S} @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ ",
    f"@pv@ 6 @db.domain@ @wide@ 99 {ROOT} @ann@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @old'; rm@ 99 {ROOT} @ben@ 1 {OLD_S} 0 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @readonly@ 99 {ROOT} @ben@ 1 {OLD_S} 65536 @@ @@ @@ 0 ",
    f"@pv@ 6 @db.domain@ @main-to-rel@ 98 @@ @@ @@ @@ @cat@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    "@pv@ 1 @db.view@ @wide@ 0 0 @//wide/...@ @//depot/...@ ",
    "@pv@ 1 @db.view@ @old'; rm@ 0 0 @//old/lib/...@ @//depot/main/lib/...@ ",
    "@pv@ 1 @db.view@ @main-to-rel@ 0 0 @//depot/rel/...@ @//depot/main/...@ ",
    "@pv@ 3 @db.have@ @//wide/main/lib/f1@ @//depot/main/lib/f1@ 1 0 1 ",
    "@pv@ 3 @db.have@ @//old'; rm/lib/f1@ @//depot/main/lib/f1@ 1 0 1 ",
    "@pv@ 9 @db.group@ @ann@ @dev@ 1 0 50000 0 0 43200 0 ",
    "@pv@ 9 @db.group@ @ann@ @free@ 1 0 -1 0 0 43200 0 ",
    "@pv@ 9 @db.group@ @dev@ @all@ 2 0 0 30000 0 43200 0 ",
    "@pv@ 4 @db.protect@ 0 0 @*@ @*@ 31 0 @//...@ ",
    "@pv@ 4 @db.protect@ 1 1 @dev@ @*@ 31 0 @//depot/...@ ",
    "@pv@ 4 @db.protect@ 2 0 @ann@ @*@ 31 1 @//depot/*/secret/...@ ",
    *(
        f"@pv@ 9 @db.revhx@ @//depot/main/{folder}/f{n}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 "
        for folder, count in (("lib", 30), ("docs<b>", 70))
        for n in range(count)
    ),
    f"@nx@ 1 {NOW_S} @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ ",
]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Return a checkpoint of a small server."""
    file = tmp_path / "p4_1.ckp.1"
    file.write_text("\n".join([*CHECKPOINT, ""]))
    return file


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["audit", *map(str, arguments)])
    return code, out.getvalue(), err.getvalue()


def test_every_finding_is_told(checkpoint: Path) -> None:
    code, out, err = run(checkpoint, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["files"], found["time_s"]) == (100, NOW_S)
    wide = found["expensive"][0]
    assert (wide["Client"], wide["Spans"], wide["Enough"]) == ("wide", "100", "30")
    assert wide["View that is enough"] == "//depot/main/lib/... //wide/main/lib/..."
    assert [one["Client"] for one in found["unused"]] == ["old'; rm", "readonly"]
    assert found["unused"][0]["Commands"].split("\n") == [
        "# p4 unload -f -c 'old'\"'\"'; rm'",
        "# p4 client -d -f 'old'\"'\"'; rm'",
    ]
    assert found["unused"][1]["Commands"] == "its list of files is elsewhere: ask its owner"
    assert found["places"][0] == {"Path": "//depot/", "Files": "100", "Revisions": "0"}
    assert found["specs"] == [
        {"Type": "branch", "Name": "main-to-rel", "Owner": "cat", "Spans": "100"}
    ]
    assert [(one["Group"], one["Lacks"]) for one in found["groups"]] == [
        ("all", "MaxScanRows"),
        ("dev", "MaxLockTime"),
        ("free", "MaxScanRows, MaxLockTime"),
    ]
    assert found["unlimited"] == [
        {"User": "ann", "Limit": "MaxScanRows", "Set by": "dev", "Lifted by": "free"}
    ]
    assert [(one["Line"], one["Why"]) for one in found["dead"]] == [("2", "line 1 decides")]
    assert [one["Line"] for one in found["slow"]] == ["3"]


def test_first_steps_rest_on_figures(checkpoint: Path) -> None:
    steps = json.loads(run(checkpoint, "--json")[1])["first_steps"]
    assert steps[0].startswith("Unload 2 clients that nobody used for 6 months")
    assert any(step.startswith("1 client spans over half of all 100 files.") for step in steps)
    assert any("1 could map less and keep all files in place, 70 files less" in s for s in steps)
    assert any(step.startswith("Another group lifts a limit for 1 user;") for step in steps)
    assert any(step.startswith("Remove 1 line of the protections table") for step in steps)


def test_a_page_escapes_names_and_has_no_script(checkpoint: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    code, out, _ = run(checkpoint, "--html", page)
    assert code == 0
    assert out.splitlines()[0].endswith("100 files, 0 revisions, 3 clients, 3 groups")
    text = page.read_text()
    assert "First steps" in text
    assert "docs&lt;b&gt;" in text
    assert "docs<b>" not in text
    assert "<script" not in text


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ckp"
    file.write_text("no checkpoint\n")
    code, out, err = run(file)
    assert (code, out) == (1, "")
    assert err.startswith(f"p4warden: {file}: byte 0: no record of a checkpoint")


@pytest.mark.parametrize("name", ["checkpoint_r15.1.gz", "checkpoint_r17.1.gz"])
def test_real_checkpoints_are_read_without_a_note(name: str) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("no real checkpoint is here")
    code, _, err = run(SHARED / name)
    assert (code, err) == (0, "")
