from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount
from p4warden.core.records import Event
from p4warden.home.last_census import plural
from p4warden.judge.engine import lets_stay, mode_for

if TYPE_CHECKING:
    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.home.last_census import Census, Objections
    from p4warden.policy.compiled import PolicyRule


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
    census: Census | None, rule: PolicyRule, facts: Facts, names: ServerNames | None, day: str
) -> RefusedSpecs | None:
    """Return the counts of the specs that a rule would refuse if it were enforced.

    None if the last census did not judge the rule with its present settings.

    Args:
        census: the counts of the last census; None without a census.
        rule: the rule, judged as enforced whatever its mode.
        facts: the facts about the server, for the case handling of names.
        names: the users' groups; without them nobody belongs to a canary by a group.
        day: the server's local date, `YYYY-MM-DD`.
    """
    objections = census.of(rule) if census else None
    if objections is None:
        return None
    groups, enforced_rule = names.groups_of() if names else {}, rule._replace(mode="enforce")

    def event(owner: str) -> Event:
        return Event("form-save", day, user=owner, groups=groups.get(owner, ()))

    relevant_objections = objections.of_owners(
        lambda owner: mode_for(enforced_rule, event(owner), facts) == "enforce"
    )
    stays = lets_stay(rule, event(""))
    return RefusedSpecs(
        rule,
        relevant_objections,
        relevant_objections.outside_baseline if stays else relevant_objections,
        stays,
    )
