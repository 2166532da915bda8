"""Warn if a policy proposes view lines that are less deep than another of its rules demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.policy.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy, PolicyRule


def doubts(policy: Policy) -> Iterator[Problem]:
    """Yield a warning for each proposed depth (default, or of a depot) below that of a rule."""
    for index, rule in enumerate(policy.rules):
        if rule.rule == "suggest_client_view" and rule.mode != "off":
            for judge in policy.rules:
                yield from _shallow(index, rule, judge)


def _shallow(index: int, proposing: PolicyRule, judging: PolicyRule) -> Iterator[Problem]:
    if judging.rule != "limit_view_scope" or judging.mode == "off":
        return
    if "client" not in judging.settings.forms:
        return
    ours, theirs = proposing.settings, judging.settings
    for depot in (None, *sorted({*ours.depots, *theirs.depots})):
        proposed = ours.depots.get(depot, ours.min_depth)
        demanded = theirs.depots.get(depot, theirs.min_depth)
        if proposed < demanded:
            write = f"depots: {{{depot}: {demanded}}}" if depot else f"min_depth: {demanded}"
            text = f"proposes lines {proposed} deep, and {judging.name} requires {demanded}"
            yield Problem(("rules", index), f"{text} (write {write})")
