"""Tests of a rollback that restores earlier p4warden lines and leaves all other trigger lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from p4warden.table.merge import Owner
from p4warden.table.restored_lines import restore
from p4warden.table.triggers_table import TriggerLine

HEAD = "Triggers:\n"
A, B, C = (f"\t{name} form-save client /opt/{name}\n" for name in "abc")
OWNER = Owner("p4warden.", "/home")


def own_line(name: str, program: str = "/opt/gate") -> str:
    command = f"{program} %quote%--home=/home%quote%"
    return TriggerLine(f"p4warden.{name}", "form-save", "client", command).text()


X, Y, Z = map(own_line, "xyz")
NEWER = own_line("x", "/opt/new/gate")


def after(now: str, backup: str) -> str:
    return restore(HEAD + now, HEAD + backup, OWNER).after.removeprefix(HEAD)


def test_a_rollback_restores_the_earlier_table_byte_for_byte() -> None:
    earlier = "\t# of ann\n" + A + X + "\n" + Y + B
    assert after("\t# of ann\n" + NEWER + A + "\n" + B + Z, earlier) == earlier


def test_p4wardens_trigger_lines_are_restored_behind_the_same_foreign_lines() -> None:
    assert after(A + B + C + NEWER, A + X + B) == A + X + B + C
    assert after(C + A + B, A + X + B + Y) == C + A + X + B + Y


def test_restored_trigger_lines_follow_the_nearest_foreign_line_that_remains() -> None:
    assert after(A + C, A + B + X + C) == A + X + C
    assert after(B + C, A + X) == B + C + X
    assert after("", A + X) == X


def test_an_edited_foreign_trigger_line_is_recognized_by_its_name() -> None:
    edited_line = A.replace("/opt/a", "/opt/a2")
    assert after(edited_line + B, A + X + B) == edited_line + X + B


def test_leading_p4warden_lines_are_restored_above_a_foreign_comment() -> None:
    comment = "\t# of ann\n"
    assert after(comment + A + B, X + A) == X + comment + A + B


def test_a_missing_line_end_at_the_end_of_the_table_is_added() -> None:
    assert after(A + B.rstrip("\n"), B + X) == A + B + X


rows = st.lists(st.sampled_from([A, B, C, X, Y, Z, NEWER, "\t# a comment\n", "\n"]), max_size=8)


@given(rows, rows)
def test_foreign_lines_keep_their_order_and_p4wardens_lines_are_the_earlier_lines(
    now: list[str], backup: list[str]
) -> None:
    plan = restore(HEAD + "".join(now), HEAD + "".join(backup), OWNER)
    result = plan.after.removeprefix(HEAD).splitlines(keepends=True)
    assert [row for row in result if not OWNER.has(row)] == [r for r in now if not OWNER.has(r)]
    assert sorted(r for r in result if OWNER.has(r)) == sorted(r for r in backup if OWNER.has(r))
    assert restore(plan.after, HEAD + "".join(backup), OWNER).after == plan.after
