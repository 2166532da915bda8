"""Users newly stopped and newly allowed when one policy replaces another.

Logged decisions are judged again by both policies' modes, canaries, exemptions and baselines, with
the functions that judge the events of triggers. A decision log does not show whether a rule with
changed settings would still object; results about such rules are marked.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.core.records import Event
from p4warden.judge.engine import lets_stay, mode_for
from p4warden.judge.exemptions import applies

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule

MAX_NAMED = 5
STOPPED, ALLOWED, JUDGED = "newly stopped", "newly allowed", "no longer exempt"
_OBJECTIONS = ("observe", "refuse", "delay")


class AffectedUsers(NamedTuple):
    """The users for whom a new policy changes decisions of one rule in one way.

    Attributes:
        effect: `newly stopped`, `newly allowed`, or `no longer exempt`: the rule now applies,
            and may object or not.
        users: number of changed decisions, by user.
    """

    rule: str
    effect: str
    users: Mapping[str, int]
    has_same_settings: bool

    def line(self) -> str:
        ranking = sorted(self.users.items(), key=lambda one: (-one[1], one[0]))
        names_text = ", ".join(f"{cut(user)} ({times})" for user, times in ranking[:MAX_NAMED])
        more = f", {len(ranking) - MAX_NAMED} more" if len(ranking) > MAX_NAMED else ""
        text = amount(len(ranking), "user")
        doubt = "" if self.has_same_settings else "; by its old settings"
        by = "from" if self.effect == JUDGED else "by"
        return f"{self.effect} {by} {self.rule}: {text}: {names_text}{more}{doubt}"


def affected_users(
    policies: tuple[Policy, Policy],
    records: Iterable[Mapping[str, Any]],
    facts: Facts,
    names: ServerNames | None,
    day: str,
    in_baseline: Callable[[str, str], Collection[str]],
) -> list[AffectedUsers]:
    """Return the users whose logged decisions the new policy changes, sorted by rule and change.

    Args:
        policies: the running policy, and the new policy.
        records: records of the decision log, without faults and deployment tests.
        facts: the facts about the server, for the case handling of names.
        names: the users' groups; None if unknown.
        day: the server's local date, `YYYY-MM-DD`.
        in_baseline: given the type and the name of a spec, returns the names of the rules with
            findings of that spec in the baseline.
    """
    before, after = ({rule.name: rule for rule in policy.rules} for policy in policies)
    groups = names.groups_of() if names else {}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records:
        event = _event(record, groups, day)
        name = record.get("rule")
        if isinstance(name, str) and name in before and event.user:
            rules = before[name], after.get(name)
            is_kept = _may_stay(record, rules[0], event, in_baseline)
            effect = _effect(record, rules, event, policies, facts, is_kept=is_kept)
            times = record.get("count", 1)
            if effect:
                per_user = counts.setdefault((name, effect), Counter())
                per_user[event.user] += times if isinstance(times, int) else 1
    return [
        AffectedUsers(name, effect, users, _has_same_settings(before[name], after.get(name)))
        for (name, effect), users in sorted(counts.items(), key=lambda one: one[0])
    ]


def _effect(
    record: Mapping[str, Any],
    rules: tuple[PolicyRule, PolicyRule | None],
    event: Event,
    policies: tuple[Policy, Policy],
    facts: Facts,
    *,
    is_kept: bool,
) -> str | None:
    was_stopped, is_stopped = (
        _stops(rule, event, policy, facts) and not (is_kept and rule and lets_stay(rule, event))
        for rule, policy in zip(rules, policies, strict=True)
    )
    if was_stopped == is_stopped:
        return None
    # Without a logged objection it is unknown whether the rule objects, so only the end of an
    # exemption is reported.
    if record.get("verdict") not in _OBJECTIONS:
        was_exempt = _is_exempt(rules[0].name, event, policies[0], facts)
        return JUDGED if is_stopped and was_exempt else None
    return STOPPED if is_stopped else ALLOWED


def _may_stay(
    record: Mapping[str, Any],
    old: PolicyRule,
    event: Event,
    in_baseline: Callable[[str, str], Collection[str]],
) -> bool:
    """Tell whether the baseline has findings of the rule in the spec of a logged form.

    The baseline is the list of findings that a census recorded and the rule tolerates. False for a
    form that was refused while the baseline was in effect: its findings had become worse.
    """
    if event.event != "form-save" or not event.type or not event.name:
        return False
    was_worse = record.get("verdict") == "refuse" and lets_stay(old, event)
    return not was_worse and old.name in in_baseline(event.type, event.name)


def _stops(rule: PolicyRule | None, event: Event, policy: Policy, facts: Facts) -> bool:
    if rule is None or mode_for(rule, event, facts) != "enforce":
        return False
    return not _is_exempt(rule.name, event, policy, facts)


def _is_exempt(rule: str, event: Event, policy: Policy, facts: Facts) -> bool:
    return any(applies(exemption, rule, event, facts) for exemption in policy.exemptions)


def _event(record: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]], day: str) -> Event:
    def text(field: str) -> str | None:
        value = record.get(field)
        return value if isinstance(value, str) else None

    return Event(
        str(record.get("event", "")),
        day,
        type=text("type"),
        name=text("name"),
        user=text("user"),
        groups=groups.get(text("user") or "", ()),
        client=text("client"),
        ip=text("ip"),
        prog=text("prog"),
    )


def _has_same_settings(old: PolicyRule, new: PolicyRule | None) -> bool:
    return new is None or old.settings == new.settings


def user_decisions(
    records: Iterable[Mapping[str, Any]], since_s: float
) -> Iterator[Mapping[str, Any]]:
    """Yield the decision log's records since a time, without faults and deployment tests."""
    for record in records:
        time_s = record.get("time")
        is_decision = "verdict" in record and "fault" not in record and not record.get("trial")
        if is_decision and isinstance(time_s, int | float) and time_s >= since_s:
            yield record
