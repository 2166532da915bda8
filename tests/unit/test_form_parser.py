"""Tests of parsing the text of a Perforce form into fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.records import FormLine
from p4warden.forms import form_parser

FRAGMENTS = ["View:", "Root:\t/x", "Description:", "Stream:", "\t", "\n", "\n\t", '"', "#", "\r\n"]
FRAGMENTS += ["//depot/... //ws/...", " ", ":", "X-Site:", "\x00", "\udce9", "\u00e9"]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join))
def test_any_text_is_parsed_into_either_fields_or_a_problem(text: str) -> None:
    form = form_parser.parse(text)
    assert (form.problem is None) == bool(form.fields)


@given(st.lists(st.text(alphabet="abc/.", min_size=1), min_size=1, max_size=20))
def test_values_of_a_field_are_parsed_in_order_with_their_numbers(values: list[str]) -> None:
    form = form_parser.parse("Client:\tws\nView:\n" + "".join(f"\t{value}\n" for value in values))
    assert [line.text for line in form.lines("view")] == values
    assert [line.number for line in form.lines("view")] == list(range(1, len(values) + 1))


def test_a_form_as_written_by_p4_is_parsed_without_its_comments() -> None:
    form = form_parser.parse(
        "# A Perforce Client Specification.\n#\n#  Client:      The client name.\n\n"
        "Client:\tws\n\nUpdate:\t2026/11/21 10:00:00\n\nDescription:\n\tCreated by ann.\n"
        "\t# mine\n\n"
        "Root:\t/home/ann/ws\n\nView:\n\t//depot/main/... //ws/main/...\t## mine\n"
    )
    assert form.problem is None
    assert form.value("client") == "ws"
    assert form.lines("view") == (FormLine(1, "//depot/main/... //ws/main/..."),)
    assert [line.text for line in form.lines("description")] == ["Created by ann.", "# mine"]
    assert form.value("stream") is None


@pytest.mark.parametrize(("size", "is_parsed"), [(0, True), (1, False)])
def test_a_form_of_4_mib_is_parsed_and_a_longer_form_is_refused(
    size: int, *, is_parsed: bool
) -> None:
    head = "Client:\tws\nDescription:\n\t"
    text = head + "x" * (form_parser.MAX_FORM_BYTES - len(head) + size)
    assert (form_parser.parse(text).problem is None) == is_parsed
    assert (
        is_parsed or form_parser.parse(text).problem == "is over 4 MiB; remove lines, or split it"
    )


def test_the_limit_of_4_mib_counts_bytes_and_not_characters() -> None:
    text = "Client:\tws\nDescription:\n\t" + "\u00e9" * (form_parser.MAX_FORM_BYTES // 2)
    assert form_parser.parse(text).problem == "is over 4 MiB; remove lines, or split it"
