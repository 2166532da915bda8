"""Tests of text functions with tests/cases/texts: escaped names, JSON, and shortened texts.

`cargo test` runs the same cases on the gate's functions, those of `json.json` also on the other
Rust programs'.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.core import json_lines
from p4warden.core.printable import cut, decoded, printable, short

CASES = Path(__file__).parents[1] / "cases" / "texts"


def cases(name: str) -> list[Any]:
    document = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in document["cases"]]


def text_of(case: dict[str, Any]) -> str:
    """Return a case's text: its hexadecimal bytes, decoded as Python decodes arguments."""
    times: int = case.get("times", 1)
    return (bytes.fromhex(case["bytes"]) * times).decode("utf-8", "surrogateescape")


def repeated(piece: str, times: int, end: str) -> str:
    return piece * times + end


@pytest.mark.parametrize("case", cases("json"))
def test_a_name_is_written_as_json_as_in_the_case(case: dict[str, Any]) -> None:
    line = json_lines.line({"user": decoded(text_of(case))})
    assert line.decode("utf-8") == f'{{"user": {case["json"]}}}\n'
    assert json.loads(line)["user"] == decoded(text_of(case))


@pytest.mark.parametrize("case", cases("printable"))
def test_a_name_is_escaped_to_printable_text_as_in_the_case(case: dict[str, Any]) -> None:
    assert printable(text_of(case)) == case["printable"]


@pytest.mark.parametrize("case", cases("cut"))
def test_a_long_text_is_shortened_as_in_the_case(case: dict[str, Any]) -> None:
    assert cut(text_of(case)) == repeated(*case["item"])
    assert short(text_of(case)) == repeated(*case["record"])
