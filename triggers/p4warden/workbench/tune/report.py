"""The findings as numbered texts, tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.plural import amount
from p4warden.workbench.audit.figures import LINES, Column, Figures, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.workbench.tune.all_findings import Tuning
    from p4warden.workbench.tune.finding import Finding
    from p4warden.workbench.tune.smaller_protections import SmallerTable, TableSize

CHECKPOINT_TABLES = tuple(f"db.{name}" for name in "config counters group property".split())
IN_TEXTS = ("settings", "smaller_protections")
"""Names of the tables whose rows `texts` has."""

_SETTING = Column("setting", "Setting")


def texts(tuning: Tuning) -> Iterator[str]:
    """Yield each finding as lines with its commands indented, then the smaller table."""
    for number, one in enumerate(tuning.findings, 1):
        yield "\n    ".join([f"{number}. {one.subject}: {one.present}.", *_explained(one)])
    yield from protection_texts(tuning.protections)


def protection_texts(table: SmallerTable) -> Iterator[str]:
    """Yield the difference to the smaller table, or the reason for having none."""
    if table.problem:
        yield f"No smaller protections table is proposed: {table.problem}."
    elif table.diff:
        yield "\n    ".join([_sizes(table), *table.diff])


def figures(tuning: Tuning, source: Source) -> Iterator[Figures]:
    """Yield the tables for a page; the first one has the findings."""
    yield Figures(
        "settings",
        "Settings against overload",
        f"{tuning.unseen} A person pastes the commands.",
        source,
        (
            _SETTING,
            Column("present", "Now"),
            Column("recommendation", "Recommended"),
            Column("here", "Meaning here"),
            Column("risk", "Risk"),
            Column("set", "To set", LINES),
            Column("undo", "To undo", LINES),
        ),
        tuning.findings,
    )
    yield from remarks(tuning, source)
    yield protection_figures(tuning.protections, source)


def remarks(tuning: Tuning, source: Source) -> Iterator[Figures]:
    """Yield the tables without commands."""
    yield Figures(
        "not_judged",
        "Settings that are not judged",
        "",
        source,
        (_SETTING, Column("reason", "Why")),
        tuning.unjudged,
    )
    yield Figures(
        "host",
        "The host of the server",
        "Neither a checkpoint nor the server shows these.",
        source,
        (Column("advice", "Recommended"), Column("sources", "By")),
        tuning.host,
    )


def protection_figures(table: SmallerTable, source: Source) -> Figures:
    """Return the difference to the smaller table as a table of one row."""
    return Figures(
        "smaller_protections",
        "A smaller protections table",
        " ".join(filter(None, [_sizes(table) if table.diff else "", table.problem])),
        source._replace(tables=("db.protect",)),
        (Column("diff", "Difference", LINES),),
        [(table.diff,)] if table.diff else [],
    )


def document(tuning: Tuning) -> dict[str, Any]:
    """Return the findings as a JSON object."""
    table = tuning.protections
    return {
        "findings": [one._asdict() for one in tuning.findings],
        "not_judged": [one._asdict() for one in tuning.unjudged],
        "host": [{"advice": advice, "sources": sources} for advice, sources in tuning.host],
        "unseen": tuning.unseen,
        "protections": {
            **table._asdict(),
            "before": table.before._asdict(),
            "after": table.after._asdict(),
            "problem": table.problem or None,
        },
    }


def _explained(one: Finding) -> Iterator[str]:
    yield f"Recommended: {one.recommendation}."
    yield f"Here: {one.here}."
    yield f"Risk: {one.risk}."
    yield from (f"set:  {command}" for command in one.set_commands)
    yield from (f"undo: {command}" for command in one.undo_commands)


def _sizes(table: SmallerTable) -> str:
    return (
        f"The protections table could have {_size(table.after)} in place of "
        f"{_size(table.before)}, and nobody's access changes (p4 protect); lines with super "
        "access stay."
    )


def _size(size: TableSize) -> str:
    return f"{amount(size.lines, 'line')} with {amount(size.wildcards, 'wildcard')}"
