"""The frame of a letter: a first line `Subject: ...`, an empty line, and the text.

Words in braces stand for values. The sentences about each spec, in place of `{specs}`, are those
of a refusal, in English.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ("owner", "number", "deadline", "server", "contact", "specs")
DEFAULT = """\
Subject: Please change {spec_count} by {deadline}

Hello {owner},

From {deadline} on, {server} will refuse to save clients, branches and other specs that slow it \
down. Please change {these_specs} of yours before that day:

{specs}

Questions: {contact}
"""
_WORD = re.compile(r"\{(\w+)\}")
_SUBJECT = "Subject: "
_MOST_CHARACTERS = 20_000


class Template(NamedTuple):
    subject: str
    text: str

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Return subject and text with the values of all words in braces."""
        subject, text = (_WORD.sub(lambda match: values[match[1]], part) for part in self)
        return subject, text


def parse(content: str) -> Template:
    """Return the parts of a template."""
    head, _, text = content.partition("\n\n")
    return Template(head.removeprefix(_SUBJECT), text)


def checked(content: str, source: str) -> Template:
    """Return a site's own template; `source` names it.

    Raises:
        P4WardenError: the template has another form, or a word that has no value.
    """
    head, _, text = content.replace("\r\n", "\n").partition("\n\n")
    if not head.startswith(_SUBJECT) or "\n" in head or not text.strip():
        raise P4WardenError(
            f"{source}:1: write Subject: and the subject, an empty line, and the text"
        )
    if len(content) > _MOST_CHARACTERS:
        raise P4WardenError(f"{source}: is longer than {_MOST_CHARACTERS:,} characters")
    for match in _WORD.finditer(content):
        if match[1] not in NAMES:
            line = content.count("\n", 0, match.start()) + 1
            names = ", ".join(f"{{{name}}}" for name in NAMES)
            raise P4WardenError(f"{source}:{line}: {match[0]} has no value; there are {names}")
    if "{specs}" in head or "{specs}" not in text:
        raise P4WardenError(f"{source}: write {{specs}} in the text, where the specs are to stand")
    return parse(f"{head}\n\n{text}")
