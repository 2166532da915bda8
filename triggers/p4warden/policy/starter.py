"""Draft the policy that `p4warden init` writes: commented YAML that refuses nothing.

Names come from a server, where users may choose some of them. In YAML they stand in double quotes,
in explanatory comments as printable ASCII. No exemption is suggested for a group whose name is
unprintable or has a wildcard.
"""

from __future__ import annotations

import textwrap
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import yaml

from p4warden.core.path_lengths import rounded_up, usual_most
from p4warden.core.plural import amount, some
from p4warden.core.printable import cut
from p4warden.policy.starter_arguments import most_read
from p4warden.programs.known_programs import DRAFT, exemption_entries, known_programs

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from p4warden.core.records import Facts
    from p4warden.policy.rule_gain import RuleGain

MAX_SUGGESTED = 5
LEAST_CLIENTS = 20
"""Of a busy account: a person who works on one host has a few."""
MAX_DEPOTS = 8
MAX_DIRECTORIES = 8
MAX_CONTACT_CHARACTERS = 200
_NOT_ABOUT_DEPOTS = ["wide-views", "proposed-views", "polling"]
_TEMPLATE = "starter.yaml.in"
_UNREAL_BYTES = 240
_LEAST_BYTES = 100
OWN_GROUP = "p4warden"
"""As the guide calls the group of p4warden's account."""
OWN_REASON = "p4warden asks the server while a submit waits"
NO_CONTACT = "your Perforce administrators"


class Survey(NamedTuple):
    """The data of a Perforce server from which a starter policy is drafted.

    Attributes:
        address: the server's address (P4PORT) used for the connection.
        user: the user who runs `p4warden init`; `full_name` and `email` come from that user's
            form, and `own_group` is the smallest group with that user, empty without one.
        groups: the number of users by group.
        group_owners: who may change a group's members, by group.
        owners: the number of clients by owner.
    """

    address: str
    user: str
    full_name: str
    email: str
    facts: Facts
    own_group: str = ""
    services: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    groups: Mapping[str, int] = {}
    group_owners: Mapping[str, Sequence[str]] = {}
    clients: int = 0
    owners: Mapping[str, int] = {}


def starter_policy(
    survey: Survey,
    today: datetime.date,
    files: Sequence[int] | None = None,
    path_lengths: Sequence[tuple[int, int]] = (),
    gain: RuleGain | None = None,
) -> str:
    """Return a starter policy's text, which passes `p4warden check` without errors and warnings.

    `files` are the numbers of files that the clients' views span, None without an index;
    `path_lengths` are as in `core.path_lengths`, and `gain` is that of a rule with `min_depth: 1`.
    """
    leading_max, leading_why = _longest_path(path_lengths)
    scope = chosen_scope(gain)
    read_files, reading_reason = most_read(files)
    depots, directories = len(survey.facts.depots), _most_directories(survey)
    template = (resources.files("p4warden.policy") / _TEMPLATE).read_text("utf-8")
    return template.format(
        address=cut(survey.address),
        today=today.isoformat(),
        depots=amount(depots, "depot"),
        clients=amount(survey.clients, "client"),
        groups=amount(len(survey.groups), "group"),
        contact=quoted(_contact(survey)),
        user=cut(survey.user),
        case="with" if survey.facts.case_sensitive else "without",
        classes="".join(_classes(survey)),
        exemptions="".join(_exemptions(survey)),
        tops="".join(_tops(survey.facts)),
        directories=directories,
        **_headroom("depots", depots),
        **_headroom("directories", directories),
        leading_max=leading_max,
        leading_why=leading_why,
        read_files=read_files,
        reading_reason=reading_reason,
        min_depth=scope.min_depth,
        scope_reason=_scope_reason(gain),
        max_files="" if scope.max_files is None else f"\n    max_files: {scope.max_files}",
    )


class Scope(NamedTuple):
    min_depth: int
    max_files: int | None = None


def chosen_scope(gain: RuleGain | None) -> Scope:
    """Return the settings of wide-views: depth 1 unless the index shows that it saves nothing."""
    better = gain.better if gain else None
    if better is None:
        return Scope(1)
    return Scope(better.value) if better.setting == "min_depth" else Scope(1, better.value)


def _scope_reason(gain: RuleGain | None) -> str:
    if gain is None or gain.better is None:
        return ""
    setting = f"{gain.better.setting} {gain.better.value}"
    words = f"{setting}: by the index, min_depth 1 {gain.words}; {gain.remedy}."
    lines = textwrap.wrap(words, 96, initial_indent="  # ", subsequent_indent="  # ")
    return "".join(f"{line}\n" for line in lines)


def _longest_path(path_lengths: Sequence[tuple[int, int]]) -> tuple[int, str]:
    """Return the limit on the bytes of a path, and its reason.

    A limit below the paths that a site has would refuse its ordinary work: files of Unreal
    projects have paths of 130 to 210 bytes, and Unreal finds them by their paths.
    """
    usual = usual_most(path_lengths)
    if usual is None:
        return _UNREAL_BYTES, "our choice: Unreal's paths have 130 to 210 bytes"
    return max(_LEAST_BYTES, rounded_up(usual)), f"99% of this server's paths keep {usual} bytes"


def _headroom(name: str, number: int) -> dict[str, int]:
    more = max(10, number // 4)
    most, warning = number + more, number + more // 2
    return {f"{name}_more": more, f"{name}_max": most, f"{name}_warn": warning}


def _most_directories(survey: Survey) -> int:
    return max((depot.directory_count for depot in survey.facts.depots.values()), default=0)


def _contact(survey: Survey) -> str:
    name, email = survey.full_name.strip(), survey.email.strip()
    for contact in (f"{name} <{email}>" if name else email, email):
        is_short = len(contact) <= MAX_CONTACT_CHARACTERS
        if email and is_short and contact.isascii() and contact.isprintable():
            return contact
    return NO_CONTACT


def _classes(survey: Survey) -> Iterator[str]:
    """Yield lines of a starter policy: the class of accounts that seem to be programs, if any."""
    clients = {user: n for user, n in survey.owners.items() if n >= LEAST_CLIENTS}
    busy = [user for user in _ranked(clients) if user != survey.user]
    names = _usable(dict.fromkeys((*survey.services, *busy[:MAX_SUGGESTED])))
    if names:
        yield "# Service users and owners of many clients; report and replay count them apart.\n"
        yield "# Remove those that are people. In a rule name a group of them, because anyone\n"
        yield "# can forge a user name.\n"
        yield "classes:\n  builds:\n    users:\n"
        yield from (f"      - {quoted(name)}\n" for name in names)
        yield "\n"


def _exemptions(survey: Survey) -> Iterator[str]:
    """Yield lines of a starter policy: the exemption of its own account, others as comments.

    They name groups, because a user can forge a user name. So the own account is exempt only if it
    is in a group.
    """
    owner = (_usable([survey.user]) or ["OWNER"])[0]
    yield from _own_exemption(survey, owner)
    yield "  # The entries name groups: administrators and a group's owners choose its members,\n"
    yield "  # but anyone can forge a user name.\n"
    yield "  # Without the rules about depots, because only super users can save depots:\n"
    entry = _entry(["perforce-admins"], _NOT_ABOUT_DEPOTS, "administration", owner)
    yield f"  #- {entry}\n"
    for words, group, reason, names in (
        ("service users", "service-users", "shared services", survey.services),
        ("operators", "operators", "server maintenance", survey.operators),
    ):
        if names:
            names_text = ", ".join(map(cut, names[:MAX_SUGGESTED]))
            yield f"  # This server's {words}; put them into a group first: {names_text}\n"
            yield f"  #- {_entry([group], ['polling'], reason, 'OWNER')}\n"
    yield from _largest_groups(survey)
    yield from _known_programs()


def _own_exemption(survey: Survey, owner: str) -> Iterator[str]:
    own_group = _usable([survey.own_group])
    own = _entry(own_group or [OWN_GROUP], ["polling"], OWN_REASON, owner)
    yield "exemptions:\n" if own_group else "exemptions: []\n"
    yield "  # p4warden itself asks files, opened, dirs and depots as the account of refresh.\n"
    if not own_group:
        yield "  # Put it into this group before you enforce polling.\n"
        yield f"  #- {own}\n"
        yield "  # To activate an entry, remove the # in front of it, with the first also the\n"
        yield "  # [] above, and set its owner.\n"
        return
    if owners := _owners(survey, own_group[0]):
        yield f"  # {owners}\n"
    yield f"  - {own}\n"
    yield "  # To activate another entry, remove the # in front of it, and set its owner.\n"


def _owners(survey: Survey, group: str) -> str:
    names = survey.group_owners.get(group)
    return f"owned by {some(names, MAX_SUGGESTED, cut)}, who may change the users" if names else ""


def _largest_groups(survey: Survey) -> Iterator[str]:
    usable_groups = _usable(_ranked(survey.groups))[:MAX_SUGGESTED]
    if usable_groups:
        yield "  # This server's largest groups; groups that build may need whole depots:\n"
    for group in usable_groups:
        entry = _entry([group], ["wide-views"], "builds whole releases", "OWNER")
        known = [f"users: {survey.groups[group]}", _owners(survey, group)]
        yield f"  # {'; '.join(filter(None, known))}\n  #- {entry}\n"


def _known_programs() -> Iterator[str]:
    yield "  # Programs that the rules would stop once they are enforced (docs/programs.md); put\n"
    yield "  # their accounts into the group first:\n"
    for program in known_programs():
        for entry in exemption_entries(program, program.answers.get(DRAFT, {})):
            yield f"  # {program.name}\n  #- {entry}\n"


def _entry(groups: list[str], rules: list[str], reason: str, owner: str) -> str:
    names_text = ", ".join(map(quoted, groups))
    return (
        f"{{groups: [{names_text}], rules: [{', '.join(rules)}], "
        f"reason: {quoted(reason)}, owner: {quoted(owner)}}}"
    )


def _ranked(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _usable(names: Iterable[str]) -> list[str]:
    return [n for n in names if n.isprintable() and n.strip() and not {"*", "?"} & {*n}]


def _tops(facts: Facts) -> Iterator[str]:
    counts = {name: depot.directory_count for name, depot in facts.depots.items()}
    for name in _ranked(counts)[:MAX_DEPOTS]:
        depot, count = facts.depots[name], counts[name]
        directories = [cut(directory) for directory in (depot.directories or ())[:MAX_DIRECTORIES]]
        more = ", ..." if count > len(directories) else ""
        names_text = f": {', '.join(directories)}{more}" if directories else ""
        tops = amount(count, "top directory", "top directories")
        yield f"  # //{cut(name)} ({cut(depot.type)}): {tops}{names_text}\n"


def quoted(text: str) -> str:
    """Return a text in double quotes, as YAML on one line."""
    yaml_text: str = yaml.safe_dump(text, default_style='"', width=float("inf"))
    return yaml_text.rstrip("\n")
