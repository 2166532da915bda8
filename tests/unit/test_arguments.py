"""Tests of parsing a trigger line's arguments; tests/cases/trigger_lines has further lines."""

from __future__ import annotations

import pytest

from p4warden.worker import arguments
from support.triggers import line_words


def client_of(value: str) -> str | None:
    return arguments.parse(line_words("form-save", f"--client={value}")).get("client")


@pytest.mark.parametrize("value", ["", "%client%", "%x%"])
def test_an_empty_or_unexpanded_value_is_absent(value: str) -> None:
    assert client_of(value) is None


@pytest.mark.parametrize("value", ["%", "%%", "a%b%", "100%", "%a%b%"])
def test_a_value_with_percent_signs_that_is_no_variable_is_kept(value: str) -> None:
    assert client_of(value) == value


def test_no_arguments_are_parsed_as_no_event_and_no_options() -> None:
    assert arguments.parse([]) == arguments.Arguments("", {})
