"""Which characters are shown unchanged; the others are escaped.

Beyond ASCII these are invisible characters and those that move their neighbours. The table does
not depend on a Unicode version; `triggers/gate/src/base/visible.rs` has the same one.
"""

from __future__ import annotations

import re

from p4warden.core.printable import printable

_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    r"\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164"
    r"\ud800-\uf8ff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)


def is_visible(character: str) -> bool:
    """Tell whether a non-ASCII character may be shown unchanged."""
    return not _HIDDEN.match(character)


def visible_text(text: str) -> str:
    """Escape the invisible characters of a line."""
    return _HIDDEN.sub(lambda hidden: printable(hidden[0]), text)


def shown_lines(text: str) -> str:
    """Escape invisible characters for a page, mail or terminal; view lines can be copied."""
    return "\n".join(visible_text(line) for line in text.split("\n"))
