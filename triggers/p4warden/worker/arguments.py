"""Parse the words of a p4warden trigger line, in its current or its previous form.

p4d expands `%variables%` before it splits words (StrOps::Expand and Words, support/strops.cc), so
a value chosen by a user may break out of its word and add further words.

The options of a line of form 2 begin with `--line=2.DIGEST`, and all of them are known in advance.
A line with other words is tampered (see `line_check`), and only its certain parts are used.

Lines of form 1 have no `--line=`. Connections that were opened before an upgrade go on calling
them (inferred: P4Python's own suite connects again after it saved the table). Their options are
found by name: after an option in `USERS`, or a user's name that broke out of its word, those in
`TRUSTED_OPTIONS` are ignored; the first occurrence of an option wins, even an empty one; other
words are ignored.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from p4warden.core.records import BrokenName

from p4warden.core.trigger_options import ARGS, END, FORM, SERVERS, options_of
from p4warden.worker import line_check

OLD_FORM = "1"
FORMS = (OLD_FORM, FORM)
LATER_FORM = "the trigger line has the form of a later release of p4warden; install that release"
TRUSTED_OPTIONS = (
    "home",
    "on-error",
    "triggers-io",
    "type",
    "form",
    "user",
    "ip",
    "groups",
    "change",
)
USERS = ("client", "name", "version", "prog")
"""`TRUSTED_OPTIONS` and `USERS` are the options of a trigger line of form 1, in this order. Users
choose the values of `user` and of all in `USERS`."""

_FRAME = ("line", ARGS, END)
"""Options of a trigger line of form 2 that the parser checks but does not return; `--args` has the
arguments of a p4 command."""


class Arguments(NamedTuple):
    """The event and the options of a trigger line, without empty and unexpanded options.

    Attributes:
        line: the form of the trigger line, `1` or `2`; any other value comes from a later release.
        is_tampered: whether words or values of the line are not as expected; `options` then has
            only the certain values.
        broken_name: the user-chosen value that seems to have broken the line apart, if it is
            known.
    """

    event: str
    options: dict[str, str]
    line: str = OLD_FORM
    is_tampered: bool = False
    broken_name: BrokenName | None = None

    def get(self, name: str) -> str | None:
        """Return the value of a trigger line's option; None if absent, empty or not trusted."""
        return self.options.get(name)

    @property
    def is_clean(self) -> bool:
        """Whether the trigger line is of form 2 and consists of exactly the expected words."""
        return self.line == FORM and not self.is_tampered


def parse(words: Sequence[str]) -> Arguments:
    """Parse the words that p4d passed to a trigger, without the program's own name."""
    event = words[0] if words else ""
    name, line = _option(words[1]) if len(words) > 1 else ("", "")
    if name != "line":
        return Arguments(event, _without_unexpanded(_of_form_1(words[1:])))
    if line.partition(".")[0] != FORM:
        return Arguments(event, _without_unexpanded(_of_form_1(words[1:])), line)
    return _of_form_2(event, words[1:])


def _of_form_2(event: str, words: Sequence[str]) -> Arguments:
    names = line_check.present(words, options_of(event))
    clean = line_check.is_clean(words, names)
    trusted_count = len(names) if clean else line_check.trusted_word_count(words, names)
    pairs = zip(names[:trusted_count], words, strict=False)
    options = {name: word.partition("=")[2] for name, word in pairs if name not in _FRAME}
    broken_name = None if clean else line_check.broken_name(words, names)
    return Arguments(event, _without_unexpanded(options), FORM, not clean, broken_name)


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


def _of_form_1(words: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    accepted_names: Iterable[str] = TRUSTED_OPTIONS + USERS
    for word in words:
        name, value = _option(word)
        if name in accepted_names:
            options.setdefault(name, value)
            if name in USERS or (name == "user" and _has_broken_word(value)):
                accepted_names = USERS
    return options


def _without_unexpanded(options: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if value and not _unexpanded(value)}


def _option(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    return (name[2:], value) if equals and name.startswith("--") else ("", "")


def _has_broken_word(user: str) -> bool:
    """Tell whether a user's name has broken out of its word in a trigger line of form 1.

    p4d writes blanks in a name as `_`. A name that ends in a quote joins its own option and the
    next ones into one word, and user-chosen text after them would look like an option of p4warden.
    """
    return '"' in user or " " in user


def _unexpanded(value: str) -> bool:
    """Tell whether p4d left a variable of the trigger line unexpanded, as `%name%`.

    Older servers do not know every variable.
    """
    return len(value) > 2 and value[0] == value[-1] == "%" and "%" not in value[1:-1]  # noqa: PLR2004
