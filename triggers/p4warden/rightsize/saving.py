from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.forms.depot_path import first_wildcard

if TYPE_CHECKING:
    from p4warden.rightsize import SearchResult, ViewRow

_PART = 10
"""A proposal must span at least a tenth fewer files than now."""
_ROOT_SLASHES = 3
"""In a depot's root directory, such as `//depot/`."""


def worth_offering(answer: SearchResult, max_files: int, min_directories: int) -> SearchResult:
    """Drop a proposal that saves less than a tenth of the files.

    It stays if the present view exceeds the limits that the proposal keeps, or spans an unknown
    number of files.
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
    """False for an exclusion, and for a line without wildcard."""
    wildcard = first_wildcard(row.depot)
    if row.mark == "-" or wildcard is None:
        return False
    return row.depot.count("/", 0, wildcard[0]) < _ROOT_SLASHES + min_directories
