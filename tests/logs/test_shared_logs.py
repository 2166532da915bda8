"""Tests of the log reader on fragments of real logs beside the checkout, field by field.

`tests/cases/shared_logs/NAME.jsonl` has the expected values of a fragment: every field of its
commands and events, and counts. They come from two other readings of the fragments: a reader
written apart from `p4warden-log`, by blocks and regular expressions, and the JSON of
go-libp4dlog's log2sql (commit 0b21af1), which has 9,827 of the fields and agrees in 9,811. The
other 16 were decided by hand: log2sql rounds sizes to 24 bits (5), stops at the first line or the
JSON of arguments (4), skips locks in the form of 2007 (4), drops estimates that could belong to
another sync (2), and takes the time of `completed` where the track output has a time too (1).
Whether a command still ran at the end was noted by hand, and so were processes without a command
that exited unexpectedly.

The expected values contain digests of arguments and error texts, so that no text of the real logs
is in the project.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from logs.conftest import CASES
from p4warden.workbench.logs.reader import records

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPECTED = sorted((CASES.parent / "shared_logs").glob("*.jsonl"))
LOGS = Path(__file__).parents[3] / "shared" / "data" / "logs"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """Return a log record in the form of the expected values, for comparison.

    Digests replace the texts of arguments and errors; tables are keyed by name, archives by kind.
    """
    report = dict(record)
    if args := " ".join(report.pop("args", [])):
        report["args"] = digest(args)
    for key, name in (("tables", "name"), ("archives", "kind")):
        if key in report:
            report[key] = {one.pop(name): one for one in report[key]}
    if "triggers" in report:
        report["triggers"] = [
            [one["name"], *([one["lapse_s"]] if "lapse_s" in one else [])]
            for one in report["triggers"]
        ]
    if "errors" in report:
        report["errors"] = [digest(one["text"]) for one in report["errors"]]
    if "error" in report:
        report["error"] = digest(report["error"])
    return report


def fields(records: Iterator[dict[str, Any]]) -> dict[tuple[Any, ...], Any]:
    """Return every field of log records, keyed by record and field name.

    A failing comparison then lists the differing fields.
    """
    order = sorted(records, key=lambda one: (one["record"], one.get("line", 0)))
    return {
        (number, record["record"], record.get("line"), name): value
        for number, record in enumerate(order)
        for name, value in record.items()
    }


@pytest.mark.skipif(not LOGS.is_dir(), reason="no real logs beside the checkout")
@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.stem)
def test_each_field_of_a_real_log_fragment_has_the_expected_value(path: Path) -> None:
    expected = fields(map(json.loads, path.read_text("utf-8").splitlines()))
    results = fields(map(plain, records([str(LOGS / f"{path.stem}.log")])))
    counts = {place for place in results if place[1] == "counts"}
    for place in counts - set(expected):
        del results[place]
    assert {
        place
        for place in expected.keys() | results.keys()
        if expected.get(place) != results.get(place)
    } == set()


@pytest.mark.skipif(not LOGS.is_dir(), reason="no real logs beside the checkout")
def test_every_real_log_fragment_has_expected_values() -> None:
    assert {log.stem for log in LOGS.glob("*.log")} == {path.stem for path in EXPECTED}
