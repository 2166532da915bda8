"""Definition of a Perforce form: its fields, and the definition string (specdef).

(Perforce API source support/specdef.cc.)
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FieldType(str, Enum):
    """Type of a form field, as written in a form's definition string, such as `word` or `line`."""

    WORD = "word"
    LINE = "line"
    SELECT = "select"
    DATE = "date"
    TEXT = "text"
    WORD_LIST = "wlist"
    LINE_LIST = "llist"


class FieldRequirement(Enum):
    """Requirement on a form field, as written in a form's definition string.

    It tells whether users must, may or cannot set the field, and whether an empty one is shown.
    """

    OPTIONAL = ""
    REQUIRED = "rq"
    SERVER_ONLY = "ro"
    KEY = "rq ro"
    SHOWN_EMPTY = "opt:default"
    MAY_BE_EMPTY = "opt:default z"


class Field(NamedTuple):
    """Definition of one field of a Perforce form.

    In a field whose values consist of words, a value has `words` to `max_words` words; exactly
    `words` if `max_words` is 0.
    """

    name: str
    code: int
    kind: FieldType = FieldType.WORD
    need: FieldRequirement = FieldRequirement.OPTIONAL
    words: int = 1
    max_words: int = 0
    values: str = ""
    layout: str = ""
    sequence: int = 0
    length: int = 64

    @property
    def is_list(self) -> bool:
        """Whether the form field holds a list of values, one for each line."""
        return self.kind in {FieldType.WORD_LIST, FieldType.LINE_LIST}

    @property
    def has_words(self) -> bool:
        """Whether the form field's values consist of words, separated by blanks."""
        return self.kind in {FieldType.WORD, FieldType.WORD_LIST}

    @property
    def keeps_comments(self) -> bool:
        """Whether `##` comments in the form field are stored; true for the layout `C`.

        (Release notes 2016.1, 2020.2, 2024.1.)
        """
        return self.layout == "C"

    def definition(self) -> str:
        """Return the field's part of the definition string (specdef) that the sandbox sends."""
        parts = [
            self.name,
            f"code:{self.code}",
            f"type:{self.kind.value}",
            *self.need.value.split(),
        ]
        if self.has_words:
            parts.append(f"words:{self.words}")
        optional = {
            "maxwords": self.max_words,
            "seq": self.sequence,
            "fmt": self.layout,
            "val": self.values,
            "len": self.length,
        }
        parts += [f"{name}:{value}" for name, value in optional.items() if value]
        return ";".join(parts) + ";;"


class FormDefinition(NamedTuple):
    """A type of form: its name, such as `client`, and the definitions of its fields, in order."""

    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        """Return the definition of a field by its name, in any letter case; None if there is none.

        (Perforce API source support/spec.cc, Find.)
        """
        key = name.lower()
        return next((field for field in self.fields if field.name.lower() == key), None)

    @property
    def key(self) -> str:
        """Name of the form's first field; unless it is a list, it holds the spec's own name."""
        return self.fields[0].name

    def definition(self) -> str:
        """Return the form's definition string (specdef), which clients get."""
        return "".join(field.definition() for field in self.fields)
