"""Propose replacements for refused lines of a view.

Most of the code that makes proposals is imported at the first proposal, to keep triggers fast.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.depot_path import MalformedPath, WildcardDepot, path_span
from p4warden.rules.proposals.placeholder_advice import as_wildcards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Facts
    from p4warden.forms.depot_path import Span
    from p4warden.forms.view_lines import ViewLinePath
    from p4warden.rules.proposals.candidate import Context, WideMapping
    from p4warden.rules.proposals.narrow import Proposal
    from p4warden.rules.proposals.remaining_limits import RemainingLimits


class Advisor:
    """Maker of proposals for the refused lines of one view.

    Args:
        need: maps a depot's name to the number of complete directories that its view lines must
            name.
        facts: the known facts about the server's depots.
        names: the facts' names of depots and directories, compared as the server compares them.
        client: the client's name; None in a form that is not a client.
        room_of: returns how much of the view's limits is left for proposed lines; called at most
            once.
    """

    def __init__(
        self,
        need: Callable[[str], int],
        facts: Facts,
        names: FoldedNames,
        client: str | None,
        room_of: Callable[[Effort], RemainingLimits],
    ) -> None:
        self._need, self._facts, self._names = need, facts, names
        self._client, self._room_of = client, room_of
        self._remaining_limits: RemainingLimits | None = None

    def instead_of(
        self, parsed_line: ViewLinePath, span: Span | None, effort: Effort
    ) -> Proposal | None:
        """Return the view lines to write instead of a wide view line; None for a stream component.

        A component names a stream, and only its developers know a narrower one.

        Raises:
            EffortSpentError: the remaining effort is too small.
        """
        from p4warden.rules.proposals.narrow import propose  # noqa: PLC0415 - most views are narrow

        if parsed_line.field == "Components":
            return None
        mapping, context, remaining = self._inputs(parsed_line, span, effort)
        return propose(mapping, context, remaining)

    def for_directories(
        self,
        parsed_line: ViewLinePath,
        span: Span | None,
        directories: Sequence[str],
        effort: Effort,
    ) -> Proposal | None:
        """Return view lines for the given directories, in place of a line that maps all of them.

        None for a stream component, or without `span`, the line's parsed depot path.

        Raises:
            EffortSpentError: the remaining effort is too small.
        """
        from p4warden.rules.proposals.narrow import propose_within  # noqa: PLC0415 - likewise

        if parsed_line.field == "Components" or span is None:
            return None
        mapping, context, remaining = self._inputs(parsed_line, span, effort)
        return propose_within(mapping, directories, context, remaining)

    def _inputs(
        self, parsed_line: ViewLinePath, span: Span | None, effort: Effort
    ) -> tuple[WideMapping, Context, RemainingLimits]:
        from p4warden.rules.proposals.candidate import Context, mapping_of  # noqa: PLC0415 - likewise

        self._remaining_limits = self._remaining_limits or self._room_of(effort)
        facts = self._facts
        context = Context(
            self._need, facts, self._names, self._client, effort, facts.used_directories
        )
        return mapping_of(parsed_line, span), context, self._remaining_limits

    def for_words(self, parsed_line: ViewLinePath, effort: Effort) -> Proposal | None:
        """Return the proposal for a view line with placeholder words that a user left unreplaced.

        Each such word is treated as the wildcard `*`. Without a better line the result is None, or
        a proposal without lines.
        """
        wild = parsed_line._replace(
            path=as_wildcards(parsed_line.path),
            client_path=parsed_line.client_path and as_wildcards(parsed_line.client_path),
            other_path=parsed_line.other_path and as_wildcards(parsed_line.other_path),
        )
        try:
            span = path_span(wild.path)
        except WildcardDepot:
            return self.instead_of(wild, None, effort)
        except MalformedPath:
            return None
        if not span.directories and self._facts.depots:
            return self.instead_of(wild, span, effort)
        return self._in_use(wild, span, effort)

    def used_lines(
        self, lines: Iterable[tuple[ViewLinePath, Span]], most: int, effort: Effort
    ) -> Proposal | None:
        """Return a proposal of at most `most` present lines of a view that map directories in use.

        A directory is in use if the client or its user has files from it. None if there is no such
        line.

        Raises:
            EffortSpentError: the remaining effort is too small.
        """
        used_directories = [*map(self._names.folded, self._facts.used_directories())]
        if not used_directories:
            return None
        from p4warden.rules.proposals.directories_in_use import lines_in_use  # noqa: PLC0415 - likewise
        from p4warden.rules.proposals.narrow import MAX_PROPOSALS, Proposal  # noqa: PLC0415 - as above

        proposed_lines = lines_in_use(
            lines, used_directories, self._facts, min(most, MAX_PROPOSALS), effort
        )
        return Proposal(proposed_lines) if proposed_lines else None

    def _in_use(self, parsed_line: ViewLinePath, span: Span, effort: Effort) -> Proposal | None:
        """Return a proposal of a view line narrowed to directories that the user has files from.

        None for a stream component, or if no such line can be proposed.
        """
        from p4warden.rules.proposals.narrow import propose_used  # noqa: PLC0415 - likewise

        if parsed_line.field == "Components" or not self._facts.used_directories():
            return None
        fix = propose_used(*self._inputs(parsed_line, span, effort))
        return fix if fix.lines else None
