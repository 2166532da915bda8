from __future__ import annotations

import getopt
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    EXTRA_ARGUMENT,
    INVALID_OPTION,
    NEEDS_ARGUMENT,
    NEEDS_NUMBER,
    NOT_IN_SANDBOX,
    USAGE,
    WRONG_ARGUMENTS,
)
from p4warden_sandbox.words import is_whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Options:
    """`values` are by an option's letter or long name, empty for a flag."""

    values: Mapping[str, str]
    arguments: list[str]

    def __contains__(self, option: object) -> bool:
        return option in self.values

    def limit(self) -> int | None:
        return self.number("m")

    def number(self, option: str) -> int | None:
        """None without the option; raise CommandError if it is not a non-negative integer."""
        text = self.values.get(option)
        if text is None:
            return None
        if not is_whole_number(text):
            raise CommandError(NEEDS_NUMBER, option=option)
        return int(text)


class Usage(NamedTuple):
    """`letters` are in getopt's notation; `=` in `long_options` marks an argument.

    `refused_options` are those that only a real server supports; `max_arguments` is None for no
    limit.
    """

    text: str
    letters: str = ""
    refused_options: str = ""
    min_arguments: int = 0
    max_arguments: int | None = 0
    long_options: tuple[str, ...] = ()

    def read(self, arguments: list[str]) -> Options:
        """Raise CommandError for wrong options or arguments, or options that the sandbox lacks."""
        try:
            pairs, rest = getopt.getopt(
                arguments, self.letters + self.refused_options, self.long_options
            )
        except getopt.GetoptError as error:
            lacks_argument = (
                f"{error.opt}:" in self.letters + self.refused_options
                or f"{error.opt}=" in self.long_options
            )
            kind = NEEDS_ARGUMENT if lacks_argument else INVALID_OPTION
            raise self._usage_error(CommandError(kind, option=error.opt)) from None
        values = {option.lstrip("-"): value for option, value in pairs}
        for letter in values:
            if letter in set(self.refused_options):
                command = self.text.split(" ", 1)[0]
                raise CommandError(NOT_IN_SANDBOX, what=f"{command} -{letter}")
        self._check_count(rest)
        return Options(values, rest)

    def _check_count(self, rest: list[str]) -> None:
        if len(rest) < self.min_arguments:
            raise self._usage_error(CommandError(WRONG_ARGUMENTS))
        if self.max_arguments is not None and len(rest) > self.max_arguments:
            raise self._usage_error(CommandError(EXTRA_ARGUMENT))

    def _usage_error(self, error: CommandError) -> CommandError:
        return error.under(USAGE, text=self.text)
