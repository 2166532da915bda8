"""Tests of trigger options checked against p4d's dictionary on stdin (triggers.io=1).

The gate's tests run the same cases.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from p4warden.worker import trigger_dictionary

FOLDER = Path(__file__).parents[1] / "cases" / "dictionaries"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(FOLDER.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))["cases"]
]


@pytest.mark.parametrize("case", CASES)
def test_options_contradict_the_dictionary_as_in_the_case(case: dict[str, Any]) -> None:
    variables = trigger_dictionary.parse(case["dictionary"].encode())
    broken_name = trigger_dictionary.contradiction(case["words"][1:], variables)
    assert (broken_name is None) == case["agrees"]
    assert (list(broken_name) if broken_name else None) == case.get("broken")


def test_the_dictionary_is_read_until_the_pipe_is_closed() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"user:ann\n")
    os.write(writer, b"client:ws\n")
    os.close(writer)
    assert trigger_dictionary.read(reader) == (b"user:ann\nclient:ws\n", True)
    os.close(reader)


def test_a_long_dictionary_is_read_to_its_end_and_its_start_is_kept() -> None:
    content = b"user:ann\n" + b"x" * (trigger_dictionary.MAX_BYTES + 100_000)
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        sent = content
        while sent:
            sent = sent[os.write(writer, sent) :]
        os._exit(0)
    os.close(writer)
    read = trigger_dictionary.read(reader, longest_s=60)
    assert read == (content[: trigger_dictionary.MAX_BYTES], True)
    os.close(reader)
    assert os.waitpid(process, 0)[1] == 0


def test_reading_the_dictionary_from_an_open_pipe_ends_at_the_deadline() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"user:ann\n")
    assert trigger_dictionary.read(reader) == (b"user:ann\n", False)
    os.close(writer)
    os.close(reader)
