"""Tests of the sandbox's `p4 print` of a part of a file (`--offset`, `--size`)."""

import pytest
from P4 import P4Exception

from support.workspaces import ClientWorkspace

FILE = "//depot/work/a.txt"


@pytest.fixture
def client_disk(disk: ClientWorkspace) -> ClientWorkspace:
    disk.write("work/a.txt", "0123456789\n")
    disk.p4.run("add", str(disk.root / "work" / "a.txt"))
    disk.p4.run("submit", "-d", "a file")
    return disk


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ((), "0123456789\n"),
        (("--offset", "4"), "456789\n"),
        (("--size=3",), "012"),
        (("--offset=4", "--size", "3"), "456"),
        (("--offset=4", "--size=100"), "456789\n"),
        (("--offset=100",), ""),
        (("--offset=4", "--size=0"), "456789\n"),
    ],
)
def test_print_returns_the_part_of_a_file_that_offset_and_size_select(
    client_disk: ClientWorkspace, part: tuple[str, ...], content: str
) -> None:
    row, *texts = client_disk.p4.run("print", "-q", *part, FILE)

    assert (row["depotFile"], "".join(texts)) == (FILE, content)


@pytest.mark.parametrize(
    ("part", "error"),
    [
        (("--offset", "x"), "Option: -offset needs a non-negative integer argument."),
        (("--size=-1",), "Option: -size needs a non-negative integer argument."),
    ],
)
def test_print_refuses_an_invalid_offset_or_size(
    client_disk: ClientWorkspace, part: tuple[str, ...], error: str
) -> None:
    with pytest.raises(P4Exception) as failure:
        client_disk.p4.run("print", *part, FILE)
    assert failure.value.errors == [error]
