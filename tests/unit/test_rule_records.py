"""Tests that each form rule's record has its module's functions, text and settings.

Also that its events are those in the list `EVENTS`.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

from p4warden.policy.compiled import compile_policy
from p4warden.policy.reference import example_policy
from p4warden.policy.schema import schema
from p4warden.rules import EVENTS, NAMES, RULES, settings_of
from p4warden.rules.rule import Rule

FUNCTIONS = [name for name in Rule._fields if name not in {"summary", "settings", "reason"}]


@pytest.mark.parametrize("name", NAMES)
def test_the_record_of_a_rule_has_each_function_of_its_module(name: str) -> None:
    module = importlib.import_module(f"p4warden.rules.{name}")
    functions = {field: getattr(module, field) for field in FUNCTIONS if hasattr(module, field)}
    assert "events" in functions
    assert {field: getattr(RULES[name], field) for field in functions} == functions


@pytest.mark.parametrize("name", NAMES)
def test_the_record_of_a_rule_has_the_settings_of_its_module(name: str) -> None:
    module = importlib.import_module(f"p4warden.rules.{name}")
    assert RULES[name].settings == module.Settings


@pytest.mark.parametrize("name", NAMES)
def test_events_that_a_rule_judges_or_notes_are_the_listed_events(name: str) -> None:
    kind = RULES[name]
    settings = settings_of(compile_policy(example_policy(name), "").rules[0])
    values = {event for event, _ in (*kind.events(settings), *kind.noted_events)}
    assert values == set(EVENTS[name])


def test_the_rule_on_first_level_directories_imports_proposals_for_refusals_only() -> None:
    program = (
        "import sys, p4warden.rules.limit_top_directories;"
        " print([name for name in sys.modules if '.proposals' in name])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert result.stdout == "[]\n"


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_schema_states_the_defaults_of_the_rules_settings(rule: str) -> None:
    properties = schema()["$defs"][rule]["properties"]
    schema_defaults = {k: v["default"] for k, v in properties.items() if "default" in v}
    settings: Any = RULES[rule].settings
    record_defaults = {k: v for k, v in settings._field_defaults.items() if v is not None}
    assert {
        k: list(v) if isinstance(v, tuple) else v for k, v in record_defaults.items()
    } == schema_defaults
