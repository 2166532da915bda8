"""For whom each rule is enforced, and who is exempt from it, as the gate's judge tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from p4warden.asking.judge import Judge

    Person = Mapping[str, Any]
    """The fields of an event that exemptions and canaries ask for."""


class RuleStanding(NamedTuple):
    """Of a rule for each person: `enforce` or `observe`, and the first exemption from the rule.

    Exemptions are numbers in the policy.
    """

    acts_as: Sequence[str]
    exempt: Sequence[int | None]

    def stops(self, person: int) -> bool:
        return self.acts_as[person] == "enforce" and self.exempt[person] is None


class Standing(NamedTuple):
    """Of all people.

    Attributes:
        rules: by name; those that are not off.
        exempted: for each exemption the number of people that it excuses.
        baseline_in_effect: the names of the rules that tolerate findings of the baseline.
    """

    rules: Mapping[str, RuleStanding]
    exempted: Sequence[int]
    baseline_in_effect: Collection[str]

    def stops(self, rule: str, person: int) -> bool:
        return rule in self.rules and self.rules[rule].stops(person)


def standing(judge: Judge, people: Sequence[Person], day: str) -> Standing:
    """Raise GateError if the judge does not answer; `day` is a local date, `YYYY-MM-DD`."""
    answer = judge.question({"ask": "standing", "day": day, "people": people})
    rules = {
        rule["name"]: RuleStanding(rule["acts_as"], rule["exempt"]) for rule in answer["rules"]
    }
    return Standing(rules, answer["exempted"], answer["baseline_in_effect"])
