"""The gate's answer about the gain of rules.

It counts the clients that a rule would refuse, and the files that the widest views allowed by it
would still span (`judge/rule_gain.rs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.policy.compiled import PolicyRule
from p4warden.policy.judged import NO_POLICY, judging_by
from p4warden.policy.rule_gain import Better, RuleGain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.policy.compiled import Policy


def rule_gains(
    policy: Policy, facts: Mapping[str, Any] | None, index: str | None
) -> dict[str, RuleGain]:
    """Return by rule name what the policy's rules about client views would gain.

    Rules that are off, and rules that would refuse no client, are left out; without an index all.

    Raises:
        GateError: the index cannot be read.
    """
    if index is None or not any(rule.rule == "limit_view_scope" for rule in policy.rules):
        return {}
    with judging_by(policy, facts, index=index) as judge:
        rows = judge.question({"ask": "gain"})["rules"]
    return {row["rule"]: _gain(row) for row in rows if row["refused"]}


def gain_of_depth(index: str, min_depth: int) -> RuleGain | None:
    """Return the gain of a rule with this `min_depth`; None if it would refuse no client."""
    settings = {"forms": ["client"], "min_depth": min_depth}
    rule = PolicyRule("depth", "limit_view_scope", "observe", settings)
    return rule_gains(NO_POLICY._replace(rules=(rule,)), None, index).get(rule.name)


def _gain(row: Mapping[str, Any]) -> RuleGain:
    fields = {name: row[name] for name in RuleGain._fields}
    for name in ("directories", "widest_files"):
        fields[name] = row[name] or 0
    fields["better"] = row["better"] and Better(**row["better"])
    return RuleGain(**fields)
