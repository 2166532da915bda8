from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import facts
from p4warden.core.plural import amount
from p4warden.core.time_spans import age
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.home import active_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

OLD_S = 26 * 3600
"""Age of the facts about the server, in seconds, above which a check warns. A timer should
refresh them once an hour.
"""


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield results of checking facts.json, the home folder's facts about the server."""
    remedy = f"p4warden refresh --home {place.home}"
    try:
        server_facts = active_policy.known_facts(place.home)
    except active_policy.NoFactsError as error:
        line = f"{error}; forms and commands are judged as on an unknown server"
        yield Check("facts", BAD, line, remedy)
        return
    except active_policy.UnusableFileError as error:
        yield Check("facts", BAD, str(error), remedy)
        return
    written_ns = Path(place.home, facts.FILE_NAME).stat().st_mtime_ns
    age_s = (place.now_ns - written_ns) // 10**9
    line = f"{amount(len(server_facts.depots), 'depot')}, refreshed {age(age_s)} ago"
    if age_s > OLD_S:
        hint = f"{remedy}; check its timer (systemctl list-timers p4warden-refresh.timer)"
        yield Check("facts", WARNING, line, hint)
    else:
        yield Check("facts", GOOD, line)
