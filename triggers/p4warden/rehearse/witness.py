"""Find an event that each enforced rule stops (a witness), or the reason why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.gate_program import GateError, GateGoneError
from p4warden.core import facts as known_facts
from p4warden.core.plural import amount
from p4warden.history.local_time import local_day
from p4warden.policy.judged import judging_by
from p4warden.rehearse.identities import senders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.asking.judge import Judge
    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule
    from p4warden.rehearse.identities import Identity


class Surroundings(NamedTuple):
    facts: Facts
    names: ServerNames | None
    checkpoint_index: str | None
    now_s: float


class Witness(NamedTuple):
    """A witness of an enforced rule: an event that the rule stops.

    Attributes:
        times: how often the event is sent, at intervals of a millisecond; the last is stopped.
    """

    rule: str
    description: str
    sender: str
    event: dict[str, Any]
    times: int


class RuleWithoutWitness(NamedTuple):
    """`reason` continues a sentence after the rule's name."""

    rule: str
    reason: str


def search(policy: Policy, around: Surroundings) -> list[Witness | RuleWithoutWitness]:
    """Return for each enforced rule an event that it stops, or the reason why none was found."""
    rules = [rule for rule in policy.rules if rule.mode == "enforce"]
    if not rules:
        return []
    day = local_day(around.now_s)
    try:
        with judging_by(
            policy, known_facts.to_document(around.facts), index=around.checkpoint_index
        ) as judge:
            identities = senders(judge, policy, around.names, day)
            return [_witness(judge, policy, one, identities[one.name], around) for one in rules]
    except GateGoneError:
        raise
    except GateError as error:
        return [RuleWithoutWitness(rule.name, f"was not tested: {error}") for rule in rules]


def _witness(
    judge: Judge,
    policy: Policy,
    rule: PolicyRule,
    identities: Sequence[Identity],
    around: Surroundings,
) -> Witness | RuleWithoutWitness:
    if not identities:
        is_in = "no user of the server is in its canary"
        nobody = is_in if rule.canary else "it is enforced for no user of the server"
        return RuleWithoutWitness(rule.name, f"stops nobody: {nobody}")
    people = [one.person for one in identities]
    question = {"ask": "witness", "rule": rule.name, "people": people, "time": around.now_s}
    answer = judge.question(question)
    if "reason" in answer:
        return RuleWithoutWitness(rule.name, _reason(policy, rule, answer, around.names))
    sender = identities[answer["sender"]].words
    return Witness(rule.name, answer["description"], sender, answer["event"], answer["times"])


def _reason(
    policy: Policy, rule: PolicyRule, answer: dict[str, Any], names: ServerNames | None
) -> str:
    number = answer["exempt"]
    if number is None:
        return f"stops none of the test events: {answer['reason']}"
    everyone = f"all {amount(len(names.users), 'user')} of the server" if names else "everyone"
    people = "everyone in its canary" if rule.canary else everyone
    used_as = policy.exemptions[number].used_as
    return f"stops nobody: {people} is exempt by exemptions[{number}], {used_as}"
