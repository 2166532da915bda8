from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from p4warden.core.near_names import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MAX_NAMES = 100
_SHORT = 3
"""Characters of a name that resembles too many words."""
_SYNONYMS = {
    "refuse": "block deny reject forbid stop kill",
    "enforce": "true yes on enabled enable active block deny refuse reject",
    "observe": "warn warning dryrun log logonly audit monitor test report shadow",
    "off": "false no disabled disable none inactive",
    "allow": "true yes pass accept open failopen permit",
    "deny": "false no refuse block reject closed failclosed",
    "program": "prog app application clientprog",
    "programs": "apps applications prog progs",
    "clients": "workspaces workspace",
    "client": "workspace",
    "ip": "host address clientip",
    "delay": "wait throttle slow",
    "until": "expires expiry expire end ends enddate valid validuntil deadline",
    "reason": "why comment description because",
    "rule": "type kind check",
    "name": "id title label",
    "mode": "enabled state action level enforce observe off",
    "contact": "owner email admin mail",
    "help_url": "url link wiki help",
    "advice": "hint message msg text note help remedy",
    "below": "version before minversion",
    "min_depth": "depth mindepth",
    "exemptions": "exceptions exempt whitelist allowlist except",
    "ips": "ip address addresses host hosts clientip",
    "servers": "server services serverid",
    "hours": "hour time times when schedule",
    "classes": "class",
    "not": "except unless exclude",
    "users": "user accounts account",
    "groups": "group team teams",
}
"""For some words of the policy language, the wrong words that people write in their place,
separated by blanks."""


def nearest(word: str, words: Iterable[str]) -> str:
    """Return a parenthesis for an error message about an unknown policy word.

    It names the word probably meant; otherwise all known words, or their number if there are many.
    """
    names = sorted(words)
    suggestion = suggested(word, names)
    if suggestion:
        return f"(did you mean {suggestion}?)"
    if len(names) > MAX_NAMES:
        return f"({len(names)} other values are possible)"
    return f"(one of: {', '.join(names)})"


def suggested(word: str, words: Collection[str]) -> str | None:
    """Return the known word that an unknown policy word probably means, or None."""
    by_plain = {plain(name): name for name in words}
    target = plain(word)
    if target in by_plain:
        return by_plain[target]
    # Three letters of a longer word in their order would be enough, such as for in enforce.
    alike = [name for name in by_plain if len(name) > _SHORT or len(target) <= _SHORT + 1]
    close = difflib.get_close_matches(target, alike, 1)
    if close:
        return by_plain[close[0]]
    return next((name for name in words if target in _SYNONYMS.get(name, "").split()), None)
