"""A view as the rule `limit_view_scope` judges it: lines, spanned directories, and limits."""

from __future__ import annotations

from p4warden.core.facts import limit_in
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms import view_lines
from p4warden.forms.depot_path import MalformedPath, Span, path_span
from p4warden.forms.view_lines import MalformedLine, ViewLinePath
from p4warden.rules import whole_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Event, Facts
    from p4warden.forms.shares import Shares
    from p4warden.rules.proposals.remaining_limits import RemainingLimits

# Number of form lines that one computing step pays for when the view is parsed again.
_ROWS_OF_A_STEP = 4


class Settings(NamedTuple):
    """Settings of the policy rule `limit_view_scope`; a limit of None is not judged.

    Attributes:
        forms: the form types to judge.
        min_depth: the number of complete directories that a view line must name below the depot.
        depots: other depths by depot name; a name is matched whole, never as a prefix.
        max_share: the share of a depot's top directories, 0 to 1, at which a view is refused.
        min_directories: the number of top directories from which on a depot's share is judged.
        max_lines: the largest number of include lines in a view.
        max_embedded: the largest number n of include lines with `...` before their end; p4d's map
            of the view, exclusions included, may have 2 * n * n rows more than the view has lines.
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


class ViewLineSpan(NamedTuple):
    """A view line with the depot directories that it spans, or the reason why they are unknown."""

    parsed_line: ViewLinePath | MalformedLine
    span: Span | None = None
    problem: MalformedPath | None = None


class View(NamedTuple):
    """A form's view lines and the limits on them, for the rule `limit_view_scope`.

    `depths` has the required numbers of directories by depot name, which is folded if the
    server ignores case.
    """

    settings: Settings
    facts: Facts
    event: Event
    depths: Mapping[str, int]
    lines: list[ViewLineSpan]
    names: FoldedNames

    def need(self, depot: str) -> int:
        """Return the number of directories that a view line must name below a depot."""
        if not self.depths:
            return self.settings.min_depth
        return limit_in(depot, self.depths, self.settings.min_depth, self.facts, max)

    def is_narrow(self, span: Span) -> bool:
        """Tell whether a view line names enough directories for the rule, or has no wildcard."""
        return span.is_exact or len(span.directories) >= self.need(span.depot)

    def shares(self) -> Shares | None:
        """Return the shares of depots' top directories that a view names.

        None if the rule does not limit shares.
        """
        settings = self.settings
        if settings.max_share is None:
            return None
        from p4warden.forms.shares import Shares  # noqa: PLC0415 - not all policies limit shares

        spans = (line.span for line in self.lines if line.span)
        return Shares(spans, self.names, settings.max_share, settings.min_directories)

    def embedded(self) -> tuple[str, ...]:
        """Return the depot paths of a view's include lines that have `...` before their end."""
        return whole_view.embedded_paths(line.parsed_line for line in self.lines)


def line_span(parsed_line: ViewLinePath | MalformedLine) -> ViewLineSpan:
    """Return a view line with the depot directories that it spans, or with its problem."""
    if isinstance(parsed_line, MalformedLine):
        return ViewLineSpan(parsed_line)
    try:
        return ViewLineSpan(parsed_line, path_span(parsed_line.path))
    except MalformedPath as problem:
        return ViewLineSpan(parsed_line, None, problem)


def remaining_limits(view: View, effort: Effort) -> RemainingLimits:
    """Return how much of a view's limits is left for further, proposed lines.

    Limits are on the number of lines, the number of paths with `...` before their end, and the
    share of each depot's top directories that a view may name.

    Raises:
        EffortSpentError: the remaining effort is too small to parse the view again.
    """
    from p4warden.rules.proposals.remaining_limits import RemainingLimits  # noqa: PLC0415 - most views are narrow

    settings, event = view.settings, view.event
    lines, embedded = settings.max_lines, settings.max_embedded
    rows = event.form.lines("view") if event.form else ()
    effort.spend((len(rows) + len(view.lines)) // _ROWS_OF_A_STEP)
    shares = view.shares()
    narrow = (line.parsed_line for line in view.lines if line.span and view.is_narrow(line.span))
    return RemainingLimits(
        view.names,
        lines=None if lines is None else lines - len(view.lines),
        embedded=None if embedded is None else embedded - len(view.embedded()),
        share_of=shares.of if shares else None,
        included_paths=(
            parsed_line.path for parsed_line in narrow if isinstance(parsed_line, ViewLinePath)
        ),
        excluded_paths=view_lines.exclusions(event.form) if event.form else (),
    )
