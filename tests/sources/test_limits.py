"""Tests that the limits and names that Python and Rust both state are those of one case file.

The Rust sides are `triggers/gate/tests/limits.rs`, `triggers/gate/index/tests/limits.rs` and
`triggers/gate/log/tests/limits.rs`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.commands import evaluate, part_of_server
from p4warden.core import trigger_options
from p4warden.home import trusted_files
from p4warden.metrics import families
from p4warden.policy import compiled
from p4warden.server import firing
from p4warden.workbench.audit import clients
from p4warden.workbench.census import spec_form
from p4warden.workbench.logs import load_database
from p4warden.workbench.rightsize import partial_checkpoint

ROOT = Path(__file__).parents[2]
LIMITS: dict[str, dict[str, Any]] = json.loads(
    (ROOT / "tests" / "cases" / "limits" / "limits.json").read_text("utf-8")
)


def schema_of(rule: str) -> dict[str, Any]:
    """Return the JSON schema of a rule's settings."""
    file = ROOT / "triggers" / "p4warden" / "policy" / "schema" / "rules" / f"{rule}.json"
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


def test_length_of_the_digest_of_trigger_lines_equals_the_case_file() -> None:
    assert LIMITS["digest of trigger lines"] == {"digits": trigger_options.DIGEST_DIGITS}


def test_largest_size_of_a_file_of_the_home_equals_the_case_file() -> None:
    assert LIMITS["size of a file of the home"] == {"max_bytes": trusted_files.MAX_FILE_BYTES}


def test_longest_line_of_evaluate_equals_the_case_file() -> None:
    assert LIMITS["lines of `evaluate`"] == {"max_bytes": evaluate.MAX_LINE_BYTES}


def test_counters_of_the_gate_with_a_metric_are_those_of_the_case_file() -> None:
    limits = LIMITS["counters of the gate"]
    metric_names = {*families._FROM_THE_GATE.values(), *families._OTHER_COUNTS}
    assert metric_names == {*limits["names"]} - {*limits["without a metric"]}


def test_format_of_policy_json_equals_the_case_file_and_format_2_is_refused() -> None:
    limits = LIMITS["version of `policy.json`"]
    assert limits["format"] == compiled.FORMAT
    with pytest.raises(compiled.CompiledError, match=limits["of format 2"]):
        compiled.loads('{"format": 2}')


def test_description_of_max_delay_states_the_limits_of_waiting_commands() -> None:
    limits = LIMITS["commands that wait"]
    description = schema_of("limit_command_rate")["properties"]["max_delay"]["description"]
    words = "At most {max_count} commands wait at once, at most {max_of_a_user} of one user"
    assert words.format(**limits) in description


def test_settings_of_commands_at_once_state_the_case_files_limits() -> None:
    limits = LIMITS["commands at once"]
    settings = schema_of("limit_concurrent_commands")["properties"]
    words = "At most {max_waiting} commands wait for the turns of a rule, at most "
    words += "{max_waiting_of_a_user} of one user"
    assert words.format(**limits) in settings["max_delay"]["description"]
    assert settings["limits"]["maxItems"] == limits["max_limits"]


def test_parts_that_a_rate_counts_by_equal_the_case_file() -> None:
    limit = schema_of("limit_command_rate")["$defs"]["limit"]["properties"]
    assert limit["per"]["items"]["enum"] == LIMITS["parts that a rate counts by"]["names"]


def test_largest_min_depth_of_each_rule_equals_the_case_file() -> None:
    directories = LIMITS["deepest path that a policy requires"]["directories"]
    for rule in ("limit_command_scope", "limit_view_scope", "suggest_client_view"):
        of_rule = schema_of(rule)["properties"]
        assert of_rule["min_depth"]["maximum"] == directories
        assert of_rule["depots"]["additionalProperties"]["maximum"] == directories
    assert directories == firing._DEEPEST


def test_types_of_depots_whose_files_an_index_lacks_equal_the_case_file() -> None:
    for name, number in LIMITS["depots whose files an index lacks"].items():
        assert spec_form.DEPOT_TYPES[number] == name
        assert number in spec_form.UNCOUNTED


def test_numbers_of_clients_and_streams_in_db_domain_equal_the_case_file() -> None:
    limits = LIMITS["clients and streams in `db.domain`"]
    client, stream = limits["client"], limits["stream"]
    types = spec_form.DOMAIN_TYPES
    assert (types["client"], types["stream"]) == (client, stream)
    assert client == partial_checkpoint._CLIENT
    assert limits["unloaded_stream"] == spec_form.UNLOADED_TYPES["stream"]
    assert limits["has_own_have"] == clients._HAS_OWN_HAVE
    assert all(
        bits & clients._HAS_OWN_HAVE or bits >= 0x100000 for bits in spec_form._CLIENT_TYPES
    )


def test_estimate_error_equals_the_files_per_index_sample_of_the_case_file() -> None:
    assert LIMITS["samples of an index"] == {"files": part_of_server._ESTIMATE_ERROR}


def test_page_size_of_a_log_database_equals_the_case_file() -> None:
    assert LIMITS["pages of a log database"] == {"bytes": load_database.PAGE_BYTES}
