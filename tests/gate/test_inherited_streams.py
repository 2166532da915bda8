"""Tests of `limit_view_scope` on streams with what they have from others, by an index."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.program import judge, policy
from index.journal_text import ex, update
from support.small_index import PROGRAM
from support.stream_records import records_of, template_record
from support.whole_checkpoint import whole_bytes

CASES = Path(__file__).parents[1] / "cases" / "inherited_streams"
FORMAT_6 = (
    Path(__file__).parents[2] / "triggers" / "gate" / "index" / "tests" / "index_of_format_6"
)


def load(path: Path) -> dict[str, Any]:
    document = yaml.safe_load(path.read_text())
    assert isinstance(document, dict)
    return document


def built(folder: Path, document: dict[str, Any]) -> Path:
    files = [
        f"{directory}/f{number:06}.c"
        for directory, count in document.get("directories", {}).items()
        for number in range(count)
    ]
    records = "".join(
        f"@pv@ 9 @db.{table}@ @{file}@ 1 0 0 1 1 1 00 1 \n"
        for table in ("rev", "revhx")
        for file in files
    )
    checkpoint = folder / "checkpoint"
    text = records_of(document["streams"]) + records
    checkpoint.write_bytes(whole_bytes(text.encode("utf-8", "surrogateescape")))
    index = folder / "index"
    command = [str(PROGRAM), "build", f"--output={index}", str(checkpoint)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return index


def event(case: dict[str, Any]) -> dict[str, Any]:
    stream = case.get("stream", "//streams/dev")
    fields = {"Stream": [stream], "Type": [case.get("type", "development")]}
    for name in ("parent", "parentview", "paths", "components"):
        if name in case:
            value = case[name]
            fields[name] = value if isinstance(value, list) else [value]
    form = "".join(
        f"{name.title()}:\n" + "".join(f"\t{line}\n" for line in lines)
        for name, lines in fields.items()
    )
    return {"event": "form-save", "type": "stream", "name": stream, "form": form}


def verdicts(document: dict[str, Any], *options: str) -> list[dict[str, Any]]:
    rule = {"name": "scope", "rule": "limit_view_scope", "mode": "enforce", "forms": ["stream"]}
    depots = {
        name: {"type": "stream" if "treams" in name else "local", "directories": directories}
        for name, directories in document.get("depots", {}).items()
    }
    facts = {"case_sensitive": document.get("case_sensitive", True), "depots": depots}
    events = [{**event(case), "facts": facts} for case in document["cases"]]
    answers, code = judge(policy(rule | document["settings"]), events, *options)
    assert code == 0
    return answers


@pytest.mark.parametrize("path", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_imports_add_up_over_ancestors_and_components(tmp_path: Path, path: Path) -> None:
    document = load(path)
    answers = verdicts(document, f"--index={built(tmp_path, document)}")
    for case, answer in zip(document["cases"], answers, strict=True):
        assert answer["verdict"] == case["verdict"], (case["name"], answer)
        (finding, *_) = answer["findings"] or [{"problem": "", "value": None}]
        assert case.get("problem", "") in finding["problem"], case["name"]
        if "value" in case:
            assert finding["value"] == case["value"], case["name"]
        if "unknown" in case:
            assert answer["unknown"] == [{"rule": "scope", "why": case["unknown"]}], case["name"]


def test_without_an_index_or_with_an_old_one_a_stream_that_adds_imports_is_unknown() -> None:
    document = {
        "settings": {"min_depth": 1, "max_files": 9},
        "cases": [{"parent": "//s/main", "paths": ["share ...", "import b/... //depot/b/..."]}],
    }
    for options in [(), (f"--index={FORMAT_6}",)]:
        (answer,) = verdicts(document, *options)
        assert answer["unknown"] == [{"rule": "scope", "why": "no-index"}]


def dev(*lines: str) -> dict[str, Any]:
    """Return a document whose case is a child of //streams/two with these imports of its own."""
    document = load(CASES / "shares.yaml")
    return document | {"cases": [{"parent": "//streams/two", "paths": ["share ...", *lines]}]}


def test_later_journals_change_the_lines_of_a_parent(tmp_path: Path) -> None:
    document = dev("import c/... //depot/c/...")
    index, journal = built(tmp_path, document), tmp_path / "journal"

    journal.write_text("")

    def after(records: str) -> str:
        journal.write_text(journal.read_text() + records + ex())
        update(index, journal)
        (answer,) = verdicts(document, f"--index={index}")
        verdict = answer["verdict"]
        assert isinstance(verdict, str)
        return verdict

    old_line = template_record("//streams/two", 2, "import& b/... //depot/b/...")
    assert after("") == "refuse"
    assert after(old_line.replace("@pv@", "@dv@")) == "allow"
    assert after(old_line) == "refuse"
    lines = ["share ...", "import a/... //depot/a/...", "import x/... //depot/b/..."]
    new = [template_record("//streams/two", *line, change=11) for line in enumerate(lines)]
    assert after(new[0]) == "allow"
    assert after(new[1] + new[2]) == "refuse"
    assert after("@dv@ 3 @db.stream@ @//streams/two@ @none@ @x@ 0 1 0 0 0 0 0 0 1 \n") == "unknown"


def test_a_new_stream_of_a_later_journal_is_a_parent(tmp_path: Path) -> None:
    document = dev("import c/... //depot/c/...")
    index, journal = built(tmp_path, document | {"streams": {}}), tmp_path / "journal"
    (answer,) = verdicts(document, f"--index={index}")
    assert answer["verdict"] == "unknown"
    journal.write_text(records_of({"//streams/two": document["streams"]["//streams/two"]}) + ex())
    update(index, journal)
    (answer,) = verdicts(document, f"--index={index}")
    assert answer["verdict"] == "refuse"
