from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from p4warden.health import GOOD, WARNING, Check
from p4warden.home import trusted_files
from p4warden.policy import compiled, hours

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.health import CheckedInstallation

_YEAR_S = 366 * 86_400
_REMEDY = "p4warden activate POLICY --home {} writes the present ones"


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Check whether the time zones in the running policy change as this machine knows them."""
    try:
        document = json.loads(trusted_files.read(place.home, compiled.FILE_NAME))
    except (trusted_files.HomeError, ValueError):
        return
    zones = {zone["name"]: zone for zone in hours.zones_in(document)}
    soon_s = place.now_ns // 10**9 + _YEAR_S
    outdated = [name for name, zone in zones.items() if _is_outdated(zone, soon_s)]
    if outdated:
        line = f"the changes of the clock in the active policy are outdated: {', '.join(outdated)}"
        yield Check("time zones", WARNING, line, _REMEDY.format(place.home))
    elif zones:
        yield Check("time zones", GOOD, f"{', '.join(zones)} as in the active policy")


def _is_outdated(zone: Mapping[str, Any], soon_s: int) -> bool:
    try:
        return zone["until_s"] < soon_s or zone != hours.zone_document(
            zone["name"], hours.year_of(zone)
        )
    except hours.UnknownZoneError:
        return True
