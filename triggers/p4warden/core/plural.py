from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ESTIMATED_DIGITS = 3


def amount(number: int, one: str, several: str | None = None) -> str:
    """Return a count with its noun, such as `3,000 rules`; `several` is an irregular plural."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Return names as words of a sentence, such as `a, b and c`; `joint` is `and` or `or`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def some(names: Sequence[str], most: int, shown: Callable[[str], str]) -> str:
    """Return the first names as words of a sentence, and how many more there are."""
    more = len(names) - most
    return listed([*map(shown, names[:most]), *([f"{more:,} more"] if more > 0 else [])])


def about(number: int) -> str:
    """Return an estimate rounded down to three significant digits, as text (`12,400,000`)."""
    unit = 10 ** max(len(str(number)) - _ESTIMATED_DIGITS, 0)
    return f"{number // unit * unit:,}"
