"""The text of a form, as the gate reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.asking.judge import Judge

    Fields = Mapping[str, Sequence[str]]

_WORD = re.compile(r'(?:"[^"]*"|[^\s"])+')


class FormText(NamedTuple):
    """A form.

    Attributes:
        problem: words after `the form`; None for a form that can be read.
        fields: the lines of each field, by its name in lower case.
        lines: of its view; each has the keys of an answer to `ask: form`.
        files: the number of files that the view spans; None without an index.
    """

    problem: str | None
    fields: Fields
    lines: Sequence[Mapping[str, Any]]
    files: int | None


def read(judge: Judge, form: str | Fields, form_type: str | None = None) -> FormText:
    """Read the text or the fields of a form; without its type, `lines` is empty.

    Raises:
        GateError: the gate cannot be asked.
    """
    given = "form" if isinstance(form, str) else "fields"
    answer = judge.question({"ask": "form", "type": form_type, given: form})
    return FormText(answer["problem"], answer["fields"], answer["lines"], answer.get("files"))


def value(fields: Fields, name: str) -> str | None:
    """Return the first line of a field that is not empty; None without one."""
    return next(filter(None, fields.get(name, ())), None)


def words(line: str) -> list[str]:
    """Split a line at blanks outside quotation marks, which are left out."""
    return [word.replace('"', "") for word in _WORD.findall(line)]
