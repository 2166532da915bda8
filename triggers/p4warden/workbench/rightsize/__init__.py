"""Narrower client views that keep a client's needed files at their client paths.

`p4warden-index build --files` derives the view from a checkpoint, or from a server's replies
written in its format. The policy judges it, and P4Python's `P4.Map` checks the client paths.
"""

from __future__ import annotations

from typing import NamedTuple

from p4warden.workbench.census.spec_form import spec_line


class ViewRow(NamedTuple):
    mark: str  # `-`, `+`, `&` or empty
    depot: str
    client: str  # in client syntax

    def text(self) -> str:
        """As in a client form, with quotes where needed."""
        return spec_line(f"{self.mark}{self.depot}", self.client)


class Proposal(NamedTuple):
    files: int  # in the ranges of the view lines
    directories: tuple[str, ...]  # mapped ones, ending in a slash, in byte order
    view: tuple[ViewRow, ...]  # with the present overlays and exclusions that affect it
    is_limit: bool = False  # for the client of a stream, which keeps its view

    @property
    def field(self) -> str:
        """Of the client form."""
        return "LimitView" if self.is_limit else "View"

    @property
    def lines(self) -> tuple[str, ...]:
        """Of `field`."""
        if not self.is_limit:
            return tuple(row.text() for row in self.view)
        return tuple(f"{path}..." if path.endswith("/") else path for path in self.directories)


class SearchResult(NamedTuple):
    client: str
    needed_count: int  # mapped files that it has or has open, or used recently
    unused_count: int  # its other mapped files
    moved_count: int  # needed files that the view maps to other places than the client's
    outside_count: int  # its files that the view does not map: the next sync removes them
    files: int | None  # that the present view spans; None if unknown
    least_files: int | None  # of any view that keeps the needed files; None without one
    unmappable_directory: str | None  # with needed files, if there is no such view
    has_own_have: bool  # readonly, partitioned, or bound to a server
    view: tuple[ViewRow, ...]  # the present one
    proposal: Proposal | None  # None if there is none, or none is needed
    reason: str = ""  # for having no proposal
    dropped_paths: tuple[str, ...] = ()  # unneeded ones
