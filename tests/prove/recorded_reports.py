"""Load the hand-written recordings of `p4warden prove` experiments from `tests/cases/prove`."""

from pathlib import Path
from typing import Any

from p4warden.core import shipped_yaml
from p4warden.prove.records import Call, Recording, ServerMessage, Step

CASES = Path(__file__).parents[1] / "cases" / "prove"
_WORDS = shipped_yaml.load((CASES / "recordings.yaml").read_text("utf-8"))
VERSION: bytes = _WORDS["version"].encode()
DEVIATIONS: list[dict[str, Any]] = shipped_yaml.load(
    (CASES / "deviations.yaml").read_text("utf-8")
)
ROW_CASES: list[dict[str, Any]] = shipped_yaml.load(
    (CASES / "rows_reported.yaml").read_text("utf-8")
)


def recordings(fact: str = "", steps: dict[str, Any] | None = None) -> dict[str, Recording]:
    """Return hand-written recordings of a good server by experiment name.

    `steps` replace steps of the experiment that tests the given fact; None removes a step.
    """
    recordings_by_name = {name: dict(rows) for name, rows in _WORDS["recordings"].items()}
    if steps:
        recordings_by_name[fact.partition(".")[0]] |= steps
    return {
        name: Recording({step: _step(step, row) for step, row in rows.items() if row is not None})
        for name, rows in recordings_by_name.items()
    }


def _step(name: str, row: dict[str, Any]) -> Step:
    severities = {"info": 1, "failed": 3}
    output = tuple(
        ServerMessage(severities[k], row.get("number", 0), row[k].encode())
        for k in severities
        if k in row
    )
    calls = tuple(_call(call) for call in row.get("calls", []))
    return Step(name, calls, output, tuple(text.encode() for text in row.get("rows", [])))


def _call(row: Any) -> Call:
    if isinstance(row, list):
        return Call(row[0], _encoded(row[1:]))
    form = row.get("form")
    text = None if form is None else form.encode()
    return Call(
        row["label"], _encoded(row["words"]), row.get("stdin", "").encode(), text, row.get("mode")
    )


def _encoded(words: list[str]) -> tuple[bytes, ...]:
    return tuple(word.encode() for word in words)
