"""Test that the facts `rows.*` of `prove` expect the same as the table of bounds."""

from __future__ import annotations

import csv
from pathlib import Path

import yaml

from p4warden import prove

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "triggers" / "gate" / "src" / "paths" / "command_bounds.tsv"
FACTS = Path(prove.__file__).parent / "facts" / "rows.yaml"
FORMS = {
    "changes-m1": ("changes", "-m N with -s submitted -t -l -L -f"),
    "files-change": ("every", "PATH@=N"),
    "files-changes": ("every", "PATH@N,M"),
    "fstat-m1": ("fstat", "-m N"),
    "fstat-filter": ("fstat", "-F FILTER"),
    "sync-narrow": ("sync have reconcile", "PATH"),
}
WIDE = ("files of the argument", "revisions of the argument", "as without it")


def test_facts_about_rows_expect_what_the_table_of_bounds_says() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    reads = {(row["commands"], row["form"]): row["reads"] for row in rows}
    facts = yaml.safe_load(FACTS.read_text("utf-8"))["facts"]
    expected = {
        name: "unbounded" if reads[form] in WIDE else "bounded" for name, form in FORMS.items()
    }
    assert {fact["id"]: fact["hypothesis"] for fact in facts} == expected
