"""Whether a policy stops the account with which p4warden itself asks the server.

`p4warden.server.answers` asks for each submit, new depot and client with an empty View. A policy
that refuses these questions makes every submit end in its `on_error`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from p4warden.asking import tables
from p4warden.asking.gate_program import GateError
from p4warden.core import facts as known_facts
from p4warden.core.own_names import OWN_PROGRAM
from p4warden.core.patterns import fold
from p4warden.core.plural import listed
from p4warden.home import active_policy, server_account, server_names
from p4warden.policy.judged import judging_by
from p4warden.policy.problems import Problem
from p4warden.policy.starter import OWN_REASON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.asking.judge import Judge
    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames
    from p4warden.policy.compiled import Policy, PolicyRule
    from p4warden.rehearse.witness import Surroundings

QUESTIONS: Sequence[tuple[str, Sequence[str]]] = (
    ("files", ["-m", "100001", "//...@=1"]),
    ("opened", ["-a", "-m", "100001", "-c", "1"]),
    ("dirs", ["//depot/main"]),
    ("dirs", ["//depot/*"]),
    ("depots", []),
    ("clients", ["-m", "1", "-e", "ws"]),
)
"""Commands of `p4warden.server.answers`, each with arguments as it passes them."""


class Account(NamedTuple):
    user: str
    groups: tuple[str, ...]  # the smallest first


class Stopped(NamedTuple):
    """An account that a policy stops, and what to add to the policy."""

    rules: Sequence[int]
    text: str
    remedy: str

    @property
    def problem(self) -> Problem:
        return Problem(("rules", self.rules[0]), f"{self.text} ({self.remedy})")


def recorded(home: str) -> Account | None:
    """Return the account of the last `p4warden refresh`; None if it or its groups are unknown."""
    names = server_names.last(home)
    try:
        user = str(server_account.read(home)["user"])
    except server_account.AccountError:
        return None
    return named(user, names, active_policy.facts_if_any(home)) if names else None


def named(user: str, names: ServerNames, facts: Facts | None) -> Account:
    """Return an account with its groups, whose members are compared as the server does."""
    case_sensitive = facts.case_sensitive if facts else True
    own = fold(user, case_sensitive=case_sensitive)
    own_groups = [
        (len(members), group)
        for group, members in names.groups.items()
        if own in (fold(member, case_sensitive=case_sensitive) for member in members)
    ]
    return Account(user, tuple(group for _, group in sorted(own_groups)))


def stopped(policy: Policy, account: Account, around: Surroundings) -> Stopped | None:
    """Tell whether enforced rules of a policy refuse or delay what p4warden asks the server.

    Raises:
        GateError: the judge does not answer.
    """
    found = [*_found(policy, account, around)] if is_about_questions(policy) else []
    if not found:
        return None
    rules = [*dict.fromkeys(index for index, _ in found)]
    names = [policy.rules[index].name for index in rules]
    commands = listed([*dict.fromkeys(command for _, command in found)])
    text = (
        f"{listed(names)} would stop {account.user}, the account with which p4warden asks the "
        f"server for {commands} while users wait"
    )
    return Stopped(rules, text, _remedy(policy, account, names))


def doubts(policy: Policy, home: str, around: Surroundings) -> Iterator[Problem]:
    """Yield the problem that `p4warden activate` will have with a policy."""
    account = recorded(home)
    try:
        found = stopped(policy, account, around) if account else None
    except GateError:
        return  # the search for witnesses gives the reason
    if found:
        yield found.problem


def is_about_questions(policy: Policy) -> bool:
    """Tell whether an enforced rule is about a command that p4warden itself sends."""
    return any(map(_may_stop, policy.rules))


def _may_stop(rule: PolicyRule) -> bool:
    commands = {command for command, _ in QUESTIONS}
    is_about = not commands.isdisjoint(rule.settings.get("commands", ()))
    return rule.mode == "enforce" and is_about and "command" in tables.events(rule.rule)


def _found(policy: Policy, account: Account, around: Surroundings) -> Iterator[tuple[int, str]]:
    """Yield rules by number, each with a command that it stops."""
    facts = known_facts.to_document(around.facts)
    person = {**account._asdict(), "prog": OWN_PROGRAM, "server": around.facts.server_id or ""}
    with judging_by(policy, facts, index=around.checkpoint_index) as judge:
        for index, rule in enumerate(policy.rules):
            for command, args in QUESTIONS if _may_stop(rule) else ():
                sent = {"command": command, "args": args}
                if _stops(judge, rule.name, {"people": [person], "sent": sent}, around.now_s):
                    yield index, command


def _stops(judge: Judge, rule: str, what: dict[str, object], now_s: float) -> bool:
    return "event" in judge.question({"ask": "witness", "rule": rule, "time": now_s, **what})


def _remedy(policy: Policy, account: Account, rules: Sequence[str]) -> str:
    who = {"groups": [account.groups[0]]} if account.groups else {"users": [account.user]}
    exemption = {
        **who,
        "rules": [*rules],
        "reason": OWN_REASON,
        "owner": account.user,
    }
    style: dict[str, Any] = {"default_flow_style": True, "sort_keys": False, "width": float("inf")}
    entry = yaml.safe_dump(exemption, **style).strip()
    return f"add to exemptions: - {entry}" if policy.exemptions else f"write exemptions: [{entry}]"
