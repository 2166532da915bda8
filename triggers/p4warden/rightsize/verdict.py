from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.census.verdicts import event_of
from p4warden.core.plural import amount
from p4warden.core.records import Form, FormLine, SpannedFiles
from p4warden.forms.depot_path import first_wildcard
from p4warden.judge.engine import evaluate
from p4warden.rightsize.finder import Objection

if TYPE_CHECKING:
    from p4warden.census import Spec
    from p4warden.core.records import Facts, Finding
    from p4warden.policy.compiled import Policy
    from p4warden.rightsize import Proposal, SearchResult, ViewRow

_PART = 10
"""A proposal must span at least a tenth fewer files than now."""
_ROOT_SLASHES = 3
"""In a depot's root directory, such as `//depot/`."""
_VIEW_LINE = re.compile(r"View line ([1-9][0-9]*)\b")


def objection(
    policy: Policy, spec: Spec, groups: tuple[str, ...], day: str, facts: Facts, proposal: Proposal
) -> Objection:
    """Judge a client as if its owner saved it with a proposed view.

    Rules that only observe count as well; `day` is `YYYY-MM-DD`; the baseline is ignored.
    """
    lines = tuple(FormLine(n, row.text()) for n, row in enumerate(proposal.view, 1))
    form = Form({**spec.form.fields, "view": lines})
    judged_facts = facts._replace(baseline={}, spanned_files=SpannedFiles(proposal.files))
    event = event_of(spec._replace(form=form), groups, day)
    outcome = evaluate(policy, event, judged_facts, most=None)
    findings = [
        (judgement.rule, finding)
        for judgement in outcome.judgements
        for finding in judgement.findings
    ]
    directories = tuple(
        {directory for _, one in findings if (directory := _directory(one, proposal))}
    )
    if findings and not directories:
        rule, finding = findings[0]
        return Objection(
            reason=f"{rule} objects to every proposal: {finding.place} {finding.problem}"
        )
    return Objection(tuple(sorted(directories)))


def _directory(finding: Finding, proposal: Proposal) -> str | None:
    """None if the finding concerns no view line, or one with no proposed directory."""
    match = _VIEW_LINE.match(finding.place)
    if not match:
        return None
    row = proposal.view[int(match[1]) - 1]
    directory = row.depot.removesuffix("...")
    return directory if directory in proposal.directories else None


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
