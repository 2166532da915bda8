"""Propose a narrower client view that keeps a client's needed files at their client paths.

`p4warden-index rightsize` derives the view from a checkpoint, or from a server's replies written
in its format. The policy judges the view, and P4Python's `P4.Map` checks the client paths.
"""

from __future__ import annotations

from typing import NamedTuple


class ViewRow(NamedTuple):
    """A line of a client view: flag, depot path and client path.

    Attributes:
        mark: the flag before the depot path: `-`, `+`, `&` or empty.
        depot: the path in depot syntax.
        client: the path in client syntax.
    """

    mark: str
    depot: str
    client: str

    def text(self) -> str:
        """Return the view line as it stands in a client form, with quotes where needed."""
        words = f"{self.mark}{self.depot}", self.client
        return " ".join(f'"{word}"' if " " in word or "#" in word else word for word in words)


class Proposal(NamedTuple):
    """A proposed client view that keeps all needed files of the client in place.

    Attributes:
        files: the number of depot files in the ranges of the view lines.
        directories: the depot directories that the view lines map, ending in a slash, in byte
            order.
        view: the view lines, including the present overlays and exclusions that affect them.
    """

    files: int
    directories: tuple[str, ...]
    view: tuple[ViewRow, ...]


class SearchResult(NamedTuple):
    """The result of searching a narrower view for one client.

    Attributes:
        client: the client's name.
        needed_count: the number of needed files at their mapped places: files that the client has
            or has open, or only those used recently.
        unused_count: the number of the client's other files at mapped places.
        dropped_paths: the depot paths of unneeded files that the proposal does not map to their
            places.
        elsewhere_count: the number of the client's files at places that its view does not map.
        files: the number of depot files that the present view spans; None if unknown.
        least_files: the smallest number of files spanned by any view that keeps the needed files;
            None if there is no such view.
        unmappable_directory: if there is no such view, a directory with needed files that no view
            line may map.
        has_own_have: whether the checkpoint may lack the client's have list: a readonly or
            partitioned client, or one bound to a server.
        view: the lines of the present view.
        proposal: the proposed view; None if there is none, or none is needed.
        reason: the reason for having no proposal; empty with a proposal.
    """

    client: str
    needed_count: int
    unused_count: int
    elsewhere_count: int
    files: int | None
    least_files: int | None
    unmappable_directory: str | None
    has_own_have: bool
    view: tuple[ViewRow, ...]
    proposal: Proposal | None
    reason: str = ""
    dropped_paths: tuple[str, ...] = ()
