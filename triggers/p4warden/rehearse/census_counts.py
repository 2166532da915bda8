from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking.standing import standing
from p4warden.core import facts as known_facts
from p4warden.core.plural import amount
from p4warden.home.last_census import plural
from p4warden.policy.judged import judging_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.asking.standing import Standing
    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.home.last_census import Census, Objections
    from p4warden.policy.compiled import Policy, PolicyRule


class RefusedSpecs(NamedTuple):
    rule: PolicyRule
    objections: Objections
    current_objections: Objections
    has_baseline: bool

    @property
    def words(self) -> str:
        """With a baseline: `0 of 3 clients with findings; 3 allowed by the baseline`."""
        if not self.has_baseline:
            return self.current_objections.words
        all_, refusals = self.objections.specs, self.current_objections.specs
        parts = (
            f"{refusals.get(kind, 0)} of {amount(n, kind, plural(kind))}"
            for kind, n in sorted(all_.items())
        )
        owners = f" of {amount(len(self.current_objections.owners), 'owner')}" if refusals else ""
        stay = sum(all_.values()) - sum(refusals.values())
        until = f" until {self.rule.baseline_until}" if self.rule.baseline_until else ""
        text = ", ".join(parts) or "nothing"
        return f"{text} with findings{owners}; {stay} allowed by the baseline{until}"


def refused_specs(
    census: Census | None, policy: Policy, facts: Facts, names: ServerNames | None, day: str
) -> dict[str, RefusedSpecs]:
    """Return by rule name the counts of the specs that it would refuse if it were enforced.

    A rule that the last census did not judge with its present settings is left out.

    Args:
        census: the counts of the last census; None without a census.
        policy: a policy with the rules, which are judged as enforced whatever their modes.
        facts: the facts about the server, for the case handling of names.
        names: the users' groups; without them nobody belongs to a canary by a group.
        day: the server's local date, `YYYY-MM-DD`.

    Raises:
        GateError: the gate cannot be started.
    """
    counted = [(rule, found) for rule in policy.rules if census and (found := census.of(rule))]
    if not counted:
        return {}
    owners = sorted({owner for _, found in counted for owner in found.owners})
    groups = names.groups_of() if names else {}
    people = [{"user": owner, "groups": groups.get(owner, ())} for owner in owners]
    enforced = tuple(rule._replace(mode="enforce") for rule, _ in counted)
    with judging_by(policy._replace(rules=enforced), known_facts.to_document(facts)) as judge:
        of_all = standing(judge, people, day)
    return {rule.name: _refused(rule, found, owners, of_all) for rule, found in counted}


def _refused(
    rule: PolicyRule, found: Objections, owners: Iterable[str], of_all: Standing
) -> RefusedSpecs:
    modes = dict(zip(owners, of_all.rules[rule.name].acts_as, strict=True))
    relevant = found.of_owners(lambda owner: modes.get(owner) == "enforce")
    stays = rule.name in of_all.baseline_in_effect
    return RefusedSpecs(rule, relevant, relevant.outside_baseline if stays else relevant, stays)
