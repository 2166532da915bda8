"""Tests of trigger lines with hostile names: these arrive, or the line counts as tampered.

The sandbox's variable expansion and word splitter act as p4d; they follow the Perforce C++ API and
share no code with p4warden. A name arrives if it is unchanged apart from its quotation marks. No
check can detect quotation marks in pairs, which vanish, or a NUL behind a forged end of the line.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from p4warden.core.trigger_options import ORDER
from support.examples import examples
from support.form_oracle import Core
from support.hostile_names import (
    FORMS,
    LINES,
    PIECES,
    VARIABLES,
    is_exact,
    is_whole,
    words_of_line,
)
from support.judged import judging_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.asking.judge import Judge

hostile = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=7).map("".join)
names = hostile.filter(lambda text: "\0" not in text)
names_by_variable = st.fixed_dictionaries(dict.fromkeys((*VARIABLES.values(), "args"), names))


class Arrived(NamedTuple):
    """What the gate reads from the words of a trigger line."""

    has_known_form: bool
    is_tampered: bool
    options: dict[str, str]


@pytest.fixture(scope="module")
def core() -> Iterator[Core]:
    with contextlib.closing(Core()) as core:
        yield core


def arrives(core: Core, line: str, values: Mapping[str, str]) -> Arrived:
    words = words_of_line(LINES[line], values)
    has_known_form, is_tampered, options = core.ask(ask="arguments", words=words)
    return Arrived(has_known_form, is_tampered, dict(options))


@given(line=st.sampled_from(sorted(LINES)), values=names_by_variable)
@settings(max_examples=examples(300), deadline=None)
def test_a_hostile_name_arrives_or_the_trigger_line_counts_as_tampered(
    core: Core, line: str, values: Mapping[str, str]
) -> None:
    line_arguments = arrives(core, line, values)
    assert line_arguments.has_known_form
    assert line_arguments.is_tampered or (
        is_exact(line_arguments.options, values)
        and is_whole(line_arguments.options, values, LINES[line])
    )


@given(values=names_by_variable)
@settings(max_examples=examples(150), deadline=None)
def test_values_before_the_break_in_a_command_trigger_line_arrive_unchanged(
    core: Core, values: Mapping[str, str]
) -> None:
    assert is_exact(arrives(core, "command", values).options, values)


@given(
    line=st.sampled_from(sorted(LINES)),
    values=st.fixed_dictionaries(dict.fromkeys((*VARIABLES.values(), "args"), st.text())),
)
@example("command", dict.fromkeys((*VARIABLES.values(), "args"), "a -- b"))
@settings(max_examples=examples(200), deadline=None)
def test_names_without_quotation_marks_arrive_unchanged(
    core: Core, line: str, values: Mapping[str, str]
) -> None:
    plain = {name: text.replace('"', "").replace("\0", "") for name, text in values.items()}
    # Exclude examples whose name contains an option of the trigger line: these count as tampered.
    options = ("--end", *(f"--{name}=" for name in ORDER))
    assume(not any(option in text for option in options for text in plain.values()))
    line_arguments = arrives(core, line, plain)
    assert not line_arguments.is_tampered
    assert is_exact(line_arguments.options, plain)
    assert is_whole(line_arguments.options, plain, LINES[line])


def test_quotation_marks_in_pairs_are_dropped_and_not_detected(core: Core) -> None:
    values = dict.fromkeys((*VARIABLES.values(), "args"), "x")
    line_arguments = arrives(core, "command", {**values, "user": 'p4"ad"min'})
    assert (line_arguments.is_tampered, line_arguments.options["user"]) == (False, "p4admin")


def test_a_nul_behind_a_forged_end_of_a_trigger_line_is_not_detected(core: Core) -> None:
    values = dict.fromkeys((*VARIABLES.values(), "args"), "x")
    forgery = arrives(
        core, "command", {**values, "clientprog": 'p4" "--cwd=" "--args=a " "--end=.\0'}
    )
    assert (forgery.is_tampered, forgery.options["prog"]) == (False, "p4")
    line = arrives(core, "command", {**values, "clientprog": "p4\0"})
    assert line.is_tampered


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with judging_by({"rules": [FORMS]}) as judge:
        yield judge


@given(values=names_by_variable)
@settings(max_examples=examples(300), deadline=None)
def test_a_rehearsed_event_counts_as_tampered_like_its_trigger_line(
    core: Core, judge: Judge, values: Mapping[str, str]
) -> None:
    names = {"user": "user", "client": "client", "name": "formname", "prog": "clientprog"}
    event = {name: values[variable] for name, variable in names.items()}
    narrow = "View:\n\t//depot/a/b/... //ws/b/...\n"
    answer = judge.ask({"event": "form-save", "type": "client", "form": narrow, **event})
    line_arguments = arrives(core, "form-save.client", values)
    assert (answer["verdict"] == "refuse") == line_arguments.is_tampered
