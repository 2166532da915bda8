"""Choose the users who send a rule's test events, among those for whom the rule is enforced.

Exempt users are chosen only if there are no others.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking.standing import AT_ONCE, standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from p4warden.asking.judge import Judge
    from p4warden.asking.standing import Person, RuleStanding
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Canary, PolicyRule

MAX_TRIED = 5
_INVENTED = (("someone", "p4"), ("zq7", "P4V"), ("jdoe", "zq7"), ("q", "zq7/q"))


class Identity(NamedTuple):
    user: str
    groups: tuple[str, ...] = ()
    prog: str = "p4"

    @property
    def words(self) -> str:
        return f"{self.user} of {', '.join(self.groups[:3])}" if self.groups else self.user

    @property
    def person(self) -> Person:
        return {"user": self.user, "groups": self.groups, "prog": self.prog}


def senders(
    judge: Judge, rules: Iterable[PolicyRule], names: ServerNames | None, day: str
) -> Mapping[str, list[Identity]]:
    """Return for each enforced rule at most five users for whom it is enforced, by rule name.

    Args:
        judge: a judge by the policy.
        rules: enforced rules of the policy.
        names: the server's users and groups; if None, users are invented.
        day: the server's local date, `YYYY-MM-DD`.

    Raises:
        GateError: the judge does not answer.
    """
    choices = {rule.name: _Choice([], []) for rule in rules}
    if names is None:
        for rule in rules:
            people = [*_invented(rule.canary)]
            choices[rule.name].add(people, _standing(judge, people, day)[rule.name])
    else:
        groups = names.groups_of()
        users = iter([Identity(user, groups.get(user, ())) for user in names.users])
        while people := [*islice(users, AT_ONCE)]:
            of_rules = _standing(judge, people, day)
            for name, choice in choices.items():
                choice.add(people, of_rules[name])
            if all(choice.is_full for choice in choices.values()):
                break
    return {name: choice.best for name, choice in choices.items()}


class _Choice(NamedTuple):
    ordinary: list[Identity]
    exempt: list[Identity]

    def add(self, people: Iterable[Identity], of_rule: RuleStanding) -> None:
        for one, acts_as, exemption in zip(people, *of_rule, strict=True):
            if acts_as == "enforce":
                (self.ordinary if exemption is None else self.exempt).append(one)

    @property
    def is_full(self) -> bool:
        return len(self.ordinary) >= MAX_TRIED

    @property
    def best(self) -> list[Identity]:
        return (self.ordinary or self.exempt)[:MAX_TRIED]


def _standing(judge: Judge, people: Iterable[Identity], day: str) -> Mapping[str, RuleStanding]:
    return standing(judge, [one.person for one in people], day).rules


def _invented(canary: Canary | None) -> Iterator[Identity]:
    if canary is None:
        yield from (Identity(user, (), prog) for user, prog in _INVENTED)
        return
    yield from (Identity(_instance(pattern)) for pattern in canary.users or ())
    for pattern in canary.groups or ():
        yield from (Identity(user, (_instance(pattern),), prog) for user, prog in _INVENTED)


def _instance(pattern: str) -> str:
    """Return an example of a name that matches a pattern with `*` and `?`."""
    return pattern.replace("*", "").replace("?", "x") or "x"
