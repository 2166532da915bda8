"""Names of p4 commands, to distinguish misspelt names from commands of a future release.

Source: `p4 help commands`, `p4 help undoc`, `p4 help graph` and `p4 help admin` of P4 2023.1 to
2025.1, as the P4 CLI Reference prints them. The list need not be complete: a name that resembles
none of these gives a warning, not an error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.core.near_names import nearest_spelling
from p4warden.policy.problems import Path, Problem, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_SHAPE = r"[a-z][a-z0-9-]*"
_WORDS_FOR_ALL = {"all", "any", "every", "everything"}
COMMANDS = frozenset(
    (
        "add admin aliases annotate archive attribute bgtask branch branches cachepurge change "
        "changelist changelists changes check-permission clean client clients clone configure "
        "copy counter counters cstat dbschema dbstat dbverify delete depot depots describe diff "
        "diff2 dirs duplicate edit export extension failback failover fetch filelog files fix "
        "fixes flush fstat graph grant-permission grep group groups have heartbeat help info "
        "init integ integrate integrated interchanges istat job jobs jobspec journalcopy "
        "journaldbchecksums journals key keys label labels labelsync ldap ldaps ldapsync license "
        "list lock lockstat logappend logger login login2 logout logparse logrotate logschema "
        "logstat logtail merge monitor move obliterate opened passwd password ping populate print "
        "property protect protects proxy prune pubkey pubkeys pull purge push rebase rec "
        "reconcile reload remote remotes rename renameclient renameuser renameworkspace replicate "
        "reopen repo repos reshelve resolve resolved restore resubmit retype revert review "
        "reviews revoke-permission server serverid servers set shelve show-permission "
        "show-permissions sizes spec status storage stream streamlog streams streamspec submit "
        "switch sync tag ticket tickets topology transmit triggers trust typemap undo unload "
        "unlock unshelve unsubmit unzip update upgrades user users verify where workspace "
        "workspaces zip"
    ).split()
)


def problems(path: Path, rule: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield an error for each misspelt p4 command in a policy rule, or word such as `all`."""
    for index, name in _unknown(rule):
        nearest = _probable_command(name)
        if name in _WORDS_FOR_ALL:
            problem = f"{name} is not a command (write each command's name)"
            yield Problem((*path, "commands", index), problem)
        elif nearest:
            problem = (
                f"p4d has no command {name}, so the rule would have no effect (write {nearest})"
            )
            yield Problem((*path, "commands", index), problem)


def doubts(path: Path, rule: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a warning for each unknown p4 command in a policy rule that resembles no known one."""
    for index, name in _unknown(rule):
        if name not in _WORDS_FOR_ALL and _probable_command(name) is None:
            doubt = (
                f"no release of p4d known to p4warden has a command {name}; without it, the rule "
                "has no effect (p4 help commands lists the commands of your server)"
            )
            yield Problem((*path, "commands", index), doubt)


def _probable_command(name: str) -> str | None:
    """Return the p4 command that a misspelt name probably means, None if none is similar.

    A prefix from trigger lines, such as `pre-user-`, is ignored.
    """
    path = "post-" if name.startswith("post-") else "pre-"
    return nearest_spelling(name.removeprefix(path).removeprefix("user-"), COMMANDS)


def _unknown(rule: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for index, name in enumerate(listed(rule.get("commands"))):
        if isinstance(name, str) and re.fullmatch(_SHAPE, name) and name not in COMMANDS:
            yield index, name
