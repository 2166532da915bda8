"""Tests that p4warden keeps other tools' lines in the triggers table byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.table import triggers_table
from p4warden.table.merge import Owner, Plan, TablePosition
from p4warden.table.merge import merge as merge_for
from p4warden.table.triggers_table import TriggerLine

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD = "# Perforce Submit and Form Validating Trigger Specifications.\n#\n\nTriggers:\n"
SWARM = '\tswarm.job form-commit job "%//.swarm/triggers/swarm-trigger.pl% -t job -v %formname%"\n'
ODD = '   "odd name"\tchange-submit   //depot/\u00e9/... "a b"   # comment\n'
HOME = "%quote%--home=/var/lib/p4warden%quote%"
OWN_LINE = TriggerLine(
    "p4warden.form-save.client", "form-save", "client", f"/opt/p4warden x {HOME}"
)
OTHER = TriggerLine("p4warden.form-save.stream", "form-save", "stream", f"/opt/p4warden y {HOME}")

OWNER = Owner("p4warden.", "/var/lib/p4warden")


def merge(form: str, lines: Iterable[TriggerLine], place: TablePosition | None = None) -> Plan:
    return merge_for(form, lines, OWNER, place)


names = st.text(alphabet='abp4warden.#"%\u00e9\udce9', min_size=1, max_size=12)
foreign_rows = st.one_of(
    st.just(SWARM),
    st.just(ODD),
    st.just("\n"),
    st.just("# a comment\n"),
    st.just('\tx command pre-user-y "two\nlines"\n'),
    names.filter(lambda n: '"' not in n and "#" not in n and not n.startswith("p4warden.")).map(
        lambda name: f"\t{name} command pre-user-x$ pass\n"
    ),
)
our_rows = st.sampled_from(["form-save.client", "form-save.stream", "old"]).map(
    lambda name: f'\tp4warden.{name} form-save client "old command {HOME}"\n'
)
our_lines = st.lists(st.sampled_from([OWN_LINE, OTHER]), unique=True)


def foreign(form: str) -> list[str]:
    """Return all lines of a triggers form except those that begin with `p4warden.`."""
    return [row for row in form.split("\n") if not row.strip().startswith("p4warden.")]


@given(st.lists(st.one_of(foreign_rows, our_rows)), our_lines)
def test_a_merge_keeps_foreign_lines_and_writes_exactly_the_given_lines(
    rows: list[str], lines: list[TriggerLine]
) -> None:
    form = HEAD + "".join(rows)
    plan = merge(form, lines)
    assert foreign(plan.after) == foreign(form)
    own_rows = [row for row in triggers_table.entries(plan.after) if row.startswith("\tp4warden.")]
    assert sorted(own_rows) == sorted(line.text() for line in lines)


@given(st.lists(st.one_of(foreign_rows, our_rows)), our_lines)
def test_a_second_merge_changes_nothing(rows: list[str], lines: list[TriggerLine]) -> None:
    once = merge(HEAD + "".join(rows), lines)
    again = merge(once.after, lines)
    assert not again.changes
    assert (again.added, again.updated, again.removed) == ((), (), ())


@given(st.lists(foreign_rows), our_lines)
def test_an_uninstall_restores_the_table_from_before_the_merge(
    rows: list[str], lines: list[TriggerLine]
) -> None:
    form = HEAD + "".join(rows)
    installed = merge(form, lines)
    assert merge(installed.after, ()).after == form


def test_p4wardens_lines_are_updated_in_place_and_new_lines_appended() -> None:
    old = f'\tp4warden.form-save.client form-save client "old command {HOME}"\n'
    plan = merge(HEAD + SWARM + old + ODD + "\n", [OWN_LINE, OTHER])
    assert plan.after == HEAD + SWARM + OWN_LINE.text() + ODD + OTHER.text() + "\n"
    assert plan.added == ("p4warden.form-save.stream",)
    assert plan.updated == ("p4warden.form-save.client",)
    assert (plan.removed, plan.kept_count, plan.foreign) == ((), 0, 2)


def test_a_duplicate_trigger_line_is_removed() -> None:
    plan = merge(HEAD + OWN_LINE.text() + SWARM + OWN_LINE.text(), [OWN_LINE])
    assert plan.after == HEAD + OWN_LINE.text() + SWARM
    assert plan.removed == ("p4warden.form-save.client",)


def test_a_missing_line_end_at_the_end_of_the_table_is_added() -> None:
    plan = merge(HEAD + SWARM.rstrip("\n"), [OWN_LINE])
    assert plan.after == HEAD + SWARM + OWN_LINE.text()


def test_a_form_without_the_triggers_field_is_refused() -> None:
    with pytest.raises(triggers_table.TableError, match="no Triggers: field"):
        merge("# nothing\n", [OWN_LINE])


def test_a_trigger_command_with_a_number_sign_is_quoted() -> None:
    line = TriggerLine("p4warden.x", "command", "pre-user-x$", "a#b")
    assert line.text() == '\tp4warden.x command pre-user-x$ "a#b"\n'
