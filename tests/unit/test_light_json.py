"""Tests that core/light_json.py writes and parses JSON as the module `json` does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import p4warden
from p4warden.core import light_json

if TYPE_CHECKING:
    from collections.abc import Callable

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
WRONG: list[Any] = ["", "{", "[1,]", "nul", '{"a" 1}', "[1] x", '"\n"', b"\xff", "\ufeff{}"]
# Script for a new interpreter: prints whether use of light_json also imported `json`.
USES_NO_JSON = (
    "import sys; sys.path.append(sys.argv[1]); from p4warden.core.light_json import dumps, loads;"
    " print(loads(dumps({'a': [1, 'b']})), 'json' in sys.modules)"
)


def outcome(function: Callable[[Any], Any], subject: Any) -> str:
    try:
        return repr(function(subject))
    except Exception as error:  # noqa: BLE001 - whatever it is, it must be the same
        return f"{type(error).__name__}: {error}"


@given(VALUES)
def test_a_value_is_written_and_parsed_as_by_json(value: object) -> None:
    text = json.dumps(value)
    assert light_json.dumps(value) == text
    assert repr(light_json.loads(text)) == repr(json.loads(text))
    assert repr(light_json.loads(text.encode())) == repr(json.loads(text))


@given(st.text(alphabet='{}[]":,\\ \n1a-.eu') | st.binary(max_size=20))
def test_any_text_is_parsed_or_rejected_with_the_same_message_as_by_json(
    text: str | bytes,
) -> None:
    assert outcome(light_json.loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", [*WRONG, " {}", "{} ", b"\xef\xbb\xbf{}", "{}".encode("utf-16")])
def test_an_unusual_text_is_parsed_or_rejected_as_by_json(text: str | bytes) -> None:
    assert outcome(light_json.loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize("value", [{1: 2}, {None: (1, 2)}, {1, 2}, [b"x"], {(1,): 2}, object])
def test_an_unusual_value_is_written_or_rejected_as_by_json(value: object) -> None:
    assert outcome(light_json.dumps, value) == outcome(json.dumps, value)


@pytest.mark.parametrize("text", ['"a": [1', '"a\\": b": 1', '"cut', "x", "", "[1] 2"])
def test_a_value_at_the_beginning_of_a_text_is_parsed_as_by_raw_decode_of_json(text: str) -> None:
    expected = outcome(lambda content: json.JSONDecoder().raw_decode(content)[0], text)
    assert outcome(light_json.beginning, text) == expected


def test_light_json_does_not_import_json() -> None:
    source = str(Path(p4warden.__file__).parents[1])
    words = [sys.executable, "-I", "-S", "-c", USES_NO_JSON, source]
    process = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    assert process.stdout == "{'a': [1, 'b']} False\n"
