"""Tests that the trigger gives the verdict of every rule case about a form.

Its server is silent, so that depots are counted by the last refresh.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gate.forms import answer_by
from gate.program import Home
from gate.test_rule_cases import all_files, read
from p4warden.policy import compiled

if TYPE_CHECKING:
    from pathlib import Path

SILENT = 'print(json.dumps({"error": "no ticket"}))'
OF_INDEX_AND_CENSUS = {"view", "used", "client_exists", "baseline"}


def options(line: dict[str, Any], form: Path) -> list[str]:
    names = {name: line.get(name, "") for name in ("user", "ip", "client", "name", "type")}
    names |= {"groups": " ".join(line.get("groups", [])), "form": str(form)}
    return [f"--{name}={value}" for name, value in names.items()]


@all_files
def test_the_trigger_gives_the_verdict_of_the_case(
    file: Path, tmp_path: Path, beside: Home
) -> None:
    case_file = read(file)
    policy = compiled.compile_policy(case_file.policy(), "0" * 64)
    for number, case in enumerate(case_file.cases()):
        line = case_file.event(case)
        if "form" not in line or line["event"] in {"change-submit", "shelve-submit"}:
            continue  # only a server has the files of a submit
        if line["facts"].keys() & OF_INDEX_AND_CENSUS:
            continue
        home = Home(tmp_path / f"home-{number}", beside.program_folder / "p4warden-gate")
        answer_by(home, SILENT)
        home.activate(json.loads(compiled.dumps(policy)))
        home.know(line["facts"])
        form = tmp_path / f"form-{number}"
        text = line["form"].encode("utf-8", "surrogateescape")
        form.write_bytes(text)
        code, _ = home.run(line["event"], *options(line, form))
        assert code == (case["verdict"] == "refuse"), case["name"]
        assert (form.read_bytes() == text) == (case.get("shows") is None), case["name"]
