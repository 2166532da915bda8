"""Choose the users who send a rule's test events, among those for whom the rule is enforced.

Exempt users are chosen only if there are no others.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.standing import AT_ONCE, standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from p4warden.asking.judge import Judge
    from p4warden.asking.standing import Person, RuleStanding
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule
    from p4warden.policy.selectors import Selector

MAX_TRIED = 5
_ELSEWHERE = (
    ("clients", "client", "zq7"),
    ("ips", "ip", "192.0.2.77"),
    ("servers", "server", "zq7"),
    ("servers", "services", "zq7"),
)
"""Facts that `not` asks for, as it is not decided where they are unknown."""
_INVENTED = (("someone", "p4"), ("zq7", "P4V"), ("jdoe", "zq7"), ("q", "zq7/q"))


class Identity(NamedTuple):
    """A user, and from where and to which server the user sends events; "" if that is unknown."""

    user: str
    groups: tuple[str, ...] = ()
    prog: str = "p4"
    client: str = ""
    ip: str = ""
    server: str = ""
    services: str = ""

    @property
    def words(self) -> str:
        return f"{self.user} of {', '.join(self.groups[:3])}" if self.groups else self.user

    @property
    def person(self) -> Person:
        return {name: value for name, value in self._asdict().items() if value or name == "groups"}


def senders(
    judge: Judge, policy: Policy, names: ServerNames | None, day: str
) -> Mapping[str, list[Identity]]:
    """Return for each enforced rule at most five users for whom it is enforced, by rule name.

    Args:
        judge: a judge by the policy.
        policy: the policy.
        names: the server's users and groups; if None, users are invented.
        day: the server's local date, `YYYY-MM-DD`.

    Raises:
        GateError: the judge does not answer.
    """
    rules = [rule for rule in policy.rules if rule.mode == "enforce"]
    choices = {rule.name: _Choice([], []) for rule in rules}
    if names is None:
        for rule in rules:
            people = [*_invented(rule, policy.classes)]
            choices[rule.name].add(people, _standing(judge, people, day)[rule.name])
        return {name: choice.best for name, choice in choices.items()}
    groups = names.groups_of()
    for place, its_rules in _by_place(rules, policy.classes).items():
        people_there = (
            place._replace(user=user, groups=groups.get(user, ())) for user in names.users
        )
        its_choices = {name: choices[name] for name in its_rules}
        while people := [*islice(people_there, AT_ONCE)]:
            of_rules = _standing(judge, people, day)
            for name, choice in its_choices.items():
                choice.add(people, of_rules[name])
            if all(choice.is_full for choice in its_choices.values()):
                break
    return {name: choice.best for name, choice in choices.items()}


def _by_place(
    rules: Iterable[PolicyRule], classes: Mapping[str, Selector]
) -> Mapping[Identity, set[str]]:
    """Return the names of rules by the fields but user and groups that their selectors ask for."""
    places: dict[Identity, set[str]] = {}
    for rule in rules:
        for one in _selected(rule, classes):
            places.setdefault(one._replace(user="", groups=()), set()).add(rule.name)
    return places


def _selected(rule: PolicyRule, classes: Mapping[str, Selector]) -> list[Identity]:
    """Return someone for each selector of the canary whom the rule's selector may match, too."""
    everyone = Identity("")
    chosen = [_fitting(everyone, selector, classes) for selector in rule.canary or ({},)]
    return [_fitting(one, rule.selector or {}, classes) for one in chosen]


def _fitting(one: Identity, selector: Selector, classes: Mapping[str, Selector]) -> Identity:
    for name in selector.get("classes", ())[:1]:
        one = _fitting(one, classes[name], classes)

    def first(field: str, otherwise: str) -> str:
        return _instance(selector[field][0]) if field in selector else otherwise

    groups = (first("groups", ""),) if "groups" in selector else ()
    one = Identity(
        first("users", one.user),
        (*one.groups, *groups),
        first("programs", one.prog),
        first("clients", one.client),
        first("ips", one.ip),
        first("servers", one.server),
    )
    asked = _fields(selector.get("not", {}), classes)
    unknown: dict[str, Any] = {
        name: value
        for field, name, value in _ELSEWHERE
        if field in asked and not getattr(one, name)
    }
    return one._replace(**unknown)


def _fields(selector: Selector, classes: Mapping[str, Selector]) -> set[str]:
    """Return the fields that a selector asks for, also in its classes."""
    inner = [classes[name] for name in selector.get("classes", ())]
    return {*selector, *(field for one in inner for field in _fields(one, classes))}


class _Choice(NamedTuple):
    ordinary: list[Identity]
    exempt: list[Identity]

    def add(self, people: Iterable[Identity], of_rule: RuleStanding) -> None:
        for one, acts_as, exemption in zip(people, *of_rule, strict=True):
            if acts_as in ("enforce", "unknown"):
                (self.ordinary if exemption is None else self.exempt).append(one)

    @property
    def is_full(self) -> bool:
        return len(self.ordinary) >= MAX_TRIED

    @property
    def best(self) -> list[Identity]:
        return (self.ordinary or self.exempt)[:MAX_TRIED]


def _standing(judge: Judge, people: Iterable[Identity], day: str) -> Mapping[str, RuleStanding]:
    return standing(judge, [one.person for one in people], day).rules


def _invented(rule: PolicyRule, classes: Mapping[str, Selector]) -> Iterator[Identity]:
    for one in _selected(rule, classes):
        if one.user:
            yield one
            continue
        for user, prog in _INVENTED:
            is_any = one.prog == Identity("").prog
            yield one._replace(user=user, prog=prog if is_any else one.prog)


def _instance(pattern: str) -> str:
    """Return an example of a name that matches a pattern with `*` and `?`, or of an address."""
    pattern = pattern.partition("/")[0]
    return pattern.replace("*", "").replace("?", "x") or "x"
