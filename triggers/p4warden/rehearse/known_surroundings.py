from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden.core import facts as known_facts
from p4warden.core.records import Facts
from p4warden.history.local_time import local_day
from p4warden.home import active_policy, server_names, trusted_files
from p4warden.policy import example_addresses, known_commands
from p4warden.policy.asked_gain import rule_gains
from p4warden.policy.problems import Problem
from p4warden.rehearse import server_doubts
from p4warden.rehearse.witness import RuleWithoutWitness, Surroundings, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.policy.rule_gain import RuleGain


def surroundings_of_home(home: str) -> Surroundings:
    """Return the server's facts, names and checkpoint index, as far as a home folder has them."""
    facts = active_policy.facts_if_any(home) or Facts()
    index = trusted_files.index_path(home)
    return Surroundings(facts, server_names.last(home), index, time.time())


def doubts(policy: Policy, around: Surroundings) -> Iterator[Problem]:
    """Yield warnings about a policy, for `p4warden check` and other commands that read it."""
    yield from example_addresses.doubts(policy)
    indexes = {rule.name: index for index, rule in enumerate(policy.rules)}
    for witness in search(policy, around):
        if isinstance(witness, RuleWithoutWitness):
            yield Problem(("rules", indexes[witness.rule]), f"{witness.rule} {witness.reason}")
    yield from _commands(policy)
    day = local_day(around.now_s)
    yield from server_doubts.doubts(policy, around.facts, around.names, day)


def unknown_names(policy: Policy, around: Surroundings) -> Iterator[Problem]:
    """Yield a warning for each list of user or group names in a policy that cannot be checked.

    Yields nothing if the server's users and groups are known, or its depots are unknown too.
    """
    if around.names is None and around.facts.depots:
        for path, field, patterns in server_doubts.name_lists(policy):
            if patterns:
                yield Problem((*path, field), "users and groups unknown: run p4warden refresh")


def about_gains(
    gains: Iterable[tuple[int, str, RuleGain]], *, is_worth_it: bool
) -> Iterator[Problem]:
    """Yield what each rule would gain that is worth it, or that saves next to nothing."""
    for index, name, gain in gains:
        if gain.is_worth_it == is_worth_it:
            yield Problem(("rules", index), f"{name} {gain.advice} (by the index)")


def gains(policy: Policy, around: Surroundings) -> list[tuple[int, str, RuleGain]]:
    """Return, by the index, the rules that have a gain, each with its place in the policy."""
    facts = known_facts.to_document(around.facts)
    of_rules = rule_gains(policy, facts, around.checkpoint_index)
    return [
        (index, rule.name, of_rules[rule.name])
        for index, rule in enumerate(policy.rules)
        if rule.name in of_rules
    ]


def _commands(policy: Policy) -> Iterator[Problem]:
    for index, rule in enumerate(policy.rules):
        commands = [*rule.settings.get("commands", ())] if rule.mode != "off" else []
        for problem in known_commands.problems((), {"commands": commands}):
            yield Problem(("rules", index), f"{rule.name}: {problem.text}")
