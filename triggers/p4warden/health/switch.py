from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import printable
from p4warden.health import BAD, GOOD, WARNING, Check
from p4warden.history import local_time, trail
from p4warden.home import off_mark, trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation
    from p4warden.home.off_mark import OffMark


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about the file `off`, which switches triggers off; nothing without it."""
    mark = off_mark.read(place.home)
    if mark is None:
        return
    if not mark.is_empty:
        line = "uninstalled: triggers that older connections still run allow everything"
        remedy = (
            f"remove {place.home} when doctor lists no account with old trigger lines; or run "
            "p4warden deploy plan and apply to install p4warden again"
        )
        yield Check("switch", WARNING, line, remedy)
    elif mark.holds(place.now_ns):
        message = (
            f"switched off{_end(mark)}: every trigger allows everything{_last_change(place.home)}"
        )
        yield Check("switch", BAD, message, f"p4warden on --home {place.home}")
    else:
        end_text = local_time.time_text(mark.end_ns / 10**9)
        yield Check("switch", GOOD, f"on: the timed switch-off ended at {end_text}")


def _end(mark: OffMark) -> str:
    return f" until {local_time.time_text(mark.end_ns / 10**9)}" if mark.has_end else ""


def _last_change(home: str) -> str:
    try:
        changes = trail.changes(home)
    except trusted_files.HomeError:
        return ""
    last = next((change for change in reversed(changes) if change.action in ("off", "on")), None)
    if last is None or last.action == "on":
        return ""
    start_text = local_time.time_text(last.time_s)
    reason = f" ({printable(last.message)})" if last.message else ""
    return f", since {start_text}, by {printable(last.person.names())}{reason}"
