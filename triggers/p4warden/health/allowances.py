from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.health import GOOD, WARNING, Check
from p4warden.history.local_time import minute_text
from p4warden.home import allowances
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Yield a result about allowances; nothing if there are none."""
    try:
        present = allowances.in_force(place.home, place.now_ns / 10**9)
    except HomeError as error:
        remedy = f"remove {place.home}/{allowances.FILE_NAME}, then allow again what is needed"
        yield Check("allowances", WARNING, f"none applies: {error}", remedy)
        return
    if present:
        last = minute_text(max(one.until_s for one in present))
        line = f"{amount(len(present), 'allowance')}, the last until {last}; p4warden allow"
        yield Check("allowances", GOOD, line)
