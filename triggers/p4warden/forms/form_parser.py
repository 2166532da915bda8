"""Parse the text of a spec form into fields, as p4d reads it.

The rules are those of the tokenizer that p4d shares with Perforce's C++ API (support/specparse.cc
and specdata.cc): a tag stands in column 0 (the first one may be indented) and ends with a colon,
indented lines are its values, `#` outside quotes starts a comment, a quote shields `#` and line
ends, a repeated field continues the earlier one. Text blocks have no quotes, and no comments but
lines with `#` in column 0.

The kind of a field determines where the field ends, so a wrong guess could hide a view from the
rules. For forms that rules judge, the kinds of p4d's own fields are known. A field that a site
defined may be of any kind: a form in which a quote left open there may hide p4d's own fields
counts as unreadable.
"""

from __future__ import annotations

from p4warden.core.light_typing import NamedTuple
from p4warden.core.records import Form, FormLine

MAX_FORM_BYTES = 4 * 1024 * 1024
MAX_LINES = 50_000
"""Largest number of lines of a form that is parsed; a longer form is refused unread. A
view of 20,000 lines takes 2 MB.
"""

# Maximum size in bytes, with escapes, of the part of a form's line that an error message quotes.
_MAX_QUOTED_BYTES = 40

BLANKS = " \t\r\v\f"
# Blanks that p4d removes from the end of a quoted form value (observed with P4Python 2026.1).
_LAST_BLANKS = " \t\r"
TEXT_FIELDS = frozenset({"description"})
# Fields of client, stream, branch, label and depot forms, as p4d defines them, that are not text
# blocks.
QUOTED_FIELDS = frozenset(
    (
        "access address altroots backup branch changeview client components date depot host "
        "ignored label limitview lineend map name options owner parent parentview paths "
        "remapped revision root serverid specmap stream streamatchange streamdepth "
        "submitoptions suffix type update view "
    ).split()
)


class _UnreadableFormError(Exception):
    """Error: a form's text cannot be read; the message gives the reason."""


class _Value(NamedTuple):
    text: str
    next_row: int


def parse(text: str) -> Form:
    """Parse the text of a spec form.

    Args:
        text: the form, with LF or CRLF line ends; bytes that are not UTF-8 as surrogate escapes.

    Returns:
        The form. A form that cannot be judged (for example, too large, empty or malformed) has a
        `problem` and no fields.
    """
    rows = text.split("\n")
    problem = _too_much(text, rows)
    if problem:
        return Form({}, problem)
    try:
        fields = _fields(rows)
        _refuse_double_meaning(rows, fields)
    except _UnreadableFormError as problem:
        return Form({}, f"cannot be read: {problem}")
    return Form(fields, None, text) if fields else Form({}, "is empty")


def _too_much(text: str, rows: list[str]) -> str | None:
    """Return why a form is refused unparsed (too many bytes or lines, a NUL), or None."""
    if len(text) > MAX_FORM_BYTES or len(text.encode("utf-8", "replace")) > MAX_FORM_BYTES:
        return f"is over {MAX_FORM_BYTES // 1024 // 1024} MiB; remove lines, or split it"
    if len(rows) > MAX_LINES:
        return f"has over {MAX_LINES:,} lines; remove lines, or split it"
    # A form with a NUL is refused, because p4d ignores the text after a NUL.
    return "contains a NUL character; remove it" if "\0" in text else None


def _refuse_double_meaning(rows: list[str], fields: dict[str, tuple[FormLine, ...]]) -> None:
    """Refuse a form if an open quote in a site-defined field could hide fields of p4d's own.

    The end of such a field depends on its kind, text or words, which only the server knows. The
    form is refused if it parses both ways, and `QUOTED_FIELDS` differ between the two readings.
    """
    own = fields.keys() - QUOTED_FIELDS - TEXT_FIELDS
    if not any('"' in line.text for name in own for line in fields[name]):
        return
    try:
        other = _fields(rows, own_are_text=False)
    except _UnreadableFormError:
        # If the site-defined fields were words, p4d itself would refuse the form. So the reading
        # of these fields as text, as in `fields`, is the only possible one.
        return
    if any(other.get(name) != fields.get(name) for name in QUOTED_FIELDS):
        names = _quoted(", ".join(sorted(own)))
        raise _UnreadableFormError(
            f"a quotation mark in {names} is left open; add the second one, or remove it"
        )


def _fields(rows: list[str], *, own_are_text: bool = True) -> dict[str, tuple[FormLine, ...]]:
    values: dict[str, list[str]] = {}
    field = None
    row = 0
    while row < len(rows):
        line = rows[row] if field else rows[row].lstrip(BLANKS)
        if line[:1] == "#" or not line.strip(BLANKS):
            row += 1
            continue
        if field is None or line[0] not in BLANKS:
            # p4d accepts an indented tag for the first field of a form, but not for later ones.
            field, line = _tag(line, row)
            values.setdefault(field, [])
        is_text = field in TEXT_FIELDS or (own_are_text and field not in QUOTED_FIELDS)
        text, row = _Value(line.strip(BLANKS), row + 1) if is_text else _value(rows, row, line)
        if text:
            values[field].append(text)
    return {name: tuple(map(FormLine, range(1, len(v) + 1), v)) for name, v in values.items()}


def _tag(line: str, row: int) -> tuple[str, str]:
    """Split a form's line `Tag: value` into the tag in lower case and the rest."""
    tag, colon, rest = line.partition(":")
    if not colon or not tag or any(blank in tag for blank in BLANKS + "#"):
        raise _UnreadableFormError(
            f"line {row + 1} ({_quoted(line)}) is neither indented nor the start of a field (a "
            "name followed by a colon, such as View:). Indent it if it belongs to the field above "
            "it, otherwise remove it"
        )
    return tag.lower(), rest


def _quoted(line: str) -> str:
    """Return the start of a form's line for an error message; hidden characters are escaped."""
    from p4warden.core.visible import visible_excerpt  # noqa: PLC0415 - most forms can be read

    return visible_excerpt(line.strip(BLANKS), unicode=True, most_bytes=_MAX_QUOTED_BYTES)


def _value(rows: list[str], row: int, line: str) -> _Value:
    """Read a form value that starts in `line`, a form's line without its tag or indentation."""
    if '"' not in line:
        return _Value(line.partition("#")[0].strip(BLANKS), row + 1)
    return _quoted_value(rows, row, line)


def _quoted_value(rows: list[str], row: int, line: str) -> _Value:
    """Read a form value with quotes, which shield `#` and line ends until the next quote."""
    parts: list[str] = []
    start_number, start = row + 1, line
    inside = False
    while True:
        piece, inside = _until_comment(line, inside=inside)
        parts.append(piece)
        row += 1
        if not inside:
            return _Value("".join(parts).lstrip(BLANKS).rstrip(_LAST_BLANKS), row)
        if row == len(rows):
            raise _UnreadableFormError(
                f"the quotation mark in line {start_number} ({_quoted(start)}) is left open; add "
                "a second one, or remove it"
            )
        parts.append("\n")
        line = rows[row]


def _until_comment(line: str, *, inside: bool) -> tuple[str, bool]:
    """Return a form's line without its comment, and whether a quote is open at its end.

    Args:
        line: the line of the form.
        inside: whether a quote is open at the start of the line.
    """
    at = 0
    while True:
        quote = line.find('"', at)
        end = len(line) if quote < 0 else quote
        comment = -1 if inside else line.find("#", at, end)
        if comment >= 0:
            return line[:comment], False
        if quote < 0:
            return line, inside
        inside, at = not inside, quote + 1
