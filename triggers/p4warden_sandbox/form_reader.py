# As in the server (Perforce API source support/specparse.cc), `#` starts a comment, but inside of
# quotes it does not, and in a text block only at the start of a line; quotes may span lines. Only
# space, tab and carriage return are blanks, and a NUL ends the form.

from __future__ import annotations

import re
from typing import NamedTuple

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NO_END_QUOTE, SYNTAX

_BLANK = " \t\r"
_BETWEEN_FIELDS = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TAG = re.compile(r"[^ \t\r\n:#]*")
_BLANKS = re.compile(r"[ \t\r]*")
_PLAIN = re.compile(r'[^\n#"]*')
_TO_LINE_END = re.compile(r"[^\n]*")


class Value(NamedTuple):
    """`is_on_own_line` is true for a comment with no value before it on its line."""

    text: str
    is_comment: bool = False
    is_on_own_line: bool = False


class FormReader:
    def __init__(self, text: str) -> None:
        self._text = text.split("\0", 1)[0]
        self._position = 0
        self._own_line = False

    @property
    def line(self) -> int:
        return self._text.count("\n", 0, self._position) + 1

    def tag(self) -> str | None:
        """Return None at the form's end; raise CommandError for text in place of a tag."""
        self._take(_BETWEEN_FIELDS)
        if self._ended:
            return None
        tag = self._take(_TAG)
        if not tag or self._next != ":":
            raise CommandError(SYNTAX, value=tag)
        self._position += 1
        self._own_line = True
        self._take(_BLANKS)
        if self._ended:
            raise CommandError(SYNTAX, value="")
        return tag

    def value(self) -> Value | None:
        """Return the next value or `##` comment; None after the last one, CommandError if bad."""
        while self._at_value():
            own_line, self._own_line = self._own_line, False
            if self._next != "#":
                return Value(self._plain_value())
            comment = self._take(_TO_LINE_END)
            if comment.startswith("##"):
                return Value(comment, is_comment=True, is_on_own_line=own_line)
        return None

    def block(self) -> str:
        """Return the text block's lines without their first blank, with line ends.

        The rest of the tag's line is the first line, unless empty. Blank lines become empty ones;
        those at the end of the block are left out.
        """
        lines = [] if self._next == "\n" else [self._take(_TO_LINE_END)]
        blank_lines = 0
        self._skip_line_end()
        while self._at_block_line():
            line = self._take(_TO_LINE_END)
            if line.strip(_BLANK):
                lines += [""] * blank_lines + [line]
                blank_lines = 0
            elif self._ended:
                raise CommandError(SYNTAX, value="")
            else:
                blank_lines += 1
            self._skip_line_end()
        return "".join(f"{line}\n" for line in lines)

    def _at_value(self) -> bool:
        while self._next == "\n":
            self._position += 1
            self._own_line = True
            if self._next == ":" or (self._take(_BLANKS) and self._ended):
                raise CommandError(SYNTAX, value="")
        in_column_0 = self._text[self._position - 1] == "\n"
        return not self._ended and (not in_column_0 or self._next == "#")

    def _plain_value(self) -> str:
        """Read a form value, which ends at the line's end or at a `#` outside of quotes."""
        start = self._position
        self._take(_PLAIN)
        while self._next == '"':
            end = self._text.find('"', self._position + 1)
            if end < 0:
                self._take(_TO_LINE_END)
                raise CommandError(NO_END_QUOTE, value=self._text[start : self._position])
            self._position = end + 1
            self._take(_PLAIN)
        return self._text[start : self._position].rstrip(_BLANK)

    def _at_block_line(self) -> bool:
        """Skip comments and the next block line's first blank; return False at the block's end."""
        while self._next == "#":
            self._take(_TO_LINE_END)
            self._skip_line_end()
        if self._next == ":":
            raise CommandError(SYNTAX, value="")
        if self._ended or (self._next not in _BLANK and self._next != "\n"):
            return False
        self._position += self._next != "\n"
        return True

    def _skip_line_end(self) -> None:
        self._position += self._next == "\n"

    @property
    def _next(self) -> str:
        return self._text[self._position : self._position + 1]

    @property
    def _ended(self) -> bool:
        return self._position >= len(self._text)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._position)
        if match is None:
            return ""
        self._position = match.end()
        return match.group()
