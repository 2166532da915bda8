"""A view as `limit_view_scope` judges it: its lines, the span of each, and the limits on them."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms import view_lines
from p4warden.forms.depot_path import MalformedPath, Scope, scope
from p4warden.forms.view_lines import Malformed, Mapped
from p4warden.rules import whole_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Event, Facts
    from p4warden.forms.shares import Shares
    from p4warden.rules.proposals.budget import Room

# Number of form rows that one step of effort pays for when the view is read again.
_ROWS_OF_A_STEP = 4


class Settings(NamedTuple):
    """Settings of `limit_view_scope`; a limit of None is not judged.

    Attributes:
        forms: the form types to judge.
        min_depth: complete directories that a line must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
        max_share: the largest share of a depot's top directories that a view may name, 0 to 1.
        min_directories: number of top directories from which on a depot's share is judged.
        max_lines: the largest number of include lines in a view.
        max_embedded: the largest number n of include lines with `...` before their end; the map,
            exclusions included, may have 2 * n * n rows more than the view has lines.
        max_files: the largest number of files that a view may span, by the index of the server's
            checkpoint.
    """

    forms: tuple[str, ...] = ("client", "stream", "branch")
    min_depth: int = 1
    depots: Mapping[str, int] = {}
    max_share: float | None = None
    min_directories: int = 5
    max_lines: int | None = None
    max_embedded: int | None = None
    max_files: int | None = None


class Read(NamedTuple):
    """A view line with the part of the server it spans, or the reason why that is unknown."""

    mapped: Mapped | Malformed
    span: Scope | None = None
    problem: MalformedPath | None = None


class View(NamedTuple):
    """A form's lines and the limits on them; `depths` are by folded depot name."""

    settings: Settings
    facts: Facts
    event: Event
    depths: Mapping[str, int]
    lines: list[Read]
    names: FoldedNames

    def need(self, depot: str) -> int:
        """Return the number of directories below a depot that a line must name."""
        if not self.depths:
            return self.settings.min_depth
        return self.depths.get(self.names.folded(depot), self.settings.min_depth)

    def is_narrow(self, span: Scope) -> bool:
        """Tell whether a view line names enough directories to pass `limit_view_scope`."""
        return span.exact or len(span.directories) >= self.need(span.depot)

    def shares(self) -> Shares | None:
        """Return the shares of depots that the view names; None if they are not limited."""
        settings = self.settings
        if settings.max_share is None:
            return None
        from p4warden.forms.shares import Shares  # noqa: PLC0415 - not all policies limit shares

        spans = (line.span for line in self.lines if line.span)
        return Shares(spans, self.names, settings.max_share, settings.min_directories)

    def embedded(self) -> int:
        """Return the number of include lines that have `...` before their end."""
        return whole_view.embedded_count(line.mapped for line in self.lines)


def read(mapped: Mapped | Malformed) -> Read:
    """Parse a line and measure the part of the server it spans."""
    if isinstance(mapped, Malformed):
        return Read(mapped)
    try:
        return Read(mapped, scope(mapped.path))
    except MalformedPath as problem:
        return Read(mapped, None, problem)


def room(view: View, effort: Effort) -> Room:
    """Return how much the view may still grow within its limits: lines, `...`, shares.

    Raises:
        EffortSpentError: the remaining effort is too small to read the view again.
    """
    from p4warden.rules.proposals.budget import Room  # noqa: PLC0415 - most views are narrow

    settings, event = view.settings, view.event
    lines, embedded = settings.max_lines, settings.max_embedded
    rows = event.form.lines("view") if event.form else ()
    effort.spend((len(rows) + len(view.lines)) // _ROWS_OF_A_STEP)
    shares = view.shares()
    narrow = (line.mapped for line in view.lines if line.span and view.is_narrow(line.span))
    return Room(
        view.names,
        lines=None if lines is None else lines - len(view.lines),
        embedded=None if embedded is None else embedded - view.embedded(),
        share_of=shares.of if shares else None,
        included=(mapped.path for mapped in narrow if isinstance(mapped, Mapped)),
        excluded=view_lines.excluded(event.form) if event.form else (),
    )
