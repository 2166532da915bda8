"""Decide whether a proposed view spans so few files that it is worth a change of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.forms.depot_path import first_wildcard

if TYPE_CHECKING:
    from p4warden.rightsize import SearchResult, ViewRow

_PART = 10
"""Divisor for the minimum saving: a proposal must span at least a tenth fewer files than now."""
_ROOT_SLASHES = 3
"""Number of slashes in a depot's root directory, such as `//depot/`."""


def worth_offering(answer: SearchResult, max_files: int, min_directories: int) -> SearchResult:
    """Return an answer, without its proposal if the proposal saves less than a tenth of the files.

    The proposal stays, whatever it saves, if the present view exceeds the limits that the proposal
    keeps, or spans an unknown number of files.

    Args:
        answer: the result of searching a sufficient view for a client.
        max_files: the maximum number of files that a proposed view may span.
        min_directories: the minimum number of directories below its depot that a proposed line
            must name.
    """
    if answer.proposal is None or answer.files is None or answer.files > max_files:
        return answer
    enough = answer.proposal.files
    is_saving = (answer.files - enough) * _PART >= answer.files
    if is_saving or any(_is_too_high(row, min_directories) for row in answer.view):
        return answer
    spans = f"it spans {amount(answer.files, 'file')}, a sufficient view {enough:,}"
    return answer._replace(proposal=None, reason=f"its view is already narrow: {spans}")


def _is_too_high(row: ViewRow, min_directories: int) -> bool:
    """Tell whether a view line names too few directories below its depot before a wildcard.

    False for an exclusion, and for a line without wildcard.
    """
    wildcard = first_wildcard(row.depot)
    if row.mark == "-" or wildcard is None:
        return False
    return row.depot.count("/", 0, wildcard[0]) < _ROOT_SLASHES + min_directories
