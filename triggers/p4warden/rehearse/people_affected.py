"""Users newly stopped and newly allowed when one policy replaces another.

Logged decisions are judged again by both policies' modes, canaries, exemptions and baselines. A
decision log does not show whether a rule with changed settings would still object; results about
such rules are marked.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.asking.standing import AT_ONCE, standing
from p4warden.core import facts as known_facts
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.policy.differences import renames
from p4warden.policy.judged import judging_by

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from p4warden.asking.standing import Person, Standing
    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule

    _InBaseline = Callable[[str, str], Collection[str]]

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
    in_baseline: _InBaseline,
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
    new_names = renames(*policies)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record, standings in _with_standings(policies, new_names, records, facts, names, day):
        effect = _effect(record, standings, in_baseline)
        times = record.get("count", 1)
        if effect:
            per_user = counts.setdefault((record["rule"], effect), Counter())
            per_user[record["user"]] += times if isinstance(times, int) else 1
    return [
        AffectedUsers(
            name,
            effect,
            users,
            _has_same_settings(before[name], after.get(new_names.get(name, name))),
        )
        for (name, effect), users in sorted(counts.items(), key=lambda one: one[0])
    ]


class _RuleStanding(NamedTuple):
    """Of the rule of a logged decision, by one of the policies, for the event's sender."""

    stops: bool
    is_exempt: bool
    lets_stay: bool


def _with_standings(
    policies: tuple[Policy, Policy],
    new_names: Mapping[str, str],
    records: Iterable[Mapping[str, Any]],
    facts: Facts,
    names: ServerNames | None,
    day: str,
) -> Iterator[tuple[Mapping[str, Any], list[_RuleStanding]]]:
    """Yield the records of rules of the old policy, each with the standings by both policies."""
    old_rules = {rule.name for rule in policies[0].rules}
    groups = names.groups_of() if names else {}
    relevant = (one for one in records if one.get("rule") in old_rules and _text(one, "user"))
    with contextlib.ExitStack() as stack:
        document = known_facts.to_document(facts)
        judges = [stack.enter_context(judging_by(one, document)) for one in policies]
        while batch := [*islice(relevant, AT_ONCE)]:
            people = [_person(record, groups) for record in batch]
            standings = [standing(judge, people, day) for judge in judges]
            for number, record in enumerate(batch):
                old_name = record["rule"]
                rules = old_name, new_names.get(old_name, old_name)
                by_both = zip(standings, rules, strict=True)
                yield record, [_of_rule(one, rule, number) for one, rule in by_both]


def _of_rule(standing: Standing, name: str, person: int) -> _RuleStanding:
    rule = standing.rules.get(name)
    is_exempt = rule is not None and rule.exempt[person] is not None
    stops = rule is not None and rule.acts_as[person] == "enforce" and not is_exempt
    return _RuleStanding(stops, is_exempt, name in standing.baseline_in_effect)


def _person(record: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]) -> Person:
    fields = {field: _text(record, field) for field in ("type", "name", "user", "client", "prog")}
    return {**fields, "groups": groups.get(fields["user"] or "", ())}


def _text(record: Mapping[str, Any], field: str) -> str | None:
    value = record.get(field)
    return value if isinstance(value, str) else None


def _effect(
    record: Mapping[str, Any], standings: list[_RuleStanding], in_baseline: _InBaseline
) -> str | None:
    if record.get("event") == "form-out":  # its rules propose values, and stop nobody
        return None
    is_kept = _may_stay(record, standings[0], in_baseline)
    was_stopped, is_stopped = (one.stops and not (is_kept and one.lets_stay) for one in standings)
    if was_stopped == is_stopped:
        return None
    # Without a logged objection it is unknown whether the rule objects, so only the end of an
    # exemption is reported.
    if record.get("verdict") not in _OBJECTIONS:
        return JUDGED if is_stopped and standings[0].is_exempt else None
    return STOPPED if is_stopped else ALLOWED


def _may_stay(record: Mapping[str, Any], old: _RuleStanding, in_baseline: _InBaseline) -> bool:
    """Tell whether the baseline has findings of the rule in the spec of a logged form.

    The baseline is the list of findings that a census recorded and the rule tolerates. False for a
    form that was refused while the baseline was in effect: its findings had become worse.
    """
    form_type, name = _text(record, "type"), _text(record, "name")
    if record.get("event") != "form-save" or not form_type or not name:
        return False
    was_worse = record.get("verdict") == "refuse" and old.lets_stay
    return not was_worse and record["rule"] in in_baseline(form_type, name)


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
