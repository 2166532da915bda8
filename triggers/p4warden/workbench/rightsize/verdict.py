from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.workbench.census.judging import checked, event_of
from p4warden.workbench.rightsize.finder import Objection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.asking.judge import Judge
    from p4warden.core.specs import Spec
    from p4warden.workbench.rightsize import Proposal, SearchResult, ViewRow

_PART = 10
"""A proposal must span at least a tenth fewer files than now."""
_ROOT_SLASHES = 3
"""In a depot's root directory, such as `//depot/`."""
_WILDCARD = re.compile(r"\.\.\.|\*|%%[0-9]")
_VIEW_LINE = re.compile(r"View line ([1-9][0-9]*)\b")


def objection(judge: Judge, spec: Spec, groups: Sequence[str], proposal: Proposal) -> Objection:
    """Judge a client as if its owner saved it with a proposed view.

    Rules that only observe count as well; `judge` answers with all findings, without a baseline.
    """
    fields = {**spec.fields, proposal.field.lower(): [*proposal.lines]}
    event = event_of(spec._replace(fields=fields, text=None), groups)
    view = {"files": proposal.files, "wide": []}
    findings = checked(judge.ask(event | {"facts": {"view": view}}))["findings"]
    places = [one["place"] for one in findings]
    directories = {directory for one in places if (directory := _directory(one, proposal))}
    if findings and not directories:
        first = findings[0]
        problem = f"{first['place']} {first['problem']}"
        return Objection(reason=f"{first['rule']} objects to every proposal: {problem}")
    return Objection(tuple(sorted(directories)))


def _directory(place: str, proposal: Proposal) -> str | None:
    """None if the place is no view line, or one with no proposed directory."""
    match = _VIEW_LINE.match(place)
    if not match:
        return None
    row = proposal.view[int(match[1]) - 1]
    directory = row.depot.removesuffix("...")
    return directory if directory in proposal.directories else None


def worth_offering(answer: SearchResult, *, is_refused: bool) -> SearchResult:
    """Drop a proposal that saves less than a tenth of the files.

    It stays if the present view `is_refused`, or spans an unknown number of files.
    """
    if answer.proposal is None or answer.files is None or is_refused:
        return answer
    enough = answer.proposal.files
    if (answer.files - enough) * _PART >= answer.files:
        return answer
    spans = f"it spans {amount(answer.files, 'file')}, a sufficient view {enough:,}"
    return answer._replace(proposal=None, reason=f"its view is already narrow: {spans}")


def is_too_wide(answer: SearchResult, max_files: int, min_directories: int) -> bool:
    """Tell whether the present view exceeds the limits that a proposal keeps."""
    is_over = answer.files is None or answer.files > max_files
    return is_over or any(_is_too_high(row, min_directories) for row in answer.view)


def _is_too_high(row: ViewRow, min_directories: int) -> bool:
    """False for an exclusion, and for a line without wildcard."""
    wildcard = _WILDCARD.search(row.depot)
    if row.mark == "-" or wildcard is None:
        return False
    return row.depot.count("/", 0, wildcard.start()) < _ROOT_SLASHES + min_directories
