from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEPT_PERCENT = 99
_STEP_BYTES = 20
_LEAST_FILES = 100
"""Fewer tell nothing about the last percent."""


# `lengths`: bytes of a path, and the number of files whose paths have so many; shortest first.


def usual_most(lengths: Sequence[tuple[int, int]]) -> int | None:
    """Return the bytes that 99 % of the paths do not exceed; None for too few."""
    total, seen = sum(files for _, files in lengths), 0
    for length_bytes, files in lengths:
        seen += files
        if total >= _LEAST_FILES and 100 * seen >= _KEPT_PERCENT * total:
            return length_bytes
    return None


def rounded_up(length_bytes: int) -> int:
    """Return the next multiple of 20 bytes."""
    return -(-length_bytes // _STEP_BYTES) * _STEP_BYTES


def percent_over(lengths: Sequence[tuple[int, int]], limit_bytes: int) -> float:
    """Return the percentage of paths that are longer than a limit; 0 without paths."""
    total = sum(files for _, files in lengths)
    over = sum(files for length_bytes, files in lengths if length_bytes > limit_bytes)
    return 100 * over / total if total else 0.0
