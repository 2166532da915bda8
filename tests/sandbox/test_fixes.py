"""Tests of the sandbox's `p4 fixes`: its list is always empty, but arguments are checked."""

import pytest
from P4 import P4Exception

from support.workspaces import Disk


def test_there_are_none(disk: Disk) -> None:
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
def test_what_is_not_there(disk: Disk, arguments: tuple[str, ...], problem: str) -> None:
    with pytest.raises(P4Exception) as refused:
        disk.p4.run("fixes", *arguments)
    assert [*refused.value.errors, *refused.value.warnings] == [problem]
