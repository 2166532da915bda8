"""Name the remedy for a path that is too long, by the kind of the path."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import amount
from p4warden.core.records import MOVABLE
from p4warden.forms.leading_paths import DEPOTS_PATH, length_bytes

if TYPE_CHECKING:
    from p4warden.forms.leading_paths import LeadingPath
    from p4warden.forms.view_lines import ViewLinePath


def remedy(path: LeadingPath, limit: int, change: str) -> str:
    """Return a sentence on the remedy for a path that is too long, without its full stop.

    Args:
        path: the path that is too long.
        limit: the allowed number of bytes before the path's first wildcard.
        change: the number of the changelist that adds the path, for an event without a form.
    """
    if path.is_of_depot:
        return _of_depot(path, limit)
    root = (
        path.path.removesuffix(path.own_paths_line[1])
        if path.own_paths_line
        else f"//{path.depot}/"
    )
    if length_bytes(root) > limit:
        place = "this stream" if path.own_paths_line else "this depot"
        return f"Every path in {place} is too long; ask for a higher limit"
    if path.parsed_line is not None:
        return _of_view_line(path.parsed_line)
    if path.own_paths_line:
        return "Choose a shorter path"
    # p4 move accepts only files that are opened for add or edit (p4 help move).
    if path.action in MOVABLE:
        return f"Move it to a shorter depot path: p4 move -c {change} FILE NEWFILE"
    return "Revert it, then branch or import it to a shorter depot path"


def _of_depot(path: LeadingPath, limit: int) -> str:
    if path.place != DEPOTS_PATH:
        return "Choose a shorter path for Map"
    name_bytes = limit - length_bytes("///")
    return f"Choose a name of at most {amount(name_bytes, 'byte')}"


def _of_view_line(parsed_line: ViewLinePath) -> str:
    if parsed_line.side == "right":
        return "Choose a shorter path"
    if parsed_line.field == "Components":
        return "Choose a stream with a shorter name"
    verb = "Import" if parsed_line.field == "Paths" else "Map"
    return f"{verb} a directory above it"
