"""Add proposed view lines to findings, after the verdict because proposing takes time."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.rules.view_limits import View, remaining_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.effort import Effort
    from p4warden.core.records import Finding
    from p4warden.rules.proposals.advisor import Advisor
    from p4warden.rules.proposals.narrow import Proposal


class LateAdvisor:
    """Holder of a view's maker of proposals, which is created when the first one is needed.

    Most views have no refused line.
    """

    def __init__(self, view: View, client: str | None) -> None:
        """Store the view, and the client's name, which is None in a form of another type."""
        self._view, self._client = view, client
        self._advisor: Advisor | None = None

    def advisor(self) -> Advisor:
        """Return the maker of proposals for the view's lines, created at the first call."""
        from p4warden.rules.proposals.advisor import Advisor  # noqa: PLC0415 - as above

        view = self._view
        if self._advisor is None:
            names, client = view.names, self._client
            self._advisor = Advisor(
                view.need, view.facts, names, client, lambda e: remaining_limits(view, e)
            )
        return self._advisor


def to_advise(finding: Finding, propose: Callable[[Effort], Proposal | None]) -> Finding:
    """Return a finding that computes its proposed view lines only when they are displayed."""
    return finding._replace(
        advise=lambda advised_finding, effort: advised(advised_finding, propose(effort))
    )


def advised(finding: Finding, fix: Proposal | None) -> Finding:
    """Return a finding with proposed view lines added; unchanged if the proposal is None."""
    if fix is None:
        return finding
    problem = finding.problem
    if fix.is_already_mapped:
        problem = f"{problem}; other lines of the view map all of it already, so remove this line"
    return finding._replace(problem=problem, fix=fix.lines, further_count=fix.further_count)
