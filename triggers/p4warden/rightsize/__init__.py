"""The narrowest view that keeps a client's files where they are.

`p4warden-index rightsize` finds it in a checkpoint; the policy says whether it will do, and the
vendor's map whether every file keeps its place. Imports `census` and the rooms below it.
"""

from __future__ import annotations

from typing import NamedTuple


class ViewRow(NamedTuple):
    """A line of a view.

    Attributes:
        mark: nothing, `-`, `+` or `&`, which stands before the depot path.
        depot: the path in depot syntax.
        client: the path in client syntax.
    """

    mark: str
    depot: str
    client: str

    def text(self) -> str:
        """Return the line as it stands in a form."""
        words = f"{self.mark}{self.depot}", self.client
        return " ".join(f'"{word}"' if " " in word or "#" in word else word for word in words)


class Proposal(NamedTuple):
    """A view that keeps all needed files in place.

    Attributes:
        files: how many files it spans, by the range of each line.
        directories: those that its lines map, with the slash at their ends, in byte order.
        view: its lines, with the overlays and exclusions of today that change a part of them.
    """

    files: int
    directories: tuple[str, ...]
    view: tuple[ViewRow, ...]


class Answer(NamedTuple):
    """The answer about one client.

    Attributes:
        client: its name.
        needed: how many files it needs, where its view maps them: those that it has or has open,
            or only those that were used lately.
        unused: how many others it has there.
        leaving: the depot paths of those that a proposal does not map to their places.
        elsewhere: how many it has that its view does not map to the place where they are.
        files: how many files its view spans; None where nothing tells.
        least_files: the least that any view spans that keeps the needed files; None where there is
            no such view.
        unheld: where there is none, a directory with needed files that no line may hold.
        has_own_have: whether the checkpoint may lack its list of files: a readonly or partitioned
            client, or one that is bound to a server.
        view: the lines of today.
        proposal: the view that is enough; None where there is none, or none is needed.
        reason: why there is no proposal; empty where there is one.
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
