"""Tests of a census of a checkpoint: cases of `tests/cases/census`, and real checkpoints.

Also of other inputs and outputs, such as journals in a wrong order, wrong options and the summary.
"""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path

import pytest

from p4warden import cli
from p4warden.commands.census.output import COLUMNS, TableOutput
from p4warden.core import shipped_yaml
from p4warden.core.specs import TYPES
from p4warden.home import trusted_files
from p4warden.workbench.census import checkpoint
from support.checkpoint_tables import small_tables_of
from support.home_files import account_file, facts_file
from support.whole_checkpoint import whole

CASES = Path(__file__).parents[1] / "cases" / "census"
REAL = Path(__file__).parents[3] / "shared" / "data"
POLICY = Path(__file__).parents[2] / "policies" / "default.yaml"
NEEDS_REAL = pytest.mark.skipif(not REAL.is_dir(), reason="no real checkpoints were found")


def census(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["census", *arguments])
    return code, out.getvalue(), err.getvalue()


def verdicts(*arguments: str) -> list[dict[str, str]]:
    code, out, err = census(*arguments, "--json")
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("file", sorted(CASES.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_checkpoint_has_the_expected_forms(file: Path, tmp_path: Path) -> None:
    case = shipped_yaml.load(file.read_text("utf-8"))
    checkpoint_file = tmp_path / "checkpoint"
    checkpoint_file.write_text(whole(case["records"]), "utf-8")
    is_sensitive = case.get("case_sensitive", True)
    with small_tables_of(str(checkpoint_file), case_sensitive=is_sensitive) as tables:
        results = {
            f"{spec.type} {spec.name}": spec.fields for spec in checkpoint.specs(tables, TYPES)
        }
        assert results == case["forms"]
        assert tables.unread.total() == 0
        assert checkpoint.unloaded(tables) == case.get("unloaded", 0)


@NEEDS_REAL
def test_four_of_the_six_clients_of_a_real_checkpoint_map_a_whole_depot(tmp_path: Path) -> None:
    where = ("--policy", str(POLICY), "--home", str(tmp_path))
    results = verdicts("--checkpoint", str(REAL / "checkpoint_r15.1.gz"), *where)
    clients = [one for one in results if one["type"] == "client"]
    assert len(clients) == 6
    refusals = {one["name"]: one for one in clients if one["verdict"] == "refuse"}
    assert [*refusals] == ["admin.ws", "jenkins.data.ws", "test.win", "test.ws"]
    assert refusals["admin.ws"]["owner"] == "admin"
    assert refusals["admin.ws"]["rule"] == "no-whole-depot"
    assert refusals["admin.ws"]["detail"].startswith("View line 1 (//depot/... //admin.ws/...)")
    assert refusals["admin.ws"]["fix"].endswith("//depot/Main/... //admin.ws/Main/...")
    day = time.strftime("%Y-%m-%d", time.localtime(1479999085))
    assert refusals["admin.ws"]["accessed"] == day


@NEEDS_REAL
@pytest.mark.parametrize("release", ["r15.1", "r17.1"])
def test_every_record_of_a_real_checkpoint_is_readable(release: str) -> None:
    with small_tables_of(str(REAL / f"checkpoint_{release}.gz")) as tables:
        assert tables.unread.total() == 0
        [[domains]] = tables.rows("select count(*) from domain")
        assert domains == len([*checkpoint.specs(tables, TYPES)]) > 0


def test_a_census_prints_totals_as_text_and_a_row_for_each_spec_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    case = shipped_yaml.load((CASES / "clients.yaml").read_text("utf-8"))
    file.write_text(whole(case["records"]))
    where = ("--checkpoint", str(file), "--policy", str(POLICY), "--home", str(tmp_path))
    code, out, err = census(*where)
    assert (code, out.splitlines()[-2:]) == (
        0,
        ["refuse by no-whole-depot: 1 client of ann", "judged: 3 clients"],
    )
    assert "names are compared with case" in err
    _, out, _ = census(*where, "--csv")
    head, *rows = out.splitlines()
    assert head == "type,name,owner,accessed,files,revisions,have,verdict,rule,detail,fix,reason"
    assert [row[:16] for row in rows] == ["client,wide,ann,"]


def test_a_census_names_the_server_of_the_facts(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    case = shipped_yaml.load((CASES / "clients.yaml").read_text("utf-8"))
    file.write_text(whole(case["records"]))
    trusted_files.make(str(tmp_path / "home"))
    trusted_files.replace(str(tmp_path / "home"), "facts.json", facts_file({}))
    where = ("--checkpoint", str(file), "--policy", str(POLICY), "--home", str(tmp_path / "home"))
    assert "facts.json, collected from an unknown server on 20" in census(*where)[2]
    trusted_files.replace(str(tmp_path / "home"), "server.json", account_file("ssl:edge:1666"))
    assert "facts.json, collected from ssl:edge:1666 on 20" in census(*where)[2]


@pytest.mark.parametrize("access", ["99999999999999999999", "-99999999999999999", "0"])
def test_an_invalid_access_time_is_omitted(tmp_path: Path, access: str) -> None:
    fields = f"99 @host@ @/root@ @@ @@ @ann@ 1 {access} 0 @Text.\n@ @@ @@ 0 \n"
    (tmp_path / "checkpoint").write_text(whole(f"@pv@ 6 @db.domain@ @ws@ {fields}"))
    where = ("--policy", str(POLICY), "--home", str(tmp_path))
    [one] = verdicts("--checkpoint", str(tmp_path / "checkpoint"), *where)
    assert one["name"] == "ws"
    assert not one["accessed"]


def test_journals_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    where = ("--policy", str(POLICY), "--home", str(tmp_path), "--checkpoint")
    (tmp_path / "checkpoint").write_text(whole(""))
    for name, time_s in (("jnl.9", 100), ("jnl.10", 200)):
        (tmp_path / name).write_text(f"@pv@ 1 @db.x@ @@ \n@ex@ 77 {time_s}\n")
    files = [str(tmp_path / name) for name in ("checkpoint", "jnl.9", "jnl.10")]
    assert census(*where, *files)[0] == 0
    code, _, err = census(*where, files[0], *reversed(files[1:]))
    assert code == 1
    assert f"{files[1]}: is older than the one before; specify the oldest first" in err


@pytest.mark.parametrize(
    ("copies", "domains", "views", "unloaded"),
    [
        (
            1,
            "1 record of db.domain has an unknown format and was",
            "1 record of db.view has an unknown format and was",
            "1 unloaded spec is left out: the checkpoint does not contain its view",
        ),
        (
            2,
            "2 records of db.domain have an unknown format and were",
            "2 records of db.view have an unknown format and were",
            "2 unloaded specs are left out: the checkpoint does not contain their views",
        ),
    ],
)
def test_records_that_a_census_leaves_out_are_reported(
    tmp_path: Path, copies: int, domains: str, views: str, unloaded: str
) -> None:
    file = tmp_path / "checkpoint"
    text = ""
    for number in range(copies):
        text += (
            f"@pv@ 7 @db.domain@ @resting{number}@ 67 @@ @/ws@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n"
            f"@pv@ 7 @db.domain@ @short{number}@ @text@ \n"
            f"@pv@ 1 @db.view@ @short{number}@ @text@ \n"
        )
    file.write_text(whole(text))
    where = ("--checkpoint", str(file), "--policy", str(POLICY), "--home", str(tmp_path))
    err = census(*where)[2]
    assert [line for line in err.splitlines() if "left out" in line] == [
        f"note: {domains} left out; specs may be missing",
        f"note: {views} left out; views may lack lines",
        f"note: {unloaded}",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["journal.1"], "journals can be read only after their checkpoint; specify it with"),
        (["--max-per-second", "0"], "0 is not a number from 1 to 10000"),
        (["--csv", "--json"], "choose one of --csv and --json"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: list[str], message: str) -> None:
    code, _, err = census(*arguments)
    assert (code, message in err) == (2, True)


def test_the_summary_counts_specs_and_names_the_owner_with_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = TableOutput()
    for name, owner in (("a", "ann"), ("b", "bob"), ("c", "bob"), ("d", None)):
        table.add(
            {
                **dict.fromkeys(COLUMNS),
                "type": "client",
                "name": name,
                "owner": owner,
                "verdict": "observe",
                "rule": "narrow",
            }
        )
    table.end()
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "observe by narrow: 4 clients of 3 owners; bob owns 2",
        "judged: 4 clients",
    ]
