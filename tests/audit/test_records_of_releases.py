"""Tests that an audit reads the records of each release, and says what it cannot read.

The cases are those of `tests/cases/groups_of_releases`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from p4warden import cli
from p4warden.core import shipped_yaml
from p4warden.workbench.audit import groups, small_tables
from p4warden.workbench.replay import membership
from support.checkpoint_tables import small_tables_of
from support.whole_checkpoint import whole

CASES = Path(__file__).parents[1] / "cases" / "groups_of_releases" / "records.yaml"
DOCUMENT = shipped_yaml.load(CASES.read_text())
RECORDS = DOCUMENT["cases"]


@pytest.mark.parametrize("case", RECORDS, ids=[case["name"] for case in RECORDS])
def test_members_and_limits_of_a_group_are_read_by_the_release(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ckp"
    rows = (("ann", "dev", "user"), ("qa", "dev", "subgroup"), ("bob", "qa", "user"))
    file.write_text(
        whole(
            "".join(
                f"@pv@ {case['version']} @db.group@ @{member}@ @{group}@ {case[kind]} \n"
                for member, group, kind in rows
            )
        )
    )
    with small_tables_of(str(file)) as tables:
        (dev, qa) = small_tables.groups(tables)
    assert [set(names) for names in (dev.users, dev.groups, qa.users)] == [
        {"ann"},
        {"qa"},
        {"bob"},
    ]
    limits = {"MaxScanRows": case["scan"], "MaxLockTime": case["lock"]}
    assert {name: dev.limits[name] for name in limits} == limits
    assert membership.from_checkpoint(str(file)) == {"dev": ["ann", "bob"], "qa": ["bob"]}
    code = cli.run(["audit", str(file)])
    err = capsys.readouterr().err
    assert code == 0, err
    unknown = [name for name, limit in limits.items() if limit is None]
    assert [line.split()[1] for line in err.splitlines()] == unknown
    assert groups.unknown_limits([dev, qa]) == dict.fromkeys(unknown, 2)


@pytest.mark.parametrize("case", DOCUMENT["notes"])
def test_records_of_an_unknown_shape_are_left_out_and_reported(
    case: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ckp").write_text(whole(case["records"]))
    code = cli.run(["audit", str(tmp_path / "ckp"), "--json"])
    assert (code, capsys.readouterr().err) == (0, f"note: {case['note']}\n")
