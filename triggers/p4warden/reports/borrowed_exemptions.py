"""Users of an exemption by client, who do not own the client by the checkpoint index.

Any user can name any client with `p4 -c`, so an exemption by client without users or groups is
for everybody who knows the client's name. Only forms and submits have an exemption in the log.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.patterns import fold, matches
from p4warden.core.printable import cut, short
from p4warden.home import active_policy, trusted_files
from p4warden.index import contents
from p4warden.reports.rows import Table, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from p4warden.policy.compiled import Exemption, Policy
    from p4warden.reports.figures import ExemptUse

_NO_OWNERS = (
    "who uses exemptions by client without owning the client is unknown: {} (p4warden index "
    "--checkpoint CHECKPOINT --home {})"
)


class Borrowed(NamedTuple):
    client: str
    owner: str
    user: str
    exemption: str


def borrowed_exemptions(
    policy: Policy | None, home: str, uses: Iterable[ExemptUse]
) -> tuple[list[str], Table]:
    """Return notes on what is unknown, and the table of users of exemptions by others' clients.

    A client that is not in the index is left out.
    """
    exemptions = _by_client_alone(policy)
    used = [use for use in uses if use.exemption in exemptions]
    if not used:
        return [], _table({})
    try:
        folded = functools.partial(fold, case_sensitive=_case_sensitive(home))
        owners = _owners(home, folded)
    except P4WardenError as error:
        return [_NO_OWNERS.format(error, home)], _table({})
    return [], _table(_borrowed(used, exemptions, owners, folded))


def _by_client_alone(policy: Policy | None) -> dict[str, Exemption]:
    exemptions = policy.exemptions if policy else ()
    return {
        exemption.used_as: exemption
        for exemption in exemptions
        if "clients" in exemption.selector and not {"users", "groups"} & {*exemption.selector}
    }


def _case_sensitive(home: str) -> bool:
    try:
        return active_policy.known_facts(home).case_sensitive
    except active_policy.NoFactsError:
        return contents.case(_index(home)) != "folded"


def _index(home: str) -> str:
    path = trusted_files.index_path(home)
    if path is None:
        raise P4WardenError("the home has no index")
    return path


def _owners(home: str, folded: Callable[[str], str]) -> dict[str, str]:
    return {folded(short(name)): owner for name, owner in contents.owners(_index(home))}


def _borrowed(
    uses: Iterable[ExemptUse],
    exemptions: Mapping[str, Exemption],
    owners: Mapping[str, str],
    folded: Callable[[str], str],
) -> Counter[Borrowed]:
    borrowed: Counter[Borrowed] = Counter()
    for use in uses:
        patterns = exemptions[use.exemption].selector["clients"]
        for client in dict.fromkeys(filter(None, (use.client, use.form_client))):
            owner = owners.get(folded(client))
            is_named = any(matches(folded(pattern), folded(client)) for pattern in patterns)
            if is_named and owner is not None and folded(short(owner)) != folded(use.user):
                borrowed[Borrowed(client, owner, use.user, use.exemption)] += use.times
    return borrowed


def _table(borrowed: Mapping[Borrowed, int]) -> Table:
    return Table(
        "borrowed",
        "Exemptions by client, used by others",
        "Forms and submits that an exemption by client allowed to users who do not own the "
        "client by the index. Exempt commands have no line in the log, and clients that are not "
        "in the index are left out.",
        ("Client", "Owner", "User", "Exemption", "Times"),
        [
            (*map(cut, (client, owner or "nobody", user, exemption)), number(count))
            for (client, owner, user, exemption), count in sorted(
                borrowed.items(), key=lambda row: (-row[1], row[0])
            )
        ],
        frozenset({4}),
    )
