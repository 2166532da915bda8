r"""Tests of names that are not UTF-8: JSON outputs show their bytes as `\xNN`."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli
from p4warden.index import contents
from p4warden.workbench.replay import membership

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path(sys.executable).with_name("p4warden-index")
NOW_S = 1_573_645_381
NAME = r"j\xf6rg"
POLICY = """\
version: 1
contact: admins
rules:
  - {name: deep, rule: limit_view_scope, mode: enforce, min_depth: 1}
"""
CHECKPOINT = [
    f"@nx@ 0 {NOW_S} @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ ",
    f"@pv@ 6 @db.domain@ @jörg@ 99 @h@ @/w@ @@ @@ @jörg@ 1 {NOW_S} 0 @@ @@ @@ 0 ",
    "@pv@ 1 @db.view@ @jörg@ 0 0 @//jörg/...@ @//depot/...@ ",
    "@pv@ 3 @db.have@ @//jörg/möbel/a/f1@ @//depot/möbel/a/f1@ 1 0 1 ",
    "@pv@ 9 @db.group@ @jörg@ @bäcker@ 1 0 50000 0 0 43200 0 ",
    *(
        f"@pv@ 9 @db.revhx@ @//depot/möbel/{folder}/f{n}@ 1 0 1 9 9 9 00 1 0 0 @x@ @1.1@ 0 "
        for folder in "ab"
        for n in (*range(4), "9" * 180)
    ),
    f"@nx@ 1 {NOW_S} @41@ 0 0 0 0 0 @@ @@ @@ @@ @@ ",
]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Fixture: path of a checkpoint with names in Latin-1, beside a file `policy.yaml`."""
    file = tmp_path / "p4_1.ckp.1"
    file.write_text("\n".join([*CHECKPOINT, ""]), "latin-1")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return file


def objects(*words: object) -> Iterator[dict[str, Any]]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.run([*map(str, words)]) == 0
    assert out.getvalue().isascii()
    yield from map(json.loads, out.getvalue().splitlines())


def test_audit_json_shows_undecodable_clients_views_groups_and_paths(checkpoint: Path) -> None:
    [results] = objects("audit", checkpoint, "--json")
    tables = {name: table["rows"] for name, table in results["tables"].items()}
    [client] = tables["expensive"]
    assert (client["client"], client["owner"], client["files"]) == (NAME, NAME, 10)
    assert client["proposal_view"] == [rf"//depot/m\xf6bel/a/... //{NAME}/m\xf6bel/a/..."]
    assert [one["group"] for one in tables["groups"]] == [r"b\xe4cker"]
    assert {one["path"] for one in tables["places"]} == {"//depot/", r"//depot/m\xf6bel/"}
    assert {one["path"][:16] for one in tables["paths"]} == {r"//depot/m\xf6bel"}


@pytest.mark.parametrize("option_words", [["--wide"], ["--client", "j\udcf6rg"]])
def test_rightsize_json_shows_an_undecodable_client_and_its_view(
    checkpoint: Path, option_words: list[str]
) -> None:
    words = ["--policy", checkpoint.with_name("policy.yaml"), "--checkpoint", checkpoint]
    home = checkpoint.with_name("none")
    limit = ["--max-files", "5"]
    [answer] = objects("rightsize", *words, *option_words, *limit, "--home", home, "--json")
    assert (answer["client"], answer["owner"], answer["needed"]) == (NAME, NAME, 1)
    view = [rf"//depot/m\xf6bel/a/... //{NAME}/m\xf6bel/a/..."]
    assert answer["proposal"] == {"files": 5, "view": view}


def test_census_json_shows_an_undecodable_client_and_its_files(checkpoint: Path) -> None:
    words = ["--policy", checkpoint.with_name("policy.yaml"), "--checkpoint", checkpoint]
    home = checkpoint.with_name("none")
    [client] = objects("census", *words, "--home", home, "--rightsize", "--json")
    assert (client["name"], client["owner"], client["files"]) == (NAME, NAME, 10)
    assert client["fix"] == rf"//depot/m\xf6bel/a/... //{NAME}/m\xf6bel/a/..."


def test_an_index_has_the_counts_of_an_undecodable_client(
    checkpoint: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index"
    assert cli.run(["index", "--checkpoint", str(checkpoint), "--output", str(index)]) == 0
    with contents.client_counts(str(index), case_sensitive=True) as counts:
        spans = counts("j\udcf6rg")
    assert spans == contents.Counts(10, 0, 1)


def test_group_membership_shows_undecodable_names_with_escapes(checkpoint: Path) -> None:
    assert membership.from_checkpoint(str(checkpoint)) == {r"b\xe4cker": [NAME]}
