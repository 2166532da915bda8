from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.patterns import fold
from p4warden.core.plural import amount, listed
from p4warden.workbench.tune import configurables, group_limits, properties, smaller_protections
from p4warden.workbench.tune.finding import Finding, Unjudged
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.values import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.tune.server_state import ServerState
    from p4warden.workbench.tune.site import Site
    from p4warden.workbench.tune.smaller_protections import SmallerTable

_BYTES_PER_FILE = 1536
_BYTES_PER_USER = 64 * 2**20
"""P4 Server Administrator Guide, install.memory."""


class Tuning(NamedTuple):
    findings: Sequence[Finding]
    unjudged: Sequence[Unjudged]
    host: Sequence[tuple[str, str]]  # advice, its sources
    protections: SmallerTable
    unseen: str  # what the source of these findings cannot show


def tuning(state: ServerState, site: Site, *, case_sensitive: bool) -> Tuning:
    """Judge the state of a server; `site` adds its numbers to the findings."""
    judged = [
        *configurables.judge(state, site),
        *group_limits.judge(state, site, functools.partial(fold, case_sensitive=case_sensitive)),
        *properties.judge(state, site),
    ]
    return Tuning(
        [one for one in judged if isinstance(one, Finding)],
        [one for one in judged if isinstance(one, Unjudged)],
        [
            (f"{one.recommends}{_memory(one.recommends, state, site)}", listed(one.sources))
            for one in known().host
        ],
        smaller_protections.smaller(
            state.protections, state.groups, case_sensitive=case_sensitive
        ),
        _unseen(state),
    )


def _memory(text: str, state: ServerState, site: Site) -> str:
    if "licensed user" not in text or site.files is None:
        return ""
    here = f": {size_text(site.files * _BYTES_PER_FILE)} for {amount(site.files, 'file')}"
    if state.users is not None:
        users = len(state.users) - len(state.programs)
        here += f", {size_text(users * _BYTES_PER_USER)} for {amount(users, 'user')}"
    return here


def _unseen(state: ServerState) -> str:
    if state.is_live:
        return "Values of other servers' environments and command lines are not visible from here."
    return (
        "A checkpoint lacks values from p4d's environment, the Windows registry and its command "
        "line (p4d -v): where a value is not set here, p4 configure show NAME on the server says "
        "which one is in effect."
    )
