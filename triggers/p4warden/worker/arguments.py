"""Parse the words of a p4warden trigger line.

p4d expands `%variables%` before it splits words (StrOps::Expand and Words, support/strops.cc), so
a value chosen by a user may break out of its word and add further words. A line with other words
than the expected ones is tampered (see `line_check`), and only its certain parts are used.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.core.records import BrokenName

from p4warden.core.trigger_options import ARGS, END, FORM, OF_P4WARDEN, SERVERS, options_of
from p4warden.worker import line_check

OTHER_FORM = "the trigger line was not written by this release of p4warden"

_FRAME = ("line", ARGS, END)
"""Options of a trigger line that the parser checks but does not return; `--args` has the
arguments of a p4 command."""


class Arguments(NamedTuple):
    """The event and the options of a trigger line, without empty and unexpanded options.

    Attributes:
        has_known_form: whether this release writes lines of this form.
        is_tampered: whether words or values of the line are not as expected; `options` then has
            only the certain values.
        broken_name: the user-chosen value that seems to have broken the line apart, if it is
            known.
    """

    event: str
    options: dict[str, str]
    has_known_form: bool = False
    is_tampered: bool = False
    broken_name: BrokenName | None = None

    def get(self, name: str) -> str | None:
        """Return the value of a trigger line's option; None if absent, empty or not trusted."""
        return self.options.get(name)

    @property
    def is_clean(self) -> bool:
        """Whether the trigger line consists of exactly the expected words."""
        return self.has_known_form and not self.is_tampered


def parse(words: Sequence[str]) -> Arguments:
    """Parse the words that p4d passed to a trigger, without the program's own name."""
    event = words[0] if words else ""
    name, line = _option(words[1]) if len(words) > 1 else ("", "")
    if name != "line" or line.partition(".")[0] != FORM:
        return Arguments(event, _without_unexpanded(_own_options(words[1:])))
    return _of_known_form(event, words[1:])


def _own_options(words: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        name, value = _option(word)
        if name not in OF_P4WARDEN:
            break
        options.setdefault(name, value)
    options.pop("line", None)
    return options


def _of_known_form(event: str, words: Sequence[str]) -> Arguments:
    names = line_check.present(words, options_of(event))
    clean = line_check.is_clean(words, names)
    trusted_count = len(names) if clean else line_check.trusted_word_count(words, names)
    pairs = zip(names[:trusted_count], words, strict=False)
    options = {name: word.partition("=")[2] for name, word in pairs if name not in _FRAME}
    broken_name = None if clean else line_check.broken_name(words, names)
    return Arguments(
        event,
        _without_unexpanded(options),
        is_tampered=not clean,
        broken_name=broken_name,
        has_known_form=True,
    )


def groups_of(text: str) -> tuple[str, ...]:
    """Split the value of a trigger line's `--groups` into group names.

    The separators are those of p4d and a comma; a no-break space is part of a name. The gate
    splits in the same way (`triggers/gate/src/event/command_event.rs`).
    """
    for separator in "\t\n\v\f\r,":
        text = text.replace(separator, " ")
    return tuple(group for group in text.split(" ") if group)


def distrusted(arguments: Arguments, broken_name: BrokenName) -> Arguments:
    """Return a trigger line's arguments marked as tampered, without any user-chosen value."""
    options = {name: value for name, value in arguments.options.items() if name in SERVERS}
    return arguments._replace(options=options, is_tampered=True, broken_name=broken_name)


def _without_unexpanded(options: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if value and not _unexpanded(value)}


def _option(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    return (name[2:], value) if equals and name.startswith("--") else ("", "")


def _unexpanded(value: str) -> bool:
    """Tell whether p4d left a variable of the trigger line unexpanded, as `%name%`.

    Older servers do not know every variable.
    """
    return len(value) > 2 and value[0] == value[-1] == "%" and "%" not in value[1:-1]  # noqa: PLR2004
