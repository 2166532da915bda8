"""The parts of a form's definition, and the string a client is sent for it.

(Perforce API source support/specdef.cc.)
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Kind(str, Enum):
    """How a field's value is written."""

    WORD = "word"
    LINE = "line"
    SELECT = "select"
    DATE = "date"
    TEXT = "text"
    WORD_LIST = "wlist"
    LINE_LIST = "llist"


class Need(Enum):
    """The treatment of a missing field; a value's words go into the definition string."""

    OPTIONAL = ""
    REQUIRED = "rq"
    SERVER_ONLY = "ro"
    KEY = "rq ro"
    SHOWN_EMPTY = "opt:default"
    MAY_BE_EMPTY = "opt:default z"


class Field(NamedTuple):
    """One field of a form. `words` is the least number of words, `max_words` the most if set."""

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
        """Whether it holds any number of values."""
        return self.kind in {Kind.WORD_LIST, Kind.LINE_LIST}

    @property
    def has_words(self) -> bool:
        """Whether its values are split into words."""
        return self.kind in {Kind.WORD, Kind.WORD_LIST}

    @property
    def keeps_comments(self) -> bool:
        """Whether `##` comments are stored with it (release notes 2016.1, 2020.2, 2024.1)."""
        return self.layout == "C"

    def definition(self) -> str:
        """Return its part of the definition string."""
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
    """A type of form: its name on the command line and its fields, the one that names it first."""

    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        """Return the field of that name; letter case does not count (support/spec.cc, Find)."""
        wanted = name.lower()
        return next((field for field in self.fields if field.name.lower() == wanted), None)

    @property
    def key(self) -> str:
        """The name of the field that names the object."""
        return self.fields[0].name

    def definition(self) -> str:
        """Return the definition string a client is sent."""
        return "".join(field.definition() for field in self.fields)
