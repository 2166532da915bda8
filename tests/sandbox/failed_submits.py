"""Function that returns the error message of a refused submit, for several test files."""

import pytest
from P4 import P4Exception

from support.workspaces import ClientWorkspace


def submit_fails(disk: ClientWorkspace, *arguments: str) -> str:
    """Run `p4 submit`, which must fail, and return its error message."""
    with pytest.raises(P4Exception) as error:
        disk.p4.run("submit", *arguments)
    return error.value.errors[0]
