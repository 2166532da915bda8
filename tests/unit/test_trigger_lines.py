"""The options that a trigger line passes, by what the policy's rules need."""

from __future__ import annotations

import re
from typing import Any

import pytest

from p4warden.policy.compiled import compile_policy
from p4warden.table.trigger_lines import Installation, passes_arguments, wanted

PLACE = Installation(("/opt/gate",), "/opt/gate", "/var/lib/p4warden")
RATE = {"rule": "limit_command_rate", "limits": [{"per": ["user"], "allow": "1 per 1s"}]}
SCOPE = {"rule": "limit_command_scope"}
SCANNED = {"rule": "limit_scanned_rows", "max_files": 1}
PROGRAM = {"rule": "block_client_program", "programs": [{"program": "P4EXP"}]}
VERSION = {"rule": "block_client_program", "programs": [{"program": "P4V", "below": "2019.2"}]}
ALWAYS = ["ip", "groups", "command", "user", "client", "prog"]


def options(*rules: dict[str, Any]) -> list[str]:
    """Return the options of the line for commands, ours that are fixed left out."""
    common = {"name": "r", "mode": "enforce", "commands": ["fstat"]}
    document = {"contact": "admins", "rules": [common | rule for rule in rules]}
    policy = compile_policy(document, "")
    [line] = wanted(policy, PLACE)
    found = re.findall(r"%quote%--([a-z-]+)=%", line.command)
    assert passes_arguments(policy) == ("args" in found)
    return found


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((RATE,), ALWAYS),
        ((PROGRAM,), ALWAYS),
        ((SCOPE,), [*ALWAYS, "args"]),
        ((SCANNED,), [*ALWAYS, "cwd", "args"]),
        ((VERSION,), [*ALWAYS[:-1], "version", "prog"]),
        ((SCOPE, VERSION), [*ALWAYS[:-1], "version", "prog", "args"]),
        ((RATE, VERSION | {"mode": "off"}), ALWAYS),
    ],
)
def test_a_line_passes_what_a_rule_needs_in_the_order_that_the_gate_trusts(
    rules: tuple[dict[str, Any], ...], expected: list[str]
) -> None:
    assert options(*rules) == expected
