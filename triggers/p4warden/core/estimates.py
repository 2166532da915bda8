"""Round estimated numbers of files and rows for messages and reports."""

from __future__ import annotations

_DIGITS = 3


def about(number: int) -> str:
    """Return an estimate rounded down to three significant digits, as text (`12,400,000`)."""
    unit = 10 ** max(len(str(number)) - _DIGITS, 0)
    return f"{number // unit * unit:,}"
