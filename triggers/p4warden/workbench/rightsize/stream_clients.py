"""Clients of streams: a LimitView is proposed to them, because the stream determines their View.

Its lines are depot paths (p4 help client, 2025.2). How it writes a path with a blank is not
published, so none is proposed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.asking.form_text import value

if TYPE_CHECKING:
    from p4warden.asking.form_text import Fields
    from p4warden.workbench.rightsize import Proposal, SearchResult


def unlisted(proposal: Proposal) -> tuple[str, ...]:
    """Return those of its directories that a LimitView cannot name."""
    return tuple(path for path in proposal.directories if set(path) & set(' "'))


def limited(answer: SearchResult, fields: Fields, *, has_limit_view: bool) -> SearchResult:
    """Turn the view proposed to a client of a stream into a LimitView; others stay as they are.

    `has_limit_view` tells whether the server's client forms are known to have that field.
    """
    stream = value(fields, "stream")
    if not stream:
        return answer
    if not has_limit_view:
        reason = "; narrow the stream's Paths"
    elif value(fields, "limitview"):
        reason = ", and it has a LimitView: narrow that"
    elif answer.proposal is None:
        return answer
    else:
        proposal = answer.proposal._replace(is_limit=True)
        if _leaves_out_files(proposal, answer):
            return answer._replace(proposal=proposal)
        reason = ", and a LimitView of its directories would be as wide"
    of_stream = f"its view comes from stream {stream}"
    return answer._replace(proposal=None, reason=of_stream + reason)


def _leaves_out_files(proposal: Proposal, answer: SearchResult) -> bool:
    mapped = {row.depot for row in answer.view if row.mark != "-"}
    return not mapped <= {*proposal.lines} and proposal.files != answer.files
