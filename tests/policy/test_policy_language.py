"""Tests of the published JSON schema and of the reference page of the policy language."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pages import rule_page, write

from p4warden import cli
from p4warden.policy import source
from p4warden.policy.check import check_file
from p4warden.policy.schema import kinds, schema
from p4warden.rehearse import cases

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCHEMA = schema()
POLICIES = [file for file in (ROOT / "policies").glob("*.yaml") if ".cases." not in file.name]
PARTS = ROOT / "triggers" / "p4warden" / "policy" / "schema"
COMMON = ("name", "rule", "mode", "for", "canary", "baseline", "baseline_until", "advice")
TODAY = datetime.date(2026, 11, 21)


@pytest.mark.parametrize("name", write.single_files())
def test_the_generated_files_are_those_that_make_docs_writes(name: str) -> None:
    assert write.single_files()[name] == (DOCS / name).read_text("utf-8"), "run make docs"


def test_p4warden_schema_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


def test_the_schema_is_valid_and_refers_only_to_its_own_definitions() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in SCHEMA
    references = re.findall(r'"\$ref": "([^"]*)"', json.dumps(SCHEMA))
    assert references
    assert {r.rpartition("/")[0] for r in references} == {"#/$defs"}
    assert {r.rpartition("/")[2] for r in references} <= set(SCHEMA["$defs"])


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_policy_is_valid_by_the_jsonschema_validator(file: Path) -> None:
    document = source.parse(file.read_bytes()).document
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("limit_view_scope", {"min_dept": 1}),
        ("limit_view_scope", {"min_depth": 21}),
        ("limit_view_scope", {"commands": ["fstat"]}),
        ("limit_view_scope", {"mode": "on"}),
        ("limit_command_rate", {"limits": []}),
        ("no_such_rule", {}),
    ],
)
def test_an_invalid_rule_is_invalid_by_the_jsonschema_validator(
    rule: str, wrong: dict[str, Any]
) -> None:
    policy = rule_page.example_policy(rule if rule in kinds() else "limit_view_scope")
    policy["rules"][0] |= {"rule": rule, **wrong}
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(policy)


def test_each_name_is_defined_in_only_one_part_of_the_schema() -> None:
    parts = [json.loads(file.read_text("utf-8")) for file in PARTS.rglob("*.json")]
    names = [name for part in parts for name in part.get("$defs", {})]
    assert sorted(names) == sorted({*names})
    assert not {*names} & {*kinds()}


@pytest.mark.parametrize("rule", kinds())
def test_the_page_of_a_rule_has_a_valid_example_and_all_settings(
    rule: str, tmp_path: Path
) -> None:
    page = (DOCS / "rules" / f"{rule}.md").read_text("utf-8")
    section = page.split("\n## Settings\n")[1]
    [example] = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    file = tmp_path / "policy.yaml"
    file.write_text(example)
    report = check_file(str(file), TODAY)
    assert [problem.line("") for problem in (*report.problems, *report.warnings)] == []
    assert [entry["rule"] for entry in yaml.safe_load(example)["rules"]] == [rule]
    for setting in SCHEMA["$defs"][rule]["properties"]:
        assert f"\n| `{setting}` | " in section or setting in COMMON


def test_the_example_policy_of_the_reference_has_no_mistakes(tmp_path: Path) -> None:
    page = (DOCS / "policy-reference.md").read_text("utf-8")
    file = tmp_path / "policy.yaml"
    file.write_text(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0])
    assert [problem.line("") for problem in check_file(str(file), TODAY).problems] == []


def test_the_example_case_file_of_the_reference_runs_with_5_cases(tmp_path: Path) -> None:
    page = (DOCS / "policy-reference.md").read_text("utf-8")
    file = tmp_path / "policy.cases.yaml"
    file.write_text(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[-1])
    answer: dict[str, Any] = {"verdict": "none", "detail": None, "fields": {}}
    assert len([*cases.run(str(file), lambda _: answer)]) == 5


def test_every_part_of_the_schema_has_a_description() -> None:
    assert [path for path, part in settings(SCHEMA, "") if not part.get("description")] == []


def settings(part: Any, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the settings in a part of the policy schema, as pairs of path and schema.

    A setting with an empty schema or a constant value is left out.
    """
    if isinstance(part, list):
        return [results for item in part for results in settings(item, path)]
    if not isinstance(part, dict):
        return []
    own_settings = [
        (f"{path}.{name}", setting)
        for name, setting in part.get("properties", {}).items()
        if setting and "const" not in setting
    ]
    return own_settings + [
        f for key, value in part.items() for f in settings(value, f"{path}.{key}")
    ]
