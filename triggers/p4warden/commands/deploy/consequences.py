from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core import facts as known_facts
from p4warden.core.plural import amount
from p4warden.history.local_time import local_day, minute_text
from p4warden.home import active_policy, baseline_file, decision_log, last_census, server_names
from p4warden.policy.asked_gain import rule_gains
from p4warden.policy.compiled import rule_lines
from p4warden.policy.differences import renames
from p4warden.rehearse import known_surroundings
from p4warden.rehearse.census_counts import refused_specs
from p4warden.rehearse.people_affected import AffectedUsers, affected_users, user_decisions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from p4warden.home.last_census import Census
    from p4warden.policy.compiled import Policy, PolicyRule
    from p4warden.policy.rule_gain import RuleGain
    from p4warden.rehearse.census_counts import RefusedSpecs

LOOKED_BACK_DAYS = 30
_BASELINE = (
    "\n    Any change to such a spec, even to its description, would be refused. To tolerate "
    "them, run p4warden census --policy POLICY --write-baseline and set baseline: true and "
    "baseline_until: in the rule."
)


class Consequences(NamedTuple):
    """The effects of a policy change on people.

    Attributes:
        people: the users whom each rule will treat differently, by logged decisions; None without
            a running policy.
        groups_s: the time of the last refresh, which read the users' groups; None without them.
        census: the counts of the last census; None without one.
        refusals: counts of the specs of that census that each of these rules would refuse, by rule
            name.
        gains: by rule name, for the tightened rules, by the home's index.
    """

    people: list[AffectedUsers] | None
    decisions: int
    groups_s: float | None
    census: Census | None
    tightened_rules: list[PolicyRule]
    loosened_rules: list[PolicyRule]
    refusals: Mapping[str, RefusedSpecs]
    gains: Mapping[str, RuleGain]

    def lines(self) -> Iterator[str]:
        if self.people is not None:
            logged = amount(self.decisions, "logged decision")
            yield f"According to {logged} of the last {LOOKED_BACK_DAYS} days:"
            yield from (f"  {one.line()}" for one in self.people)
            if not self.people:
                yield "  nobody is newly stopped or newly allowed"
            yield f"  ({self._groups()})"
        for rule in self.tightened_rules:
            yield f"  {rule.name}: {self._counts(rule)}"
            if gain := self.gains.get(rule.name):
                yield f"    by the index it {gain.advice}"
        for rule in self.loosened_rules:
            counts = self.refusals.get(rule.name)
            if self.census and counts and counts.current_objections.specs:
                day, words = local_day(self.census.taken_s), counts.current_objections.words
                yield f"  {rule.name}: {words} can be saved again (census of {day})"

    def _groups(self) -> str:
        if self.groups_s is None:
            return "without the users' groups, which are unknown; run p4warden refresh"
        read = f"read on {minute_text(self.groups_s)}"
        return f"by the users' groups {read}; if they changed since, run p4warden refresh first"

    def _counts(self, rule: PolicyRule) -> str:
        counts = self.refusals.get(rule.name)
        if self.census is None or counts is None:
            return "no census with these settings; run p4warden census --policy POLICY"
        day = local_day(self.census.taken_s)
        source = f"(census of {day}{', users in the canary only' if rule.canary else ''})"
        if not counts.objections.specs:
            return f"no existing spec would be refused {source}"
        verdict = f"would refuse {counts.words} {source}"
        if not counts.current_objections.specs:
            return verdict
        advice = "" if rule.baseline else _BASELINE
        return f"{verdict}: {counts.current_objections.main_owners}{advice}"

    def document(self) -> dict[str, Any]:
        return {
            "decisions": self.decisions,
            "people": [
                {
                    "rule": one.rule,
                    "how": one.effect,
                    "users": one.users,
                    "same_settings": one.has_same_settings,
                }
                for one in self.people or ()
            ],
            "gains": {rule: gain._asdict() for rule, gain in self.gains.items()},
            "census": self._census("newly stopped", self.tightened_rules)
            + self._census("newly allowed", self.loosened_rules),
        }

    def _census(self, effect: str, rules: Iterable[PolicyRule]) -> list[dict[str, Any]]:
        return [
            {
                "rule": rule.name,
                "how": effect,
                "specs": counts.current_objections.specs,
                "owners": counts.current_objections.owners,
            }
            for rule in rules
            if (counts := self.refusals.get(rule.name))
        ]


def compute(home: str, old: Policy | None, new: Policy) -> Consequences:
    """Compute the effects of replacing the policy that runs in a home folder by a new one."""
    around = known_surroundings.surroundings_of_home(home)
    facts, names = around.facts, around.names
    since_s = around.now_s - LOOKED_BACK_DAYS * 86400
    decisions = _Decisions(user_decisions(decision_log.WholeDecisionLog(home).records(), since_s))
    day, census = local_day(around.now_s), last_census.last(home)
    surroundings = facts, names, day
    in_baseline = _rules_in_baseline(home, case_sensitive=facts.case_sensitive)
    people = affected_users((old, new), decisions, *surroundings, in_baseline) if old else None
    as_named_now = _as_named_now(old, new) if old else None
    tightened_rules = [*_tightened(as_named_now, new)]
    loosened_rules = [*_loosened(as_named_now, new)] if as_named_now else []
    judged_policy = new._replace(rules=(*tightened_rules, *loosened_rules))
    return Consequences(
        people,
        decisions.number,
        server_names.kept_s(home) if names else None,
        census,
        tightened_rules,
        loosened_rules,
        refused_specs(census, judged_policy, *surroundings),
        rule_gains(
            new._replace(rules=tuple(tightened_rules)),
            known_facts.to_document(facts),
            around.checkpoint_index,
        ),
    )


def _rules_in_baseline(home: str, *, case_sensitive: bool) -> Callable[[str, str], frozenset[str]]:
    """Return the look-up of the rules that tolerate findings of a spec, by its type and name."""
    entries: dict[str, list[baseline_file.Entry]] = {}
    with contextlib.suppress(active_policy.UnusableFileError):
        entries = baseline_file.read(home)

    def rules(spec_type: str, name: str) -> frozenset[str]:
        key = baseline_file.key(spec_type, name, case_sensitive=case_sensitive)
        return frozenset(str(entry[0]) for entry in entries.get(key, ()))

    return rules


class _Decisions:
    """Iterator over decision records that counts them and keeps none, for logs of any size."""

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        self._records = records
        self.number = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for record in self._records:
            self.number += 1
            yield record


def _as_named_now(old: Policy, new: Policy) -> Policy:
    names = renames(old, new)
    rules = (rule._replace(name=names.get(rule.name, rule.name)) for rule in old.rules)
    return old._replace(rules=tuple(rules))


def _tightened(old: Policy | None, new: Policy) -> Iterator[PolicyRule]:
    before = {one.name: (one.mode, one.canary, one.settings) for one in old.rules} if old else {}
    about_forms = _about_saved_forms(new)
    for rule in new.rules:
        is_same = before.get(rule.name) == (rule.mode, rule.canary, rule.settings)
        if rule.mode == "enforce" and not is_same and rule.name in about_forms:
            yield rule


def _loosened(old: Policy, new: Policy) -> Iterator[PolicyRule]:
    enforced_names = {rule.name for rule in new.rules if rule.mode == "enforce"}
    about_forms = _about_saved_forms(old)
    for rule in old.rules:
        is_enforced = rule.mode == "enforce" and rule.name not in enforced_names
        if is_enforced and rule.name in about_forms:
            yield rule


def _about_saved_forms(policy: Policy) -> set[str]:
    return {
        rule.name
        for rule in rule_lines(policy)
        if any(event == "form-save" for event, _ in rule.events)
    }
