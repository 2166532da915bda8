"""Tests that facts of another server are refused in a census and rightsize of a checkpoint.

The cases are those of `tests/cases/whole_checkpoints/facts.yaml`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden import cli
from p4warden.core import shipped_yaml
from p4warden.home import trusted_files
from support.home_files import account_file, facts_file
from support.whole_checkpoint import whole

CASES = Path(__file__).parents[1] / "cases" / "whole_checkpoints" / "facts.yaml"
FACTS = shipped_yaml.load(CASES.read_text())["cases"]
SAME = {"depots": {"depot": ["local", "main", "rel"], "docs": ["stream"], "spec": ["spec"]}}
OTHER_ID = "it is that of edge, and the checkpoint is of commit"
# Two names whose order shows that the server is case-sensitive.
FILES = ("main/B", "main/a", "rel/f")
RECORDS = [
    "@pv@ 1 @db.depot@ @depot@ 0 @@ @depot/...@ \n@pv@ 1 @db.depot@ @docs@ 3 @@ @docs/...@ \n",
    "@pv@ 1 @db.depot@ @spec@ 2 @@ @spec/...@ \n",
    "@pv@ 6 @db.domain@ @ws@ 99 @@ @/w@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n",
    "@pv@ 1 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ \n",
    *(f"@pv@ 9 @db.rev@ @//depot/{file}@ 1 0 0 1 1 1 00 1 \n" for file in FILES),
]
POLICY = """\
version: 1
contact: admins
rules:
  - {name: deep, rule: limit_view_scope, mode: enforce, min_depth: 1}
"""


def facts(case: dict[str, Any]) -> str:
    depots = {
        name: {"type": kind, "directories": directories}
        for name, (kind, *directories) in case["depots"].items()
    }
    return json.dumps({"case_sensitive": case.get("case_sensitive", True), "depots": depots})


@pytest.mark.parametrize("command", [["census"], ["census", "--write-baseline"], ["rightsize"]])
@pytest.mark.parametrize(
    "case", shipped_yaml.load(CASES.read_text())["cases"], ids=lambda c: c["name"]
)
def test_facts_of_another_server_are_refused_unless_they_are_chosen(
    case: dict[str, Any],
    command: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = str(tmp_path / "home")
    trusted_files.make(home)
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "ckp").write_text(whole("".join(RECORDS)))
    (tmp_path / "chosen.json").write_text(facts(case))
    trusted_files.replace(home, "facts.json", facts_file(facts(case)))
    trusted_files.replace(home, "server.json", account_file("ssl:edge:1666"))
    before = sorted(Path(home).iterdir())
    words = [*command, "--policy", str(tmp_path / "policy.yaml"), "--home", home]
    words += ["--checkpoint", str(tmp_path / "ckp")]
    words += ["--wide"] if command == ["rightsize"] else []
    code = cli.run(words)
    out, err = capsys.readouterr()
    if "difference" not in case:
        assert code == 0, err
        return
    assert (code, out) == (1, "")
    assert err == (
        f"p4warden: {home}/facts.json, collected from ssl:edge:1666, is not about the "
        f"checkpoint's server: {case['difference']}; specify that server's facts with "
        "--facts FILE, or --facts none to take depots and directories from the checkpoint\n"
    )
    assert sorted(Path(home).iterdir()) == before
    for chosen in ("none", str(tmp_path / "chosen.json")):
        assert cli.run([*words, "--facts", chosen]) == 0
        capsys.readouterr()


@pytest.mark.parametrize(
    "case",
    [*FACTS, {"name": "another id", "server_id": "edge", "difference": OTHER_ID, **SAME}],
    ids=lambda c: c["name"],
)
def test_an_index_of_another_server_is_refused(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = str(tmp_path / "home")
    trusted_files.make(home)
    trusted_files.replace(home, trusted_files.INDEX, b"old")
    document = {**json.loads(facts(case)), "server_id": case.get("server_id")}
    trusted_files.replace(home, "facts.json", facts_file(document))
    (tmp_path / "ckp").write_text(whole("".join(RECORDS)))
    words = ["index", "--checkpoint", str(tmp_path / "ckp"), "--server-id", "commit"]
    code = cli.run([*words, "--home", home])
    err = capsys.readouterr().err
    assert code == int("difference" in case), err
    is_old = Path(home, trusted_files.INDEX).read_bytes() == b"old"
    assert is_old == ("difference" in case)
    if is_old:
        assert f"is not about the checkpoint's server: {case['difference']}; the old index" in err
        assert cli.run([*words, "--output", str(tmp_path / "index")]) == 0
    assert sorted(file.name for file in Path(home).iterdir()) == [
        trusted_files.INDEX,
        "facts.json",
    ]


def test_without_facts_the_lines_name_directories_of_the_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = str(tmp_path / "home")
    trusted_files.make(home)
    trusted_files.replace(
        home, "facts.json", facts({"depots": {"depot": ["local", "x"]}}).encode()
    )
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "ckp").write_text(whole("".join(RECORDS)))
    words = ["census", "--policy", str(tmp_path / "policy.yaml"), "--home", home, "--json"]
    code = cli.run([*words, "--checkpoint", str(tmp_path / "ckp"), "--facts", "none"])
    (client,) = map(json.loads, capsys.readouterr().out.splitlines()[:1])
    assert code == 0
    assert client["fix"] == "//depot/main/... //ws/main/...\n//depot/rel/... //ws/rel/..."


def test_a_census_says_how_many_lines_there_are_beside_those_that_it_proposes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [f"@pv@ 9 @db.rev@ @//depot/d{i}/f@ 1 0 0 1 1 1 00 1 \n" for i in range(9)]
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "ckp").write_text(whole("".join([*RECORDS[:4], *files])))
    words = ["census", "--policy", str(tmp_path / "policy.yaml"), "--facts", "none", "--json"]
    assert cli.run([*words, "--checkpoint", str(tmp_path / "ckp")]) == 0
    [client] = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(client["fix"].splitlines()) == 6
    listing = 'this lists all directories: p4 dirs "//depot/*"'
    assert client["choice"] == [f"3 more such lines are possible; {listing}"]
