"""Make cells of p4warden's CSV files safe for spreadsheet programs, which run formulas."""

from __future__ import annotations

from p4warden.core.printable import printable

_FORMULA = ("=", "+", "-", "@")


def spec_lines(text: str) -> str:
    """Return view lines as a CSV cell that can be copied from a spreadsheet into a p4 form.

    A path after a sign, as in `+//depot/a/...`, is put in quotes with its sign: p4 reads the same
    line with and without them, and no spreadsheet program takes a quoted text for a formula.
    """
    return cell("\n".join(map(_quoted, text.split("\n"))))


def _quoted(line: str) -> str:
    if not line.startswith(("+//", "-//", "&//")):
        return line
    path, *rest = line.split(" ", 1)
    return " ".join((f'"{path}"', *rest))


def cell(text: str) -> str:
    """Return a text as a CSV cell: printable, and never taken for a formula by a spreadsheet."""
    printable_text = "".join(c if c.isprintable() or c == "\n" else printable(c) for c in text)
    return f"'{printable_text}" if printable_text.startswith(_FORMULA) else printable_text
