"""A number with its noun in the singular or plural."""

from __future__ import annotations


def amount(number: int, one: str, several: str | None = None) -> str:
    """Return `1 rule` or `3 rules`; `several` is a plural that is not formed by adding an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
