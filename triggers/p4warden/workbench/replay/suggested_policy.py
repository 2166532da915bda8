from __future__ import annotations

import re
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, Any

import yaml

from p4warden.core.plural import amount, some
from p4warden.core.printable import cut
from p4warden.policy.selector_meaning import forged_words
from p4warden.workbench.replay.suggested_limits import OTHERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.policy.selectors import Selector
    from p4warden.workbench.replay.suggested_limits import Margins, SuggestedLimit

_MOST_NAMES = 10


def write(
    limits: Sequence[SuggestedLimit],
    margins: Margins,
    days: str,
    classes: Mapping[str, Selector],
) -> str:
    """Return suggested limits as a policy in YAML that `p4warden check` accepts.

    A rule's limit is for all users, or for one class. So each group or class with a higher limit
    than the users without either has a rule of its own for a command, and is exempt from the
    command's lower limits.

    Args:
        limits: at least one; those of the same command are adjacent.
        margins: those of the limits.
        days: the time range of the logs.
        classes: those of the policy by which requests were grouped.
    """
    commands = [[*_raised([*of])] for _, of in groupby(limits, _subject)]
    names = _names([limit for of_command in commands for limit in of_command])
    rules: list[dict[str, Any]] = []
    passing: dict[tuple[str, str], list[str]] = {}
    for of_command in commands:
        ordered = sorted(of_command, key=lambda limit: (limit.per_minute, limit.burst))
        rules += [_rule(names[limit], limit) for limit in ordered]
        for limit in ordered:
            lower = [names[other] for other in ordered if _is_lower_for(other, limit)]
            if lower and limit.group != OTHERS:
                passing.setdefault((_field(limit), limit.group), []).extend(lower)
    used = {limit.group for limit in names if limit.is_of_class}
    classes = {name: selector for name, selector in classes.items() if name in used}
    document = {
        "version": 1,
        "contact": "Perforce admins <p4-admins@example.com>",
        "on_error": "allow",
        "classes": classes,
        "exemptions": [_exemption(*who, of) for who, of in passing.items()],
        "rules": rules,
    }
    document = {name: value for name, value in document.items() if value}
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=99)
    return _head(margins, days, classes) + _with_reasons(text, names)


def _subject(limit: SuggestedLimit) -> tuple[str, bool, bool]:
    """Return a key that tells the kinds of limits of a command, or of one so named, apart."""
    return limit.command, limit.budget is not None, limit.at_once is not None


def _raised(limits: Sequence[SuggestedLimit]) -> Iterator[SuggestedLimit]:
    """Yield one command's suggested limits, at least as high as that of `OTHERS`.

    These users cannot be exempt from a group's rule. A limit that is no higher than theirs is left
    out.
    """
    others = next((limit for limit in limits if limit.group == OTHERS), None)
    for limit in limits:
        if others is None:
            yield limit
        elif limit is others:
            yield _of_more_users(
                others, [one for one in limits if one is not others and not _is_lower(others, one)]
            )
        elif _is_lower(others, limit):
            rate = max(limit.per_minute, others.per_minute)
            yield limit._replace(per_minute=rate, burst=max(limit.burst, others.burst))


def _of_more_users(limit: SuggestedLimit, left_out: Sequence[SuggestedLimit]) -> SuggestedLimit:
    """Return a limit whose budget, if it has one, is also that of the users of other limits."""
    if limit.budget is None:
        return limit
    more = chain.from_iterable(one.budget.members for one in left_out if one.budget)
    return limit._replace(budget=limit.budget._replace(members=(*limit.budget.members, *more)))


def _is_lower(one: SuggestedLimit, other: SuggestedLimit) -> bool:
    return one.per_minute < other.per_minute or one.burst < other.burst


def _is_lower_for(rule: SuggestedLimit, limit: SuggestedLimit) -> bool:
    """Tell whether a lower rule also judges those of `limit`: that of a class has a `for`."""
    return _is_lower(rule, limit) and (limit.is_of_class or not rule.is_of_class)


def _field(limit: SuggestedLimit) -> str:
    return "classes" if limit.is_of_class else "groups"


def _head(margins: Margins, days: str, classes: Mapping[str, Selector]) -> str:
    forged = {name: forged_words(selector) for name, selector in classes.items()}
    return (
        f"# Suggested by p4warden replay from {days}:\n"
        f"# each limit would have allowed {margins.percentile:g}% of the users at "
        f"{margins.headroom:g} times their use. It observes;\n"
        "# replay the log with it, then watch it for some weeks before it enforces.\n"
    ) + "".join(f"# class {name}: {words}\n" for name, words in forged.items() if words)


def _names(limits: Sequence[SuggestedLimit]) -> dict[SuggestedLimit, str]:
    names: dict[SuggestedLimit, str] = {}
    used_names: set[str] = set()
    numberings: dict[str, Iterator[str]] = {}
    for limit in limits:
        group = re.sub(r"[^a-z0-9]+", "-", limit.group.lower()).strip("-")[:16] or "group"
        name = limit.command
        if not limit.budget:
            name += "-at-once" if limit.at_once else "-rate"
        name += f"-{group}" if limit.group != OTHERS else ""
        numbered = numberings.setdefault(name, _numbered(name))
        names[limit] = next(one for one in numbered if one not in used_names)
        used_names.add(names[limit])
    return names


def _numbered(name: str) -> Iterator[str]:
    return chain([name], (f"{name}-{number}" for number in count(2)))


def _rule(name: str, limit: SuggestedLimit) -> dict[str, Any]:
    budget = limit.budget
    weight = {"weight": "files", "unknown_as": budget.unknown_as} if budget else {}
    most = {"allow": limit.allow, "burst": limit.burst}
    return {
        "name": name,
        "rule": "limit_concurrent_commands" if limit.at_once else "limit_command_rate",
        "mode": "observe",
        **({"for": {"classes": [limit.group]}} if limit.is_of_class else {}),
        "commands": [*budget.commands] if budget else [limit.command],
        **weight,
        "limits": [{"per": ["user"], **({"at_most": limit.burst} if limit.at_once else most)}],
    }


def _exemption(field: str, name: str, rules: list[str]) -> dict[str, Any]:
    return {
        field: [name],
        "rules": rules,
        "reason": "sends more requests than other users; has a limit of its own",
        "owner": "name the person responsible",
    }


def _with_reasons(text: str, names: Mapping[SuggestedLimit, str]) -> str:
    for limit, name in names.items():
        line = f"- name: {name}\n"
        text = text.replace(line, line + _reason(limit), 1)
    return text


def _reason(limit: SuggestedLimit) -> str:
    requests = f"  # {amount(limit.requests, 'request')} of {amount(limit.users, 'user')}; "
    if limit.at_once is not None:
        most, without_end = limit.at_once
        left_out = f", {without_end:,} without an end in the log left out" if without_end else ""
        return f"{requests}{limit.above:,} of them ran more than {most} at once{left_out}\n"
    if limit.budget is None:
        return f"{requests}{limit.above:,} of them needed larger bursts than the others\n"
    _, unknown_as, total, unknown, *_ = limit.budget
    return (
        f"{requests}of {amount(total, 'request')} of all users {unknown:,} "
        f"({unknown / total:.1%}) without estimate\n"
        f"  # count as {amount(unknown_as, 'file')} each; of the users in the logs it stops "
        f"{_may_stop(limit.may_stop)}\n"
    )


def _may_stop(users: Sequence[str]) -> str:
    return f"at most {some(users, _MOST_NAMES, cut)}" if users else "nobody"
