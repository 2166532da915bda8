from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from p4warden.core import csv_cells
from p4warden.reports.subjects import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from p4warden.reports.figures import Figures
    from p4warden.reports.subjects import Subject


def json_lines(figures: Figures, log_parts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report as one JSON object: the parts of the log read, and figures.

    The shape is `{"read": {...}, "first_s", "last_s", "trials", "decisions": [{"day", "rule",
    "verdict", "user", "count"}], "exemptions", "faults", "troubles", "unusual", "classes":
    [{"name", "times", "first_s", "last_s", "users": []}], "would": [{"rule", "would", "count"}],
    "subjects": [{"rule", "user", "verdicts": {}, "values": {"what": {}, "spec_or_client": {},
    "prog": {}, "ip": {}}, "first_s", "last_s"}], "costs": [{"event", "decisions", "median_ns",
    "high_ns", "max_ns"}]}`.
    `decisions` in `costs` is the number of decisions with a recorded time. A line has one entry: a
    log of a year has a million.
    """
    head = {
        "read": log_parts,
        "first_s": figures.first_s,
        "last_s": figures.last_s,
        "trials": figures.trials,
    }
    yield json.dumps(head)[:-1]
    for name, entries in _lists(figures):
        yield f', "{name}": ['
        before = ""
        for entry in entries:
            yield f"{before}{json.dumps(entry)}"
            before = ","
        yield "]"
    yield "}"


def _lists(figures: Figures) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
    yield "decisions", (cell._asdict() | {"count": n} for cell, n in figures.cells.items())
    for name in ("exemptions", "faults", "troubles", "unusual", "classes"):
        groups = getattr(figures, name)
        yield name, (group._asdict() | {"users": sorted(group.users)} for group in groups)
    would = sorted(figures.enforced_counts.items())
    yield "would", ({"rule": r, "would": verdict, "count": n} for (r, verdict), n in would)
    yield "subjects", map(_subject, figures.subjects)
    costs = (cost._asdict() for cost in figures.costs)
    yield (
        "costs",
        ({name: one[name] for name in one if name != "spread"} for one in costs),
    )


def _subject(one: Subject) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "user": one.user,
        "verdicts": one.verdicts,
        "values": {name: one.values.get(name, {}) for name in FIELDS},
        "first_s": one.first_s,
        "last_s": one.last_s,
    }


def write_csv(figures: Figures, output: TextIO) -> None:
    """Write the numbers of decisions by day, rule, verdict and user, with a head line."""
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(("day", "rule", "verdict", "user", "count"))
    for cell, count in figures.cells.items():
        writer.writerow((*map(csv_cells.cell, cell), count))
