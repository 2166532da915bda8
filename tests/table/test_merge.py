"""Tests of merging p4warden's lines into the triggers table: their place and ownership."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.table.merge import Owner, TablePosition, merge
from p4warden.table.triggers_table import TableError, TriggerLine

HEAD = "Triggers:\n"
A, B, C = (f"\t{name} form-save client /opt/{name}\n" for name in "abc")
OWNER = Owner("p4warden.", "/home")
LINE = TriggerLine("p4warden.x", "form-save", "client", "/opt/gate %quote%--home=/home%quote%")
OTHER = TriggerLine("p4warden.y", "command", "pre-user-x$", "/opt/gate %quote%--home=/home%quote%")
X, Y = LINE.text(), OTHER.text()


def placed(form: str, where: str, name: str = "") -> str:
    return merge(form, [LINE, OTHER], OWNER, TablePosition(where, name)).after


@pytest.mark.parametrize(
    ("place", "after"),
    [
        (("first", ""), HEAD + X + Y + A + B + C),
        (("last", ""), HEAD + A + B + C + X + Y),
        (("before", "b"), HEAD + A + X + Y + B + C),
        (("after", "b"), HEAD + A + B + X + Y + C),
        (("before", "a"), HEAD + X + Y + A + B + C),
        (("after", "c"), HEAD + A + B + C + X + Y),
    ],
)
def test_p4wardens_trigger_lines_are_placed_as_specified(
    place: tuple[str, str], after: str
) -> None:
    assert placed(HEAD + A + B + C, *place) == after
    assert placed(HEAD + X + A + Y + B + C, *place) == after
    assert placed(after, *place) == after


def test_comments_above_a_trigger_line_stay_above_that_trigger_line() -> None:
    comment = "\t## b is important\n"
    assert placed(HEAD + A + comment + B, "before", "b") == HEAD + A + X + Y + comment + B
    assert placed(HEAD + comment + B, "first") == HEAD + X + Y + comment + B
    apart = "\t## Ask the ops team first.\n\n"
    assert placed(HEAD + apart + B, "first") == HEAD + apart + X + Y + B


def test_the_place_after_a_name_is_behind_the_last_trigger_line_of_that_name() -> None:
    assert placed(HEAD + A + B + A + C, "after", "a") == HEAD + A + B + A + X + Y + C
    assert placed(HEAD + A + B + A + C, "before", "a") == HEAD + X + Y + A + B + A + C


def test_an_unknown_name_of_a_place_is_an_error_that_lists_existing_names() -> None:
    with pytest.raises(TableError, match="no line of another tool is named z; there are: a, b"):
        placed(HEAD + A + B, "after", "z")
    with pytest.raises(TableError, match="there are: none"):
        placed(HEAD, "before", "z")


def test_moved_and_unchanged_trigger_lines_are_reported() -> None:
    plan = merge(HEAD + X + A + Y, [LINE, OTHER], OWNER, TablePosition("last"))
    assert (plan.moved, plan.kept_count, plan.foreign) == (("p4warden.x",), 1, 1)
    assert not merge(plan.after, [LINE, OTHER], OWNER, TablePosition("last")).changes
    assert merge(plan.after, [LINE, OTHER], OWNER).moved == ()


def test_trigger_lines_of_other_installations_are_left_alone_by_name_and_home() -> None:
    elsewhere = '\tp4warden.x form-save client "/opt/gate %quote%--home=/elsewhere%quote%"\n'
    test = '\tp4warden-test.x form-save client "/opt/gate %quote%--home=/test%quote%"\n'
    plan = merge(HEAD + elsewhere + test + A, [LINE], OWNER)
    assert plan.strangers == ("p4warden.x",)
    assert (plan.added, plan.foreign) == (("p4warden.x",), 3)
    assert merge(HEAD + elsewhere + test, (), OWNER).after == HEAD + elsewhere + test
    assert merge(HEAD + test + A, (), Owner("p4warden-test.", "/test")).after == HEAD + A


def test_a_foreign_trigger_line_with_p4wardens_name_prefix_is_left_alone() -> None:
    local = "\tp4warden.local-names form-save client /site/names\n"
    plan = merge(HEAD + local, [LINE], OWNER)
    assert (plan.removed, plan.strangers) == ((), ("p4warden.local-names",))
    assert merge(plan.after, (), OWNER).after == HEAD + local


def test_a_longer_home_with_the_same_prefix_is_of_another_installation() -> None:
    longer = '\tp4warden.x form-save client "/opt/gate %quote%--home=/home2%quote%"\n'
    assert merge(HEAD + longer, (), OWNER).strangers == ("p4warden.x",)


rows = st.lists(st.sampled_from([A, B, C, X, Y, "\n", "\t## comment\n", "# a\n"]), max_size=12)
places = st.sampled_from([None, TablePosition("first"), TablePosition("last")])


@given(rows, places)
def test_foreign_trigger_lines_keep_bytes_and_order_in_every_place(
    rows: list[str], place: TablePosition | None
) -> None:
    others = [row for row in rows if row not in (X, Y)]
    after = merge(HEAD + "".join(rows), [LINE, OTHER], OWNER, place).after
    lines = list(after.removeprefix(HEAD).splitlines(keepends=True))
    assert [row for row in lines if row not in (X, Y)] == others
    assert sorted(row for row in lines if row in (X, Y)) == sorted([X, Y])
