"""Tests of small functions and tables that exist in Python and Rust, by shared case files.

Rust tests such as `triggers/gate/tests/shared.rs` run the same cases.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from p4warden.asking import remarks, tables
from p4warden.core import facts, trigger_options
from p4warden.home import (
    decision_log,
    gate_counts,
    off_mark,
    old_lines,
    server_account,
    summed_file,
    trial_client,
    trusted_files,
)
from p4warden.policy import wording
from p4warden.policy.compiled import FILE_NAME
from p4warden.workbench.audit import small_tables
from p4warden.workbench.census.spec_form import ViewRow, view
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.rightsize import partial_checkpoint

CASES = Path(__file__).parents[1] / "cases"


def document(path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CASES / path).read_text("utf-8"))
    return content


def cases(path: str, name: str = "name") -> list[Any]:
    return [pytest.param(case, id=str(case[name])) for case in document(path)["cases"]]


def make_home(home: Path, case: dict[str, Any]) -> None:
    """Create `decisions.jsonl` in a home folder with the file type, mode and owner of a case."""
    home.mkdir()
    file, kind = home / decision_log.FILE_NAME, case.get("kind", "file")
    if kind == "file":
        file.write_text("{}\n")
        file.chmod(int(case["mode"], 8))
        os.chown(file, case.get("owner", -1), -1)
    elif kind == "directory":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind != "missing":
        file.symlink_to("elsewhere")
        if kind == "link":
            (home / "elsewhere").write_text("{}\n")
    home.chmod(int(case.get("folder_mode", "700"), 8))
    os.chown(home, case.get("folder_owner", -1), -1)


@pytest.mark.parametrize("case", cases("home_trust/files.json"))
def test_a_file_of_the_home_is_read_as_in_the_case(case: dict[str, Any], tmp_path: Path) -> None:
    if {"owner", "folder_owner"} & set(case) and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    home = tmp_path / "home"
    make_home(home, case)
    if case["readable"]:
        assert trusted_files.read(str(home), decision_log.FILE_NAME) == b"{}\n"
    else:
        with pytest.raises(trusted_files.HomeError, match=re.escape(case["problem"])):
            trusted_files.read(str(home), decision_log.FILE_NAME)


def block(command: str) -> dict[str, Any]:
    programs = [{"program": "*"}]
    kind = {"name": "r", "rule": "block_client_program", "mode": "enforce"}
    return {**kind, "commands": [command], "programs": programs}


NEVER, LIMITED = (document("never_limited/commands.json")[kind] for kind in ("never", "limited"))


def test_the_commands_that_are_never_limited_are_those_of_the_case_file() -> None:
    assert {*NEVER} - {"password"} == tables.rescue_commands()
    answer = remarks.about({"rules": [block(name) for name in NEVER + LIMITED]})
    assert [path for path, _ in answer["mistakes"]] == [
        ("rules", number, "commands", 0) for number in range(len(NEVER))
    ]


def test_options_of_a_trigger_line_equal_the_case_file() -> None:
    table = document("trigger_options/options.json")
    assert (table["form"], table["end"]) == (trigger_options.FORM, trigger_options.END_VALUE)
    assert table["order"] == list(trigger_options.ORDER)
    assert table["users"] == list(trigger_options.USERS)
    for entry in table["events"]:
        assert entry["options"] == list(trigger_options.options_of(entry["event"])), entry


@pytest.mark.parametrize("case", cases("client_versions/versions.json", "text"))
def test_a_program_version_is_accepted_or_refused_as_in_the_case(case: dict[str, Any]) -> None:
    programs = [{"program": "*", "below": case["text"]}]
    kind = {"name": "r", "rule": "block_client_program", "mode": "enforce"}
    rule = {**kind, "commands": ["fstat"], "programs": programs}
    problems = [*wording.problems({"version": 1, "contact": "c", "rules": [rule]})]
    assert (not problems) is case["version"]


def test_file_names_of_the_home_equal_the_case_file() -> None:
    table = document("home_files/names.json")
    del table["why"]
    assert table == {
        "folder": trusted_files.DEFAULT,
        "off": off_mark.FILE_NAME,
        "trial": trial_client.FILE_NAME,
        "decisions": decision_log.FILE_NAME,
        "state": gate_counts.STATE_FILE,
        "index": trusted_files.INDEX,
        "saved_forms": trusted_files.SAVED_FORMS,
        "old_lines": old_lines.FILE_NAME,
        "lines_digest": old_lines.DIGEST_FILE_NAME,
        "policy": FILE_NAME,
        "facts": facts.FILE_NAME,
        "account": server_account.FILE_NAME,
    }


@pytest.mark.parametrize("case", cases("facts_documents/documents.json"))
def test_facts_about_a_server_are_parsed_or_refused_as_in_the_case(case: dict[str, Any]) -> None:
    if case.get("readable", True):
        server_facts = facts.from_document(json.loads(case["text"]))
        assert server_facts.case_sensitive is case["case_sensitive"]
        assert (server_facts.unicode, server_facts.server_id) == (
            case["unicode"],
            case["server_id"],
        )
        assert list(server_facts.depots) == case["depots"]
    else:
        with pytest.raises(ValueError, match=r".+"):
            facts.from_document(json.loads(case["text"]))


def test_commands_with_an_estimate_equal_the_case_file() -> None:
    table = document("estimated_commands/commands.json")
    mains = {tables.synonym_of(name).main_name for name in table["estimated"]}
    assert mains == tables.estimated_commands()
    every = [name for name, synonym in tables.synonyms().items() if synonym.main_name in mains]
    assert {*table["estimated"]} == mains | {*every}
    assert not {tables.synonym_of(name).main_name for name in table["others"]} & mains


@pytest.mark.parametrize("case", cases("view_marks/flags.json", "flag"))
def test_the_mark_of_a_view_line_is_that_of_its_flag_in_the_case(case: dict[str, Any]) -> None:
    row = ViewRow(case["flag"], "//ws/...", "//depot/...")
    mark = case["mark"]
    assert view([row], 2) == ([] if mark is None else [f"{mark}//depot/... //ws/..."])
    assert partial_checkpoint._FLAGS.get(mark) == (None if mark is None else case["flag"])
    includes = mark not in (None, "-")
    label = ["label", 108, "", "", "", "", "ann", 0, 0, 0, ""]
    view_row = ["label", 0, case["flag"], "//ws/...", "//depot/..."]
    with contextlib.closing(SmallTables(small_tables.TABLES)) as small:
        lines = [["pv", "domain", label, 6], ["pv", "view", view_row, 1]]
        small.take(lines, lambda _read, _of: None)
        assert [*small_tables.view_paths(small)] == [("label", "//depot/...")] * includes


@pytest.mark.parametrize("case", cases("sums/files.json"))
def test_sums_of_files(case: dict[str, Any]) -> None:
    if case["object"] is None:
        with pytest.raises(ValueError, match="it is not as p4warden wrote it"):
            summed_file.text(case["file"].encode())
    else:
        assert summed_file.summed(case["object"]) == case["file"].encode()
        assert summed_file.text(case["file"].encode()) == case["object"]
