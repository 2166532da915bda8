from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from p4warden.core import csv_cells

if TYPE_CHECKING:
    from p4warden.reports.figures import Figures


def to_json(figures: Figures, log_parts: dict[str, Any]) -> str:
    """Return the report as one JSON object: the parts of the log read, and figures.

    The shape is `{"read": {...}, "first_s", "last_s", "trials", "decisions": [{"day", "rule",
    "verdict", "user", "count"}], "exemptions", "faults", "troubles", "unusual", "classes":
    [{"name", "times", "first_s", "last_s", "users": []}], "would": [{"rule", "would", "count"}],
    "subjects": [{"rule", "user", "verdicts": {}, "values": {"what": {}, "spec_or_client": {},
    "prog": {}, "ip": {}}, "first_s", "last_s"}], "costs": [{"event", "decisions", "median_ns",
    "high_ns", "max_ns"}]}`.
    `decisions` in `costs` is the number of decisions with a recorded time.
    """
    document = {
        "read": log_parts,
        "first_s": figures.first_s,
        "last_s": figures.last_s,
        "trials": figures.trials,
        "decisions": [
            cell._asdict() | {"count": count} for cell, count in sorted(figures.cells.items())
        ],
        **{
            name: [
                group._asdict() | {"users": sorted(group.users)}
                for group in getattr(figures, name)
            ]
            for name in ("exemptions", "faults", "troubles", "unusual", "classes")
        },
        "would": [
            {"rule": rule, "would": verdict, "count": count}
            for (rule, verdict), count in sorted(figures.enforced_counts.items())
        ],
        "subjects": [
            one._asdict() | {"values": {name: dict(v) for name, v in one.values.items()}}
            for one in figures.subjects
        ],
        "costs": [
            {name: value for name, value in cost._asdict().items() if name != "spread"}
            for cost in figures.costs
        ],
    }
    return json.dumps(document, indent=1)


def to_csv(figures: Figures) -> str:
    """Return the numbers of decisions by day, rule, verdict and user, with a head line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("day", "rule", "verdict", "user", "count"))
    for cell, count in sorted(figures.cells.items()):
        writer.writerow((*map(csv_cells.cell, cell), count))
    return text.getvalue()
