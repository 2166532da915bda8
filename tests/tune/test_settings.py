"""Tests of judging settings; the cases are data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from p4warden.core import releases, shipped_yaml
from p4warden.workbench.audit.groups import Group
from p4warden.workbench.audit.protections import Protection
from p4warden.workbench.tune import configurables, group_limits
from p4warden.workbench.tune.finding import Finding, Unjudged
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.server_state import (
    Override,
    ProtectionTable,
    ServerState,
    Value,
)
from p4warden.workbench.tune.site import LargestMemory, LogUse, Site, Workspace

CASES = shipped_yaml.load(
    (Path(__file__).parents[1] / "cases" / "tune" / "settings.yaml").read_text()
)
LIMITS = [limit.name for limit in known().limits]
ADMIN = Protection(
    is_group=False, name="root", host="*", rights=0xFF, is_exclusion=False, path="//..."
)
NO_LOG = LogUse(1, (0, 0), 0, 0, 0, (0, 0), None, None)


def state(case: dict[str, Any]) -> ServerState:
    span = [releases.parsed(one) for one in case.get("releases", [])]
    groups = case.get("groups", {})
    return ServerState(
        releases.Releases(*span) if span else None,
        [Value(*row) for row in case.get("values", [])],
        None if groups == "unreadable" else [*map(group, groups.items())],
        (),
        ProtectionTable((), (), case["unread"]) if "unread" in case else ProtectionTable([ADMIN]),
        [Override(*row) for row in case.get("overrides", [])],
        case.get("recommended", {}),
        case.get("users"),
        case.get("programs", ()),
        defaults=case.get("defaults", {}),
        needs_comment=case.get("needs_comment", False),
        is_live=case.get("live", False),
    )


def site(case: dict[str, Any]) -> Site:
    numbers = dict(case.get("site", {}))
    workspaces = [Workspace(*row) for row in numbers.pop("workspaces", [])]
    log = numbers.pop("log", None)
    return Site(**numbers, workspaces=workspaces, log=None if log is None else log_use(log))


def log_use(fields: dict[str, Any]) -> LogUse:
    found = {name: tuple(one) if isinstance(one, list) else one for name, one in fields.items()}
    if "memory" in found:
        found["memory"] = LargestMemory(*found["memory"])
    return LogUse(**{**NO_LOG._asdict(), **found})


def group(item: tuple[str, dict[str, Any]]) -> Group:
    name, fields = item
    users, subgroups = frozenset(fields.get("users", [])), frozenset(fields.get("groups", []))
    return Group(name, users, subgroups, {limit: fields.get(limit, 0) for limit in LIMITS})


def judged(case: dict[str, Any]) -> list[Finding | Unjudged]:
    its_state, its_site = state(case), site(case)
    if case.get("limits"):
        return [*group_limits.judge(its_state, its_site, str.lower)]
    found = configurables.judge(its_state, its_site)
    names = case.get("only", [one.name for one in known().configurables])
    return [one for one in found if one.subject in names]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_settings_are_judged_by_release_and_value(case: dict[str, Any]) -> None:
    results = judged(case)
    findings = [one for one in results if isinstance(one, Finding)]
    unjudged = [one for one in results if isinstance(one, Unjudged)]
    assert [f"{one.subject}: {one.present}" for one in findings] == case["findings"]
    assert [f"{one.subject}: {one.reason}" for one in unjudged] == case["not_judged"]
    if "set" in case:
        assert [line for one in findings for line in one.set_commands] == case["set"]
    if "undo" in case:
        assert [line for one in findings for line in one.undo_commands] == case["undo"]
    assert findings or "begins" not in case
    assert all(one.recommendation.startswith(case.get("begins", "")) for one in findings)
    assert [one for text in case.get("here", []) for one in findings if text not in one.here] == []
    assert [one for text in case.get("risk", []) for one in findings if text not in one.risk] == []


def test_defaults_that_are_unset_again_need_no_change() -> None:
    """A configurable without a value to set is unset, so its default must be accepted."""
    for one in known().configurables:
        if one.value is None:
            assert all(map(one.accepts, filter(None, one.defaults.values()))), one.name
        else:
            assert one.accepts(one.value), one.name


@pytest.mark.parametrize(
    ("upgrade", "expected"),
    [
        (23, "2011.1 to 2015.1"),
        (24, "2015.2"),
        (27, "2017.1"),
        (36, "2020.1"),
        (54, "2024.1"),
        (60, "2024.2 to 2026.1"),
        (31, None),
        (1, None),
    ],
)
def test_the_counter_upgrade_gives_the_releases(upgrade: int, expected: str | None) -> None:
    found = releases.of_upgrade(upgrade)
    assert (found and found.text()) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("P4D/LINUX26X86_64/2024.2/2726478 (2025/02/20)", "2024.2"),
        ("P4D/NTX64/2019.1.PREP-TEST_ONLY/1799238 (2019/05/16)", "2019.1"),
        ("", None),
        ("P4D", None),
    ],
)
def test_the_version_of_a_server_gives_its_release(version: str, expected: str | None) -> None:
    found = releases.of_version(version)
    assert (found and found.text()) == expected
