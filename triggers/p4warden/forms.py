"""Form text -> fields, as p4d reads it.

The rules are those of the tokenizer that p4d shares with Perforce's C++ API (support/specparse.cc
and specdata.cc): a tag stands in column 0 and ends with a colon, indented lines are its values,
`#` outside quotes starts a comment, a quote shields `#` and line ends, a repeated field goes on.
Text blocks know neither quotes nor comments.

Which kind a field is decides where it ends, so a wrong guess could hide a view from us. The kinds
of p4d's own fields are known. A field that a site defined may be of any kind: where that would
make a difference, because a quote is left open, the form counts as unreadable.
"""

from __future__ import annotations

from typing import NamedTuple

from p4warden.records import Form, FormLine

MAX_FORM_BYTES = 4 * 1024 * 1024
"""A longer form is refused unread: a view of 20,000 lines is 2 MB."""

BLANKS = " \t\r\v\f"
TEXT_FIELDS = frozenset({"description"})
# p4d's own fields of client, stream, branch, label and depot forms that are no text blocks.
QUOTED_FIELDS = frozenset(
    (
        "access address altroots backup branch changeview client components date depot host "
        "ignored label limitview lineend map name options owner parent parentview paths "
        "remapped revision root serverid specmap stream streamatchange streamdepth "
        "submitoptions suffix type update view "
    ).split()
)


class _Unreadable(Exception):  # noqa: N818 - a fact about the form, not an error of ours
    """The form cannot be read; the text says why."""


class _Value(NamedTuple):
    text: str
    next_row: int


def parse(text: str) -> Form:
    """Read a form.

    Args:
        text: the form, any line ends; bytes that are no UTF-8 as surrogate escapes.

    Returns:
        The form; one that p4d could not read either has a `problem` and no fields.
    """
    if len(text) > MAX_FORM_BYTES or len(text.encode("utf-8", "replace")) > MAX_FORM_BYTES:
        return Form({}, f"is over {MAX_FORM_BYTES // 1024 // 1024} MiB")
    try:
        fields = _fields(text.split("\n"))
    except _Unreadable as problem:
        return Form({}, f"cannot be read: {problem}")
    return Form(fields) if fields else Form({}, "is empty")


def _fields(rows: list[str]) -> dict[str, tuple[FormLine, ...]]:
    """Collect the values of every field; rows are the form's lines."""
    values: dict[str, list[str]] = {}
    field = None
    row = 0
    while row < len(rows):
        line = rows[row]
        if line[:1] == "#" or not line.strip(BLANKS):
            row += 1
            continue
        if field is None or line[0] not in BLANKS:
            # p4d skips blanks before the first tag, and before that one only.
            field, line = _tag(line.lstrip(BLANKS) if field is None else line, row)
            values.setdefault(field, [])
        text, row = _value(field, rows, row, line)
        if text:
            values[field].append(text)
    return {name: tuple(map(FormLine, range(1, len(v) + 1), v)) for name, v in values.items()}


def _tag(line: str, row: int) -> tuple[str, str]:
    """Split `Tag: value` into the tag in lower case and the rest of the line."""
    tag, colon, rest = line.partition(":")
    if not colon or not tag or any(blank in tag for blank in BLANKS + "#"):
        raise _Unreadable(f"line {row + 1} is neither a field (Name:) nor indented below one")
    return tag.lower(), rest


def _value(field: str, rows: list[str], row: int, line: str) -> _Value:
    """Read the value that starts in `line`, which is the row after its tag or indentation."""
    if field in TEXT_FIELDS:
        return _Value(line.strip(BLANKS), row + 1)
    if '"' not in line:
        return _Value(line.partition("#")[0].strip(BLANKS), row + 1)
    value = _quoted_value(rows, row, line)
    if value.next_row > row + 1 and field not in QUOTED_FIELDS:
        raise _Unreadable(f"line {row + 1} opens a quote and does not close it")
    return value


def _quoted_value(rows: list[str], row: int, line: str) -> _Value:
    """Read a value that holds quotes: they shield `#` and line ends until the next quote."""
    parts: list[str] = []
    opened = row + 1
    while True:
        outside, quote, rest = line.partition('"')
        if "#" in outside or not quote:
            parts.append(outside.partition("#")[0])
            return _Value("".join(parts).strip(BLANKS), row + 1)
        parts += (outside, quote)
        while '"' not in rest:
            row += 1
            if row == len(rows):
                raise _Unreadable(f"line {opened} opens a quote that nothing closes")
            parts += (rest, "\n")
            rest = rows[row]
        inside, quote, line = rest.partition('"')
        parts += (inside, quote)
