from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import facts
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.core.time_spans import age
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.history import ways_back
from p4warden.home import active_policy, server_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

OLD_S = 26 * 3600
"""Age of the facts about the server, in seconds, above which a check warns. A timer should
refresh them once an hour.
"""
_FROM_FOLDER = (
    "check p4warden-follow.timer here, and on the host of the server that the triggers table is "
    "written on p4warden-refresh.timer and p4warden-share.timer"
)
# Linux starts no program with a word of over 128 KiB; the rest is for groups made since.
_MOST_BYTES = 100 * 1024


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield results of checking facts.json, the home folder's facts about the server."""
    try:
        server_facts = active_policy.known_facts(place.home)
    except active_policy.NoFactsError as error:
        line = f"{error}; forms and commands are judged as on an unknown server"
        yield Check("facts", BAD, line, ways_back.facts(place.home))
        return
    except active_policy.UnusableFileError as error:
        yield Check("facts", BAD, str(error), ways_back.facts(place.home))
        return
    written_ns = Path(place.home, facts.FILE_NAME).stat().st_mtime_ns
    age_s = (place.now_ns - written_ns) // 10**9
    line = f"{amount(len(server_facts.depots), 'depot')}, refreshed {age(age_s)} ago"
    if age_s > OLD_S:
        refresh = ways_back.facts(place.home)
        hint = f"{refresh}; check its timer (systemctl list-timers p4warden-refresh.timer)"
        is_given = active_policy.needs_no_account(place.home)
        yield Check("facts", WARNING, line, _FROM_FOLDER if is_given else hint)
    else:
        yield Check("facts", GOOD, line)


def long_groups(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a warning about the user with the longest names of groups; nothing if they fit."""
    names = server_names.last(place.home)
    groups_of = names.groups_of() if names else {}
    sizes = {user: len(",".join(groups).encode()) for user, groups in groups_of.items()}
    user = max(sizes, key=sizes.__getitem__, default=None)
    if user is None or sizes[user] <= _MOST_BYTES:
        return
    line = (
        f"the names of the groups of {printable(user)} add up to {sizes[user] // 1024} KiB; over "
        "128 KiB p4d refuses every event that a line judges, whether p4warden is on or off"
    )
    yield Check("groups", WARNING, line, f"remove {printable(user)} from groups")
