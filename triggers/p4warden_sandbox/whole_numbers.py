from __future__ import annotations

_MOST_DIGITS = 18
"""Most digits that always fit into 64 bits, as p4d's numbers do; Python accepts up to 4,300."""


def is_whole_number(text: str) -> bool:
    """Tell whether a text from a p4 client is a whole number of 1 to 18 ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
