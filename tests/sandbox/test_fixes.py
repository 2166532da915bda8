"""Tests of the sandbox's `p4 fixes`: its list is always empty, but arguments are checked."""

import pytest
from P4 import P4Exception

from support.workspaces import ClientWorkspace


def test_fixes_returns_an_empty_list(disk: ClientWorkspace) -> None:
    number = disk.submit("work/a.c")

    assert disk.p4.run("fixes") == []
    assert disk.p4.run("fixes", "-c", number) == []
    assert disk.p4.run("fixes", "-m1", "//depot/work/a.c") == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("-c", "9999"), "Change 9999 unknown."),
        (("-c", "x"), "Invalid changelist number 'x'."),
        (("//depot/work/none",), "//depot/work/none - no such file(s)."),
    ],
)
def test_fixes_reports_an_unknown_changelist_or_file(
    disk: ClientWorkspace, arguments: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(P4Exception) as error:
        disk.p4.run("fixes", *arguments)
    assert [*error.value.errors, *error.value.warnings] == [problem]
