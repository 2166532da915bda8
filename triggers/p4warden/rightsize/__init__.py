"""The narrowest view that keeps a client's files where they are.

`p4warden-index rightsize` derives it from a checkpoint; the policy judges it, and the vendor's map
confirms that every file keeps its place. Imports `census` and the rooms below it.
"""

from __future__ import annotations

from typing import NamedTuple


class ViewRow(NamedTuple):
    """A line of a client view: flag, depot path and client path.

    Attributes:
        mark: nothing, `-`, `+` or `&`, the flag before the depot path.
        depot: the path in depot syntax.
        client: the path in client syntax.
    """

    mark: str
    depot: str
    client: str

    def text(self) -> str:
        """Return the line in the notation of a form."""
        words = f"{self.mark}{self.depot}", self.client
        return " ".join(f'"{word}"' if " " in word or "#" in word else word for word in words)


class Proposal(NamedTuple):
    """A view that keeps all needed files in place.

    Attributes:
        files: the number of files in the ranges of its lines.
        directories: the directories that its lines map, ending in a slash, in byte order.
        view: its lines, with the present overlays and exclusions that affect them.
    """

    files: int
    directories: tuple[str, ...]
    view: tuple[ViewRow, ...]


class Answer(NamedTuple):
    """The result of searching a sufficient view for one client.

    Attributes:
        client: the client's name.
        needed: the number of needed files at their mapped places: files that the client has or has
            open, or only those used recently.
        unused: the number of its other files at mapped places.
        leaving: the depot paths of unneeded files that the proposal does not map to their places.
        elsewhere: the number of its files at places that the view does not map.
        files: the number of files that its view spans; None if unknown.
        least_files: the smallest number of files spanned by any view that keeps the needed files;
            None if there is no such view.
        unheld: if there is no such view, a directory with needed files that no line may map.
        has_own_have: whether the checkpoint may lack its have list: a readonly or partitioned
            client, or one bound to a server.
        view: the present lines.
        proposal: the sufficient view; None if there is none, or none is needed.
        reason: the reason for having no proposal; empty with a proposal.
    """

    client: str
    needed: int
    unused: int
    elsewhere: int
    files: int | None
    least_files: int | None
    unheld: str | None
    has_own_have: bool
    view: tuple[ViewRow, ...]
    proposal: Proposal | None
    reason: str = ""
    leaving: tuple[str, ...] = ()
