"""Replace the values of a field in the text of a spec form; the other fields stay unchanged.

For forms written by the server itself (p4 client -o): a field starts in column 0, its values are
indented. If the changed text would not parse as intended, the result is None.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import Form, FormLine
from p4warden.forms.form_parser import parse

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_value(form: Form, field: str, value: str) -> str | None:
    """Return a form's text with a new value of a one-word field.

    None if the value cannot be written.
    """
    return _replaced(form, field, (value,), [f"{field}:\t{value}"])


def with_lines(
    form: Form, field: str, values: Sequence[str], notes: Sequence[str] = ()
) -> str | None:
    """Return a form's text with new values of a list field, followed by comment lines.

    None if the values cannot be written.
    """
    rows = [f"{field}:", *(f"\t{value}" for value in values), *(f"# {note}" for note in notes)]
    return _replaced(form, field, values, rows)


def _replaced(form: Form, field: str, values: Sequence[str], new: list[str]) -> str | None:
    rows = form.text.split("\n")
    start, end = _span(rows, field)
    text = "\n".join([*rows[:start], *new, *rows[end:]])
    new_lines = tuple(FormLine(number, value) for number, value in enumerate(values, 1))
    new_form = parse(text)
    is_same = new_form.fields == {**form.fields, field.lower(): new_lines}
    return text if is_same and new_form.problem is None else None


def _span(rows: list[str], field: str) -> tuple[int, int]:
    """Return the indexes of a field's first line and of the line after its values, in a form.

    For an absent field both are the index of the form's end.
    """
    tag = f"{field.lower()}:"
    start = next((n for n, row in enumerate(rows) if row.lower().startswith(tag)), None)
    if start is None:
        end = len(rows) - (rows[-1] == "")
        return end, end
    end = start + 1
    while end < len(rows) and rows[end][:1] in ("\t", " "):
        end += 1
    return start, end
