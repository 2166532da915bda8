"""Find for each enforced rule an event that it stops (a witness), or the reason for finding none.

Drafts of events come from `rules/witnesses`, users from `identities`; the evaluator judges each
event by a policy with this one rule and all exemptions.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.gate_program import GateError
from p4warden.core import facts as known_facts
from p4warden.core.plural import amount
from p4warden.history.local_time import local_day
from p4warden.rehearse.evaluator import evaluating
from p4warden.rehearse.identities import is_empty, ordinary
from p4warden.rules import settings_of
from p4warden.rules.witnesses import builder
from p4warden.rules.witnesses.draft import CLIENT, Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule
    from p4warden.rehearse.evaluator import Evaluator
    from p4warden.rehearse.identities import Identity

MAX_DRAFTS = 300
MAX_EXEMPT = 3
_EVERY_S = 0.001


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

    def lines(self) -> Iterator[bytes]:
        for number in range(self.times):
            moment = {"time": self.event["time"] + number * _EVERY_S}
            yield json.dumps(self.event | moment).encode()


class RuleWithoutWitness(NamedTuple):
    """`reason` continues a sentence after the rule's name."""

    rule: str
    reason: str


def search(policy: Policy, around: Surroundings) -> Iterator[Witness | RuleWithoutWitness]:
    """Yield for each enforced rule an event that it stops, or the reason why none was found."""
    for rule in policy.rules:
        if rule.mode == "enforce":
            yield _witness_of_rule(policy, rule, around)


def _witness_of_rule(
    policy: Policy, rule: PolicyRule, around: Surroundings
) -> Witness | RuleWithoutWitness:
    if rule.canary and around.names and is_empty(rule.canary, around.facts, around.names):
        reason = "stops nobody: no user of the server is in its canary"
        return RuleWithoutWitness(rule.name, reason)
    identities = ordinary(policy, rule, around.facts, around.names, local_day(around.now_s))
    if not identities:
        return RuleWithoutWitness(
            rule.name, "stops nobody: it is enforced for no user of the server"
        )
    try:
        return _witness(policy._replace(rules=(rule,)), rule, identities, around)
    except GateError as error:
        return RuleWithoutWitness(rule.name, f"was not tested: {error}")


def _witness(
    policy: Policy, rule: PolicyRule, identities: list[Identity], around: Surroundings
) -> Witness | RuleWithoutWitness:
    exempt: str | None = None
    drafts = builder(rule.rule).drafts(settings_of(rule), around.facts)
    for number, draft in enumerate(islice(drafts, MAX_DRAFTS)):
        if exempt and number >= MAX_EXEMPT and not draft.groups:
            # try no further test events: the users are exempt from the rule, and an event could
            # only be stopped if it put its user into other groups
            break
        for identity in identities:
            event = _event(draft, identity, around)
            with evaluating(policy, around.checkpoint_index) as evaluator:
                is_stopped, passed_by = _judged(evaluator, event, draft.times)
            if is_stopped:
                return Witness(rule.name, draft.description, identity.words, event, draft.times)
            if passed_by is None:
                break  # the rule allows this event without an exemption, whoever sends it
            exempt = passed_by
    return RuleWithoutWitness(rule.name, _reason(policy, rule, exempt, around))


def _judged(evaluator: Evaluator, event: dict[str, Any], times: int) -> tuple[bool, str | None]:
    """Judge a rehearsal's test event up to `times` times, as if it were repeated.

    Returns:
        False and the exemption, if one applies to a repetition. Otherwise None as the exemption,
        and whether the last repetition is stopped: refused, or a displayed form that the rule
        changes.
    """
    answer: dict[str, Any] = {}
    for line in Witness("", "", "", event, times).lines():
        answer = json.loads(evaluator.answer(line))
        if answer["exemption"]:
            return False, str(answer["exemption"])
    is_shown = event["event"] == "form-out"
    is_stopped = answer["form"] is not None if is_shown else answer["verdict"] == "refuse"
    return is_stopped, None


def _event(draft: Draft, identity: Identity, around: Surroundings) -> dict[str, Any]:
    facts = draft.facts or known_facts.to_document(around.facts)
    if draft.event["event"] == "command":
        facts = {"case_sensitive": around.facts.case_sensitive}
    return {
        "user": identity.user,
        "groups": list(dict.fromkeys((*identity.groups, *draft.groups))),
        "client": CLIENT,
        "prog": identity.prog,
        "ip": "192.0.2.1",  # address in TEST-NET-1, which is never assigned (RFC 5737)
        "time": around.now_s,
        "facts": facts,
        **draft.event,
    }


def _reason(policy: Policy, rule: PolicyRule, exempt: str | None, around: Surroundings) -> str:
    if exempt is None:
        return f"stops none of the test events: {builder(rule.rule).none(settings_of(rule))}"
    names = around.names
    everyone = f"all {amount(len(names.users), 'user')} of the server" if names else "everyone"
    people = "everyone in its canary" if rule.canary else everyone
    exemptions = [f"{entry.reason} (owner: {entry.owner})" for entry in policy.exemptions]
    place = f"exemptions[{exemptions.index(exempt)}], " if exempt in exemptions else ""
    return f"stops nobody: {people} is exempt by {place}{exempt}"
