"""Choose the users who send a rule's test events, among those for whom the rule is enforced.

Exempt users are chosen only if there are no others.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.patterns import any_matches
from p4warden.core.records import Event
from p4warden.judge.engine import mode_for
from p4warden.judge.exemptions import applies
from p4warden.rules.witnesses.draft import CLIENT, instance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Canary, Policy, PolicyRule

MAX_TRIED = 5
_INVENTED = (("someone", "p4"), ("zq7", "P4V"), ("jdoe", "zq7"), ("q", "zq7/q"))


class Identity(NamedTuple):
    user: str
    groups: tuple[str, ...] = ()
    prog: str = "p4"

    @property
    def words(self) -> str:
        return f"{self.user} of {', '.join(self.groups[:3])}" if self.groups else self.user


def ordinary(
    policy: Policy, rule: PolicyRule, facts: Facts, names: ServerNames | None, day: str
) -> list[Identity]:
    """Return at most five users for whom a rule is enforced, as senders of test events.

    Args:
        policy: the policy, for its exemptions.
        rule: one of the policy's rules.
        facts: the facts about the server, for the case handling of names.
        names: the server's users and groups; if None, users are invented.
        day: the server's local date, `YYYY-MM-DD`.
    """
    identities = [*_real(rule, facts, names)] if names else [*_invented(rule)]

    def is_exempt(one: Identity) -> bool:
        event = _event(one, day)
        return any(applies(exemption, rule.name, event, facts) for exemption in policy.exemptions)

    return [*islice((one for one in identities if not is_exempt(one)), MAX_TRIED)] or identities[
        :MAX_TRIED
    ]


def _event(one: Identity, day: str) -> Event:
    return Event("command", day, user=one.user, groups=one.groups, client=CLIENT, prog=one.prog)


def _real(rule: PolicyRule, facts: Facts, names: ServerNames) -> Iterator[Identity]:
    groups = names.groups_of()
    for user in names.users:
        one = Identity(user, groups.get(user, ()))
        if mode_for(rule, _event(one, ""), facts) == rule.mode == "enforce":
            yield one


def _invented(rule: PolicyRule) -> Iterator[Identity]:
    if rule.canary is None:
        yield from (Identity(user, (), prog) for user, prog in _INVENTED)
        return
    yield from (Identity(instance(pattern)) for pattern in rule.canary.users or ())
    for pattern in rule.canary.groups or ():
        yield from (Identity(user, (instance(pattern),), prog) for user, prog in _INVENTED)


def is_empty(canary: Canary, facts: Facts, names: ServerNames) -> bool:
    """Tell whether a rule's canary contains no user of the server."""
    conditions = [(canary.users or (), names.users)]
    filled = tuple(group for group, users in names.groups.items() if users)
    conditions.append((canary.groups or (), filled))
    case = facts.case_sensitive
    return not any(
        any_matches(patterns, values, case_sensitive=case) for patterns, values in conditions
    )
