"""Write suggested rate limits as a policy whose rules observe, with the figures behind them."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

import yaml

from p4warden.rehearse.suggested_limits import OTHERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.rehearse.suggested_limits import Limit, Margins


def write(limits: Sequence[Limit], margins: Margins, days: str) -> str:
    """Return suggested limits as a policy in YAML that `p4warden check` accepts.

    A rule's limit is for all users. So each group has a rule of its own for a command, and is
    exempt from the command's rules with lower limits.

    Args:
        limits: at least one limit; limits of the same command are adjacent.
        margins: the percentile and the headroom of the limits, for the comments.
        days: the time range of the history, in words.
    """
    names = _names(limits)
    rules: list[dict[str, Any]] = []
    passing: dict[str, list[str]] = {}
    for _, of_command in groupby(limits, lambda limit: limit.command):
        ordered = sorted(of_command, key=lambda limit: (limit.per_minute, limit.burst))
        rules += [_rule(names[limit], limit) for limit in ordered]
        for index, limit in enumerate(ordered):
            if index and limit.group != OTHERS:
                passing.setdefault(limit.group, []).extend(names[low] for low in ordered[:index])
    document = {
        "version": 1,
        "contact": "Perforce admins <p4-admins@example.com>",
        "on_error": "allow",
        **({"exemptions": [_exemption(*entry) for entry in passing.items()]} if passing else {}),
        "rules": rules,
    }
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=99)
    return _head(margins, days) + _with_reasons(text, names)


def _head(margins: Margins, days: str) -> str:
    return (
        f"# Suggested by p4warden replay from {days}:\n"
        f"# each limit would have allowed {margins.percentile:g} % of the users at "
        f"{margins.headroom:g} times their rate. It observes;\n"
        "# replay the log with it, then watch it for some weeks before it enforces.\n"
    )


def _names(limits: Sequence[Limit]) -> dict[Limit, str]:
    """Return a rule name for each suggested limit, from its command and group.

    A number makes a name unique.
    """
    names: dict[Limit, str] = {}
    for limit in limits:
        group = re.sub(r"[^a-z0-9]+", "-", limit.group.lower()).strip("-")[:16] or "group"
        name = f"{limit.command}-rate" + (f"-{group}" if limit.group != OTHERS else "")
        alike = sum(other.startswith(name) for other in names.values())
        names[limit] = f"{name}-{alike + 1}" if alike else name
    return names


def _rule(name: str, limit: Limit) -> dict[str, Any]:
    return {
        "name": name,
        "rule": "limit_command_rate",
        "mode": "observe",
        "commands": [limit.command],
        "limits": [{"per": ["user"], "allow": limit.allow, "burst": limit.burst}],
    }


def _exemption(group: str, rules: list[str]) -> dict[str, Any]:
    return {
        "groups": [group],
        "rules": rules,
        "reason": "asks more often than others; a limit of its own",
        "owner": "name the person responsible",
    }


def _with_reasons(text: str, names: Mapping[Limit, str]) -> str:
    """Add the figures behind each suggested rule as comments below the rule's name."""
    for limit, name in names.items():
        line = f"- name: {name}\n"
        reason = (
            f"  # {limit.requests:,} requests of {limit.users:,} users; "
            f"{limit.above:,} of them exceeded the needs of the others\n"
        )
        text = text.replace(line, line + reason, 1)
    return text
