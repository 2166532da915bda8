"""Tests of `limit_view_scope` on streams with what they have from others, by an index."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.program import judge, policy
from index.checkpoint_text import ex
from support.small_index import PROGRAM
from support.stream_records import records_of, template_record
from support.whole_checkpoint import whole_bytes

CASES = Path(__file__).parents[1] / "cases" / "inherited_streams"


def load(path: Path) -> dict[str, Any]:
    document = yaml.safe_load(path.read_text())
    assert isinstance(document, dict)
    return document


def built(folder: Path, document: dict[str, Any], journal_records: str = "") -> Path:
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
    index, journal = folder / "index", folder / "journal"
    journal.write_text(journal_records + ex())
    command = [str(PROGRAM), "build", f"--output={index}", f"--journal={journal}", str(checkpoint)]
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


def test_without_an_index_a_stream_that_adds_imports_is_unknown() -> None:
    document = {
        "settings": {"min_depth": 1, "max_files": 9},
        "cases": [{"parent": "//s/main", "paths": ["share ...", "import b/... //depot/b/..."]}],
    }
    (answer,) = verdicts(document)
    assert answer["unknown"] == [{"rule": "scope", "why": "no-index"}]


def dev(*lines: str) -> dict[str, Any]:
    """Return a document whose case is a child of //streams/two with these imports of its own."""
    document = load(CASES / "shares.yaml")
    return document | {"cases": [{"parent": "//streams/two", "paths": ["share ...", *lines]}]}


def test_journals_after_the_checkpoint_change_the_lines_of_a_parent(tmp_path: Path) -> None:
    document = dev("import c/... //depot/c/...")

    def after(*records: str) -> Any:
        index = built(tmp_path, document, "".join(records))
        (answer,) = verdicts(document, f"--index={index}")
        return answer["verdict"]

    old_line = template_record("//streams/two", 2, "import& b/... //depot/b/...")
    assert after() == "refuse"
    assert after(old_line.replace("@pv@", "@dv@")) == "allow"
    lines = ["share ...", "import a/... //depot/a/...", "import x/... //depot/b/..."]
    new = [template_record("//streams/two", *line, change=11) for line in enumerate(lines)]
    assert after(new[0]) == "allow"
    assert after(*new) == "refuse"


def test_a_new_stream_of_a_journal_is_a_parent(tmp_path: Path) -> None:
    document = dev("import c/... //depot/c/...")
    parent = records_of({"//streams/two": document["streams"]["//streams/two"]})
    for records, verdict in (("", "unknown"), (parent, "refuse")):
        index = built(tmp_path, document | {"streams": {}}, records)
        (answer,) = verdicts(document, f"--index={index}")
        assert answer["verdict"] == verdict
