"""For whom each rule is enforced, and who is exempt from it, as the gate's judge tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from p4warden.asking.judge import Judge

    Person = Mapping[str, Any]
    """The fields of an event that exemptions and canaries ask for."""

AT_ONCE = 1000
"""People in a question, whose groups may be many; a line of the judge has at most 32 MiB."""


class RuleStanding(NamedTuple):
    """Of a rule for each person: `enforce` or `observe`, and the first exemption from the rule.

    Exemptions are numbers in the policy.
    """

    acts_as: list[str]
    exempt: list[int | None]


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


def standing(judge: Judge, people: Sequence[Person], day: str) -> Standing:
    """Raise GateError if the judge does not answer; `day` is a local date, `YYYY-MM-DD`."""
    answers = [
        judge.question({"ask": "standing", "day": day, "people": people[start : start + AT_ONCE]})
        for start in range(0, max(1, len(people)), AT_ONCE)
    ]
    rules = {rule["name"]: RuleStanding([], []) for rule in answers[0]["rules"]}
    for answer in answers:
        for rule in answer["rules"]:
            rules[rule["name"]].acts_as.extend(rule["acts_as"])
            rules[rule["name"]].exempt.extend(rule["exempt"])
    exempted = [
        sum(numbers) for numbers in zip(*(one["exempted"] for one in answers), strict=True)
    ]
    return Standing(rules, exempted, answers[0]["baseline_in_effect"])
