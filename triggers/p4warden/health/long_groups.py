from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import printable
from p4warden.health import WARNING, Check
from p4warden.home import server_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

# Linux starts no program with a word of over 128 KiB; the rest is for groups made since.
_MOST_BYTES = 100 * 1024


def checks(place: CheckedInstallation) -> Iterator[Check]:
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
