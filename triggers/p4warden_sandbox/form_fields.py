# Perforce API source support/specdef.cc.

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FieldType(str, Enum):
    WORD = "word"
    LINE = "line"
    SELECT = "select"
    DATE = "date"
    TEXT = "text"
    WORD_LIST = "wlist"
    LINE_LIST = "llist"


class FieldRequirement(Enum):
    """Whether users must, may or cannot set a field, and whether an empty one is shown."""

    OPTIONAL = ""
    REQUIRED = "rq"
    SERVER_ONLY = "ro"
    KEY = "rq ro"
    SHOWN_EMPTY = "opt:default"
    MAY_BE_EMPTY = "opt:default z"


class Field(NamedTuple):
    """A value made of words has `words` to `max_words` of them; exactly `words` if that is 0."""

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
        return self.kind in {FieldType.WORD_LIST, FieldType.LINE_LIST}

    @property
    def has_words(self) -> bool:
        return self.kind in {FieldType.WORD, FieldType.WORD_LIST}

    @property
    def keeps_comments(self) -> bool:
        """True for the layout `C` (Release notes 2016.1, 2020.2, 2024.1)."""
        return self.layout == "C"

    def definition(self) -> str:
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
    name: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        """Find a field in any letter case (Perforce API source support/spec.cc, Find)."""
        key = name.lower()
        return next((field for field in self.fields if field.name.lower() == key), None)

    @property
    def key(self) -> str:
        """Name of the form's first field; unless it is a list, it holds the spec's own name."""
        return self.fields[0].name

    def definition(self) -> str:
        return "".join(field.definition() for field in self.fields)
