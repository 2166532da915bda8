"""Tests of the list of settings that differ between two policies."""

from __future__ import annotations

from typing import Any

import pytest

from p4warden.policy.compiled import Policy, compile_policy
from p4warden.policy.differences import between

SCOPE = {"name": "scope", "rule": "limit_view_scope", "mode": "observe"}
RATE = {
    "name": "rate",
    "rule": "limit_command_rate",
    "mode": "observe",
    "commands": ["fstat"],
    "limits": [{"per": ["user"], "allow": "50/s", "burst": 5}],
}
CI = {"groups": ["ci"], "reason": "builds", "owner": "us"}


def policy(rules: list[dict[str, Any]], exemptions: Any = (), **fields: Any) -> Policy:
    document = {"contact": "admins", "rules": rules, "exemptions": [*exemptions], **fields}
    return compile_policy(document, "0" * 64)


def lines(old: Policy, new: Policy) -> list[str]:
    return [difference.line() for difference in between(old, new)]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"mode": "enforce"}, ["scope: mode: observe -> enforce"]),
        ({"min_depth": 2}, ["scope: min_depth: 1 -> 2"]),
        ({"max_lines": 9}, ["scope: max_lines: none -> 9"]),
        ({"depots": {"a": 2}}, ["scope: depots: none -> a: 2"]),
        (
            {"forms": ["client"]},
            ["scope: forms: [client, stream, branch] -> [client] (-stream -branch)"],
        ),
        ({"canary": [{"users": ["ann"]}]}, ["scope: canary: none -> [{users: [ann]}]"]),
        ({"baseline": True}, ["scope: baseline: none -> true"]),
        ({}, []),
    ],
)
def test_a_changed_setting_of_a_rule_is_listed_with_both_values(
    fields: dict[str, Any], expected: list[str]
) -> None:
    assert lines(policy([SCOPE]), policy([{**SCOPE, **fields}])) == expected


def test_a_changed_value_within_a_list_or_map_is_listed_by_its_path() -> None:
    other = [{"per": ["user"], "allow": "20/s", "burst": 5}]
    assert lines(policy([RATE]), policy([{**RATE, "limits": other}])) == [
        "rate: limits.0.allow: 50/s -> 20/s"
    ]
    old, new = ({**SCOPE, "depots": depots} for depots in ({"a": 1, "b": 2}, {"a": 3, "c": 2}))
    assert lines(policy([old]), policy([new])) == [
        "scope: depots.a: 1 -> 3",
        "scope: depots.b: 2 -> none",
        "scope: depots.c: none -> 2",
    ]


def test_added_removed_and_reordered_rules_are_listed() -> None:
    report = lines(policy([SCOPE]), policy([RATE]))
    assert report[0].startswith(
        "rate: new, mode: observe, rule: limit_command_rate, commands: [fstat]"
    )
    assert report[1:] == ["scope: gone"]
    assert lines(policy([SCOPE, RATE]), policy([RATE, SCOPE])) == [
        "order of rules: [scope, rate] -> [rate, scope]"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([], [CI], ['exemption "builds" of us: new, groups: [ci]']),
        ([CI], [], ['exemption "builds" of us: gone']),
        (
            [CI],
            [{**CI, "until": "2027-01-01"}],
            ['exemption "builds" of us: until: none -> 2027-01-01'],
        ),
        (
            [CI],
            [{**CI, "groups": ["ci", "qa"]}],
            ['exemption "builds" of us: groups: [ci] -> [ci, qa] (+qa)'],
        ),
        ([CI], [{**CI, "reason": "other words"}], []),
        ([CI, {**CI, "groups": ["qa"]}], [{**CI, "groups": ["qa"]}, CI], []),
    ],
)
def test_added_removed_and_changed_exemptions_are_listed(
    old: Any, new: Any, expected: list[str]
) -> None:
    assert lines(policy([SCOPE], old), policy([SCOPE], new)) == expected


def test_changed_on_error_and_pressure_are_listed() -> None:
    new = policy([SCOPE], on_error="deny", pressure={"medium": 40, "high": 80})
    assert lines(policy([SCOPE]), new) == [
        "on_error: allow -> deny",
        "pressure: none -> medium: 40, high: 80",
    ]
