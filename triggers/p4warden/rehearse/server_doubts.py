from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking.gate_program import GateError, GateGoneError
from p4warden.asking.standing import standing
from p4warden.core import facts as known_facts
from p4warden.core.near_names import nearest_spelling
from p4warden.core.patterns import any_matches, fold
from p4warden.core.plural import amount
from p4warden.policy.judged import judging_by
from p4warden.policy.problems import Problem
from p4warden.policy.selector_meaning import selectors_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy
    from p4warden.policy.problems import Path

_FEW_USERS = 10
"""Maximum number of users of a server on which wide exemptions give no warning, because most users
of a small server may be administrators."""


class _Kind(NamedTuple):
    word: str
    names: tuple[str, ...]
    case_sensitive: bool


def doubts(policy: Policy, facts: Facts, names: ServerNames | None, day: str) -> Iterator[Problem]:
    """Yield warnings about a policy's unknown names, and about exemptions of most users.

    Args:
        policy: the policy.
        facts: the server's depots and case handling; without any depots, depot names are not
            checked.
        names: the server's users and groups; if None, neither names of users and groups nor
            exemptions are checked.
        day: the server's local date, `YYYY-MM-DD`.
    """
    if names:
        yield from _people(policy, facts, names)
        yield from _broad_exemptions(policy, facts, names, day)
    if facts.depots:
        depots = _Kind("depot", tuple(facts.depots), facts.case_sensitive)
        for index, rule in enumerate(policy.rules):
            depot_names = rule.settings.get("depots", {})
            for name in depot_names:
                for doubt in _unknown(("rules", index, "depots", name), name, depots):
                    yield doubt._replace(key=True)


def _people(policy: Policy, facts: Facts, names: ServerNames) -> Iterator[Problem]:
    kinds = {
        "users": _Kind("user", names.users, facts.case_sensitive),
        "groups": _Kind("group", tuple(names.groups), facts.case_sensitive),
    }
    for path, field, patterns in name_lists(policy):
        for index, pattern in enumerate(patterns):
            yield from _unknown((*path, field, index), pattern, kinds[field])


def name_lists(policy: Policy) -> Iterator[tuple[Path, str, Iterable[str]]]:
    """Yield each list of user or group patterns in a policy: path of the entry, key, patterns."""
    document = {
        "classes": policy.classes,
        "exemptions": [exemption.selector for exemption in policy.exemptions],
        "rules": [{"for": one.selector, "canary": [*(one.canary or ())]} for one in policy.rules],
    }
    for path, selector in selectors_in(document):
        for field in ("users", "groups"):
            if field in selector:
                yield path, field, selector[field]
    for number, rule in enumerate(policy.rules):
        for key in ("views", "demands", "wishes"):
            for index, entry in enumerate(rule.settings.get(key, ())):
                yield ("rules", number, key, index), "groups", entry.get("groups") or ()


def _unknown(path: Path, pattern: str, kind: _Kind) -> Iterator[Problem]:
    if any_matches((pattern,), kind.names, case_sensitive=kind.case_sensitive):
        return
    if {"*", "?"} & {*pattern}:
        yield Problem(path, f"no {kind.word} matched {pattern} at the last p4warden refresh")
        return
    folded_pattern = fold(pattern, case_sensitive=False)
    nearest_name = next(
        (name for name in kind.names if fold(name, case_sensitive=False) == folded_pattern), None
    )
    nearest_name = nearest_name or nearest_spelling(pattern, kind.names)
    remedy = f" (did you mean {nearest_name}?)" if nearest_name else ""
    problem = f"the server had no {kind.word} {pattern} at the last p4warden refresh{remedy}"
    yield Problem(path, problem)


def _broad_exemptions(
    policy: Policy, facts: Facts, names: ServerNames, day: str
) -> Iterator[Problem]:
    if not policy.exemptions or len(names.users) <= _FEW_USERS:
        return
    for index, number in enumerate(_exempted(policy, facts, names, day)):
        if number * 2 > len(names.users):
            users = amount(len(names.users), "user")
            yield Problem(("exemptions", index), f"exempts {number} of the server's {users}")


def _exempted(policy: Policy, facts: Facts, names: ServerNames, day: str) -> list[int]:
    groups = names.groups_of()
    people = [{"user": user, "groups": groups.get(user, ())} for user in names.users]
    try:
        # No rule's own standing is needed.
        with judging_by(policy._replace(rules=()), known_facts.to_document(facts)) as judge:
            return [*standing(judge, people, day).exempted]
    except GateGoneError:
        raise
    except GateError:
        return []  # the search for witnesses gives the reason
