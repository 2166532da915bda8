from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.policy.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy, PolicyRule


def doubts(policy: Policy) -> Iterator[Problem]:
    """Yield a warning for each proposed depth (default or a depot's) below a rule's minimum."""
    for index, rule in enumerate(policy.rules):
        if rule.rule == "suggest_client_view" and rule.mode != "off":
            for judge in policy.rules:
                yield from _shallow(index, rule, judge)


def _shallow(
    index: int, proposing_rule: PolicyRule, judging_rule: PolicyRule
) -> Iterator[Problem]:
    if judging_rule.rule != "limit_view_scope" or judging_rule.mode == "off":
        return
    if "client" not in judging_rule.settings.forms:
        return
    proposal, demand = proposing_rule.settings, judging_rule.settings
    for depot in (None, *sorted({*proposal.depots, *demand.depots})):
        proposed_depth = proposal.depots.get(depot, proposal.min_depth)
        depth = demand.depots.get(depot, demand.min_depth)
        if proposed_depth < depth:
            write = f"depots: {{{depot}: {depth}}}" if depot else f"min_depth: {depth}"
            text = (
                f"proposes lines {proposed_depth} deep, and {judging_rule.name} requires {depth}"
            )
            yield Problem(("rules", index), f"{text} (write {write})")
