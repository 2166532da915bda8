"""The differences between the answers of two builds that are intended, by name.

A function gets the event, the old and the new line, and tells whether the name explains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED: dict[str, Callable[[bytes, bytes, bytes], bool]] = {}
