"""Make cells of p4warden's CSV files safe for spreadsheet programs, which run formulas."""

from __future__ import annotations

import re

from p4warden.core.printable import printable

_BEFORE_A_FORMULA = re.compile(r"""(^|\n|;"*)(?=[=+@-])""")
"""Some languages' spreadsheet programs separate cells by semicolons; a tab is never printed."""


def spec_lines(text: str) -> str:
    """Return view lines as a CSV cell that can be copied from a spreadsheet into a p4 form.

    A path after a sign, as in `+//depot/a/...`, is put in quotes with its sign: p4 reads the same
    line with and without them, and no spreadsheet program takes a quoted text for a formula. Empty
    if the lines cannot be shown unchanged.
    """
    quoted = "\n".join(map(_quoted, text.split("\n")))
    return "" if _BEFORE_A_FORMULA.search(quoted) else cell(quoted)


def _quoted(line: str) -> str:
    if not line.startswith(("+//", "-//", "&//")):
        return line
    path, *rest = line.split(" ", 1)
    return " ".join((f'"{path}"', *rest))


def cell(text: str) -> str:
    """Return a text as a CSV cell: printable, and never taken for a formula by a spreadsheet."""
    printable_text = "".join(c if c.isprintable() or c == "\n" else printable(c) for c in text)
    return _BEFORE_A_FORMULA.sub(r"\1'", printable_text)
