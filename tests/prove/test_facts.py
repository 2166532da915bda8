"""Tests of the facts and promises of `p4warden prove`: complete, documented, as in the bounds."""

import csv
from pathlib import Path

from p4warden.prove import experiments, facts_file
from p4warden_sandbox import choice_from_words
from prove.recorded_reports import recordings

EXPERIMENTS = facts_file.experiments()
FACTS = [fact for experiment in EXPERIMENTS for fact in experiment.facts]
LEAST_VALUES = 2
MOST_S = 180
ROOT = Path(__file__).parents[2]
TABLE = ROOT / "triggers" / "gate" / "src" / "paths" / "command_bounds.tsv"
FORMS = {
    "changes-m1": ("changes", "-m N with -s submitted -t -l -L -f -E"),
    "files-change": ("every", "PATH@=N"),
    "files-changes": ("every", "PATH@N,M"),
    "fstat-m1": ("fstat", "-m N"),
    "fstat-filter": ("fstat", "-F FILTER"),
    "sync-narrow": ("sync have reconcile", "PATH"),
}
WIDE = ("files of the argument", "revisions of the argument", "as without it")


def test_each_hypothesis_is_an_accepted_value() -> None:
    assert [fact.id for fact in FACTS if fact.hypothesis not in fact.accepted_values] == []


def test_each_fact_has_a_promise_and_each_promise_has_a_fact() -> None:
    assert [fact.id for fact in FACTS if not fact.promises] == []
    assert {name for fact in FACTS for name in fact.promises} == set(facts_file.promises())


def test_each_experiment_reports_exactly_its_declared_facts() -> None:
    for experiment in EXPERIMENTS:
        report = experiments.values(experiment.name, recordings()[experiment.name].steps)
        assert sorted(report) == sorted(fact.id for fact in experiment.facts)


def test_an_experiment_without_recorded_steps_gives_no_values() -> None:
    found = [experiments.values(experiment.name, {}) for experiment in EXPERIMENTS]
    assert [v for values in found for v in values.values() if v is not None] == []


def test_the_steps_named_by_a_fact_are_recorded_by_its_experiment() -> None:
    recordings_by_name = recordings()
    for experiment in EXPERIMENTS:
        for fact in experiment.facts:
            assert set(fact.steps) <= set(recordings_by_name[experiment.name].steps), fact.id


def test_the_variants_of_each_fact_are_accepted_values_and_sandbox_variants() -> None:
    for fact in FACTS:
        assert set(fact.variants) <= set(fact.accepted_values) | {"twice", "unjudged"}, fact.id
        choice_from_words(fact.variants.values())


def test_each_experiment_has_a_deadline_under_91_seconds() -> None:
    assert max(experiment.deadline_s for experiment in EXPERIMENTS) < MOST_S / LEAST_VALUES + 1


def test_docs_prove_md_lists_every_promise() -> None:
    page = (ROOT / "docs" / "prove.md").read_text("utf-8")
    assert [n for n, t in facts_file.promises().items() if f"| `{n}` | {t} |" not in page] == []
    assert page.count("\n| `") == len(facts_file.promises())


def test_facts_about_rows_expect_what_the_table_of_bounds_says() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    reads = {(row["commands"], row["form"]): row["reads"] for row in rows}
    expected = {
        f"rows.{name}": "unbounded" if reads[form] in WIDE else "bounded"
        for name, form in FORMS.items()
    }
    given = {fact.id: fact.hypothesis for fact in FACTS if fact.id.startswith("rows.")}
    assert given == expected
