"""Tests of the command `p4warden rightsize`: case files, generated servers, printed text.

Also of the same proposals in `p4warden census`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from p4warden import cli
from p4warden.core import shipped_yaml
from p4warden.workbench.rightsize.finder import Objection, Question, answers
from rightsize.conftest import checkpoint, with_files

PROGRAM = Path(sys.executable).with_name("p4warden-index")
CASES = shipped_yaml.load((Path(__file__).parents[1] / "cases" / "rightsize.yaml").read_text())
GENERATOR = Path(__file__).parents[3] / "shared" / "tools" / "make_checkpoint.py"
DIRECTLY = [f"//depot/f{n}" for n in range(11)]
DEEP = {"name": "deep", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 1}


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run `p4warden rightsize`; return its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["rightsize", *map(str, arguments)])
    return code, out.getvalue(), err.getvalue()


def policy(folder: Path, rules: list[dict[str, Any]]) -> Path:
    file = folder / "policy.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "contact": "admins", "rules": rules}))
    return file


def prepared(folder: Path, case: dict[str, Any]) -> list[str | Path]:
    file = folder / "checkpoint"
    file.write_text(checkpoint(CASES["files"] | case.get("more_files", {}), case))
    words: list[str | Path] = ["--policy", policy(folder, case.get("rules", [DEEP]))]
    words += ["--checkpoint", file, "--home", folder / "none"]
    if "limit_view" in case:
        facts = folder / "facts"
        facts.write_text(json.dumps({"limit_view": case["limit_view"], "depots": {}}))
        words += ["--facts", facts]
    if "since" in case:
        words += ["--keep", "used", "--since", str(case["since"])]
        words += ["--log", logged(folder, case["log"])] if "log" in case else []
    return [*words, "--max-files", str(case["max_files"])] if "max_files" in case else words


def logged(folder: Path, commands: list[list[str]]) -> Path:
    """Write a p4d log of commands after the `--since` day; return its path."""
    file, day = folder / "log", "2017/07/16 09:00:00"
    lines: list[str] = []
    for number, (client, command) in enumerate(commands, 1):
        about = f"pid {number} ann@{client} 10.0.0.1 [p4/v96]"
        lines += ["Perforce server info:", f"\t{day} {about} '{command}'"]
        lines += ["Perforce server info:", f"\t{day} pid {number} completed .1s"]
    file.write_text("\n".join([*lines, ""]))
    return file


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_proposal_keeps_the_clients_files_with_few_lines(
    case: dict[str, Any], tmp_path: Path
) -> None:
    code, out, err = run(*prepared(tmp_path, case), "--client", "ws", "--json")
    assert code == 0, err
    (results,) = map(json.loads, out.splitlines())
    assert results["proposal"] == case.get("proposal")
    assert (results["files"], results["outside"]) == (case["files"], case.get("outside", 0))
    assert (results["unused"], results["moved"]) == (case.get("unused", 0), case.get("moved", 0))
    assert sorted(results["leaving"]) == case.get("leaving", [])
    assert (results["reason"] or "").startswith(case.get("reason", ""))
    assert bool(results["reason"]) == (results["proposal"] is None)


def test_a_proposal_is_printed_as_view_lines_to_paste(tmp_path: Path) -> None:
    code, out, _ = run(*prepared(tmp_path, CASES["cases"][0]), "--client", "ws")
    assert code == 0
    assert out.splitlines() == [
        "ws, owner ann",
        "  present view: 1 line, 970 files; the client has 1 of them",
        "  sufficient view: 1 line, 30 files",
        "View:",
        "\t//depot/main/lib/... //ws/main/lib/...",
        "",
        "1 client, 1 proposal: 30 files instead of 970",
    ]


def test_a_limit_view_is_printed_as_lines_to_paste(tmp_path: Path) -> None:
    [case] = [
        one for one in CASES["cases"] if one["name"].startswith("a stream client gets a Lim")
    ]
    code, out, _ = run(*prepared(tmp_path, case), "--client", "ws")
    assert code == 0
    assert out.splitlines() == [
        "ws, owner ann",
        "  present view: 1 line, 770 files; the client has 2 of them",
        "  sufficient LimitView: 2 lines, 70 files",
        "LimitView:",
        "\t//depot/main/lib/...",
        "\t//depot/main/src/net/...",
        "",
        "1 client, 1 proposal: 70 files instead of 770",
    ]


def test_files_that_moved_or_leave_are_named(tmp_path: Path) -> None:
    leaving = [f"//depot/main/docs/f{number:02}" for number in range(22)]
    case = {
        "view": ["//depot/... //ws/...", "//depot/rel/... //ws/release/..."],
        "has": ["//depot/main/lib/f1", "//depot/rel/src/f1", "//gone/f", *leaving],
        "places": {"//gone/f": "//ws/gone/f"},
        "open": ["//depot/main/lib/f1", "//depot/rel/src/f1"],
        "since": "2017-07-14",
    }
    code, out, _ = run(*prepared(tmp_path, case), "--client", "ws")
    assert code == 0
    lines = out.splitlines()
    assert lines[:9] == [
        "ws, owner ann",
        "  present view: 2 lines, 970 files; the client uses 2 of them",
        "  not used: 22 files that the client has",
        "  moved by an edit of the view: 1 file, which the next sync puts in its new place",
        "  outside the view: 1 file, which the next sync removes with any lines",
        "  sufficient view: 2 lines, 230 files",
        "  removed from the disk at the next sync: 22 files",
        "    //depot/main/docs/f00",
        "    //depot/main/docs/f01",
    ]
    assert lines[26:] == [
        "    //depot/main/docs/f19",
        "    and 2 more; --json lists all of them",
        "View:",
        "\t//depot/main/lib/... //ws/main/lib/...",
        "\t//depot/rel/... //ws/release/...",
        "",
        "1 client, 1 proposal: 230 files instead of 970",
    ]


def test_recent_submits_of_clients_whose_names_differ_in_case_count_for_each(
    tmp_path: Path,
) -> None:
    case = {
        "view": ["//depot/... //ws/..."],
        "has": ["//depot/main/lib/f1", "//depot/main/docs/f1"],
        "submitted": {"//depot/main/lib/f1": ["ws", 1500200000]},
        "since": "2017-07-14",
    }
    words = prepared(tmp_path, case)
    small, *others = checkpoint(CASES["files"], case).splitlines(keepends=True)
    of_ws = [line for line in others if "@ws@ 99" in line or "@db.view@" in line]
    of_ws += [line for line in others if "@db.have@" in line]
    large = [line.replace("@ws@", "@WS@").replace("//ws/", "//WS/") for line in of_ws]
    (tmp_path / "checkpoint").write_text("".join([small, *large, *others]))
    code, out, _ = run(*words, "--client", "ws", "--client", "WS", "--json")
    assert code == 0
    results = {one["client"]: one for one in map(json.loads, out.splitlines())}
    assert [(name, one["needed"]) for name, one in results.items()] == [("WS", 1), ("ws", 1)]


def test_option_wide_selects_the_clients_that_a_rule_refuses(tmp_path: Path) -> None:
    words = prepared(tmp_path, CASES["cases"][0])
    assert "1 client, 1 proposal" in run(*words, "--wide")[1]
    narrow = prepared(tmp_path, {**CASES["cases"][0], "view": ["//depot/main/... //ws/main/..."]})
    assert run(*narrow, "--wide")[1] == "0 clients, 0 proposals: 0 files instead of 0\n"


def test_a_census_proposes_the_sufficient_view(tmp_path: Path) -> None:
    words = ["census", *map(str, prepared(tmp_path, CASES["cases"][0])), "--json"]
    fixes = []
    for more in ([], ["--rightsize"]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert cli.run([*words, *more]) == 0
        fixes.append(json.loads(out.getvalue())["fix"])
    assert fixes[0] != fixes[1] == "//depot/main/lib/... //ws/main/lib/..."


def test_a_census_gives_the_reason_where_no_view_keeps_the_files(tmp_path: Path) -> None:
    case = {"view": ["//depot/... //ws/..."], "has": DIRECTLY, "files": {"//depot/f": 2}}
    words = ["census", *map(str, prepared(tmp_path, {**CASES["cases"][0], **case}))]
    outputs = []
    for more in ([], ["--json"], ["--json", "--rightsize"], ["--rightsize"]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert cli.run([*words, *more]) == 0
        outputs.append(out.getvalue())
    without, client = map(json.loads, outputs[1:3])
    assert "reason" not in without
    assert without["fix"]
    assert (client["fix"], client["keeps_files"]) == (None, False)
    assert client["reason"]
    assert client["reason"] in outputs[3]
    assert client["reason"] not in outputs[0]


def test_the_csv_of_a_census_gives_the_reason_where_no_view_keeps_the_files(
    tmp_path: Path,
) -> None:
    case = {"view": ["//depot/... //ws/..."], "has": DIRECTLY, "files": {"//depot/f": 2}}
    words = ["census", *map(str, prepared(tmp_path, {**CASES["cases"][0], **case}))]
    outputs = []
    for more in (["--json", "--rightsize"], ["--csv", "--rightsize"], ["--csv"]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert cli.run([*words, *more]) == 0
        outputs.append(out.getvalue())
    [with_reason], [without] = (list(csv.DictReader(io.StringIO(text))) for text in outputs[1:])
    assert (with_reason["fix"], with_reason["reason"]) == ("", json.loads(outputs[0])["reason"])
    assert (without["fix"] != "", without["reason"]) == (True, "")


def test_a_proposed_view_does_not_replace_the_fix_for_options(tmp_path: Path) -> None:
    demands = [{"options": ["rmdir"]}]
    rules = [{"name": "types", "rule": "require_client_options", "mode": "enforce"}]
    case = {"view": ["//depot/... //ws/..."], "has": ["//depot/main/lib/f1"], "max_files": 50}
    case["rules"] = [{**rules[0], "demands": demands}]
    words = [*map(str, prepared(tmp_path, case)[:-2]), "--json", "--rightsize"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert cli.run(["census", *words]) == 0
    client = json.loads(out.getvalue())
    assert (client["rule"], client["keeps_files"]) == ("types", False)
    assert "//" not in client["fix"]


def test_a_client_without_files_keeps_the_example_lines(tmp_path: Path) -> None:
    case = {"view": ["//depot/... //ws/..."], "has": []}
    words = ["census", *map(str, prepared(tmp_path, case)), "--json", "--rightsize"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert cli.run(words) == 0
    client = json.loads(out.getvalue())
    assert client["fix"].startswith("//depot/")
    assert (client["keeps_files"], client["reason"]) == (False, None)


def test_a_census_proposes_an_allowed_view_even_if_it_saves_no_files(tmp_path: Path) -> None:
    case = {"view": ["//depot/... //ws/..."], "has": ["//depot/main/src/f1", "//depot/rel/src/f1"]}
    case["has"] += ["//depot/main/lib/f1", "//depot/main/docs/f1"]
    words = ["census", *map(str, prepared(tmp_path, case)), "--json", "--rightsize"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert cli.run(words) == 0
    client = json.loads(out.getvalue())
    assert client["files"] == 970
    lines = ["//depot/main/... //ws/main/...", "//depot/rel/... //ws/rel/..."]
    assert client["fix"].splitlines() == lines


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--client", "nobody"], 1, "the checkpoint has no client nobody"),
        ([], 2, "choose one of --client NAME and --wide"),
        (["--client", "ws", "--wide"], 2, "choose one of --client NAME and --wide"),
    ],
)
def test_a_wrong_command_line_is_reported(
    words: list[str], code: int, problem: str, tmp_path: Path
) -> None:
    results, _, err = run(*prepared(tmp_path, CASES["cases"][0]), *words)
    assert results == code
    assert problem in err


def test_proposals_for_generated_clients_pass_the_vendors_map(tmp_path: Path) -> None:
    if not GENERATOR.is_file():
        pytest.skip("no generator of checkpoints is here")
    file = tmp_path / "checkpoint"
    with file.open("wb") as to:
        command = [sys.executable, str(GENERATOR), "12000", "500", "5"]
        subprocess.run(command, stdout=to, check=True)
    words = "--wide", "--json", "--max-files", "1500", "--home", tmp_path / "none"
    code, out, err = run("--policy", policy(tmp_path, [DEEP]), "--checkpoint", file, *words)
    assert code == 0, err
    results = [json.loads(line) for line in out.splitlines()]
    proposals = [one["proposal"] for one in results if one["proposal"]]
    assert len(proposals) > len(results) / 10
    assert all(proposal["files"] <= 1500 for proposal in proposals)
    assert not [one["reason"] for one in results if "would move" in (one["reason"] or "")]


def test_a_narrower_view_is_found_for_a_client_with_20000_lines(tmp_path: Path) -> None:
    directories = [f"main/{n // 100}/{n % 100}" for n in range(20_000 - 1)]
    exclusions = [f"-//depot/{one}/out/... //ws/{one}/out/..." for one in directories]
    synced_files = [f"//depot/{one}/f0" for one in directories]
    case = {"view": ["//depot/... //ws/...", *exclusions], "has": synced_files}
    file = tmp_path / "checkpoint"
    file.write_text(checkpoint({f"//depot/{one}": 1 for one in directories}, case))
    with with_files(file) as built:
        (answer,) = answers(built.program, [Question("ws", 20_000, 1)], lambda _: Objection())
    assert answer.proposal is not None
    view = [row.text() for row in answer.proposal.view]
    assert view == ["//depot/main/... //ws/main/...", *exclusions]


@pytest.mark.parametrize(("case_sensitive", "code"), [(False, 0), (True, 1)])
def test_a_client_is_found_as_the_server_compares_names(
    *, case_sensitive: bool, code: int, tmp_path: Path
) -> None:
    facts = tmp_path / "facts"
    facts.write_text(json.dumps({"case_sensitive": case_sensitive, "depots": {}}))
    words = [*prepared(tmp_path, CASES["cases"][0]), "--facts", facts, "--client", "WS"]
    results, out, err = run(*words)
    assert results == code
    assert ("1 client, 1 proposal" in out) == (not code)
    assert ("the checkpoint has no client WS; it has ws" in err) == bool(code)
