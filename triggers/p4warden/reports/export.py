from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from p4warden.core import csv_cells
from p4warden.reports.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from p4warden.reports.decision_reader import DecisionReader

_LISTS = "decisions exemptions faults troubles unusual classes would subjects costs".split()


def json_lines(reading: DecisionReader, span: Sequence[str]) -> Iterator[str]:
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
    with counted(reading.lines(), [*span, *_LISTS]) as (sums, output):
        head = {"read": reading.facts(sums.bad_lines), **sums._asdict()}
        del head["bad_lines"]
        yield f"{json.dumps(head)[:-1]}, "
        output.read(len("{"))
        for line in output:
            yield line.decode("ascii")


def write_csv(reading: DecisionReader, span: Sequence[str], output: TextIO) -> None:
    """Write the numbers of decisions by day, rule, verdict and user, with a head line."""
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(("day", "rule", "verdict", "user", "count"))
    with counted(reading.lines(), [*span, "decisions"]) as (_, lines):
        for line in lines:
            if line.startswith(b'{"day"'):
                day, rule, verdict, user, count = json.loads(line.rstrip(b",\n")).values()
                writer.writerow((*map(csv_cells.cell, (day, rule, verdict, user)), count))
