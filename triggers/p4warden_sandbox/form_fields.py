"""The parts of a form's definition, and their encoding as a string for clients.

(Perforce API source support/specdef.cc.)
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Kind(str, Enum):
    """The type of a field in a form's definition, such as `word` or `line`."""

    WORD = "word"
    LINE = "line"
    SELECT = "select"
    DATE = "date"
    TEXT = "text"
    WORD_LIST = "wlist"
    LINE_LIST = "llist"


class Need(Enum):
    """Whether users must, may or cannot set a field, as written in a form's definition string."""

    OPTIONAL = ""
    REQUIRED = "rq"
    SERVER_ONLY = "ro"
    KEY = "rq ro"
    SHOWN_EMPTY = "opt:default"
    MAY_BE_EMPTY = "opt:default z"


class Field(NamedTuple):
    """The definition of one field of a form.

    `words` is the smallest number of words, `max_words` the largest if set.
    """

    name: str
    code: int
    kind: Kind = Kind.WORD
    need: Need = Need.OPTIONAL
    words: int = 1
    max_words: int = 0
    values: str = ""
    layout: str = ""
    sequence: int = 0
    length: int = 64

    @property
    def is_list(self) -> bool:
        """Whether the form field has a list of values, one a line."""
        return self.kind in {Kind.WORD_LIST, Kind.LINE_LIST}

    @property
    def has_words(self) -> bool:
        """Whether the form field's values consist of words, separated by blanks."""
        return self.kind in {Kind.WORD, Kind.WORD_LIST}

    @property
    def keeps_comments(self) -> bool:
        """Whether `##` comments are stored with it (release notes 2016.1, 2020.2, 2024.1)."""
        return self.layout == "C"

    def definition(self) -> str:
        """Return this field's part of the form definition that clients get."""
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
    """A type of form: its name on the command line and its fields.

    The first holds the object's name.
    """

    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        """Return the field with that name; letter case is ignored (support/spec.cc, Find)."""
        folded = name.lower()
        return next((field for field in self.fields if field.name.lower() == folded), None)

    @property
    def key(self) -> str:
        """The name of the form field that holds the spec's name."""
        return self.fields[0].name

    def definition(self) -> str:
        """Return the definition of all fields of the form, as the string that clients get."""
        return "".join(field.definition() for field in self.fields)
