"""Any other exception is a bug in p4warden."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class P4WardenError(Exception):
    """Base class of expected failures; the text names the problem, and a remedy if known."""

    exit_code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem}; {remedy}" if remedy else problem)
        self.problem, self.remedy = problem, remedy

    def printed_text(self) -> str:
        return f"p4warden: {self}"


class WrongAccountError(P4WardenError):
    """Error: only another account of this host can do this; `account` is its name."""

    def __init__(self, problem: str, account: str) -> None:
        super().__init__(problem, f"run this as {account}")
        self.account = account


class PolicyWrongError(P4WardenError):
    """Error: a policy file has problems; the text has one line for each: `file:line:col: ...`."""

    def printed_text(self) -> str:
        """Return the problems without the prefix `p4warden: `, so that editors can find them."""
        return str(self)


@contextlib.contextmanager
def os_errors_as(kind: type[P4WardenError], problem: str) -> Iterator[None]:
    """Context manager: in place of an OSError raise one of this kind, `PROBLEM: REASON`."""
    try:
        yield
    except OSError as error:
        raise kind(f"{problem}: {error.strerror}") from error
