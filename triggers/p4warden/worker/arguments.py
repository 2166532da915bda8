"""The arguments of a trigger line, in both forms that lines of ours have or had.

p4d expands `%variables%` before it splits words (StrOps::Expand and Words, support/strops.cc), so
whatever a user chooses may break out of its word and add words of its own.

A line of form 2 begins with `--line=2`, and each of its words is known beforehand; one whose words
are others is tampered (see `line_check`), and only its certain parts are taken.

Lines of form 1 have no `--line=`. Connections that were opened before an upgrade go on calling
them (inferred: P4Python's own suite connects again after it saved the table). They are read as
they were meant: options come by name, ours before the users'; from the first user-chosen option on
ours are not accepted any more; the first occurrence of each wins, an empty one too; stray words
mean nothing.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

from p4warden.core.trigger_options import ARGS, END, FORM, SERVERS, options_of
from p4warden.worker import line_check

OLD_FORM = "1"
FORMS = (OLD_FORM, FORM)
LATER_FORM = "the trigger line is of a later form than this release knows; install that release"
OURS = ("home", "on-error", "triggers-io", "type", "form", "user", "ip", "groups", "change")
USERS = ("client", "name", "version", "prog")
"""The options of form 1: ours and the server's, then those that users choose."""

_FRAME = ("line", ARGS, END)
"""Options that make a line of form 2 whole; a command's arguments are the gate's to read."""


class Arguments(NamedTuple):
    """A trigger line's event and options; an option that p4d left empty is absent.

    Attributes:
        line: the form of the line, `1` or `2`; another is of a later release.
        tampered: whether a name that a user chose broke the line apart; `options` then has only
            those that are certain.
    """

    event: str
    options: dict[str, str]
    line: str = OLD_FORM
    tampered: bool = False

    def get(self, name: str) -> str | None:
        """Return an option's value, or None when it is absent."""
        return self.options.get(name)

    @property
    def is_clean(self) -> bool:
        """Whether each word of the line is known to be the one it should be."""
        return self.line == FORM and not self.tampered


def parse(words: Sequence[str]) -> Arguments:
    """Read a trigger's arguments, the program's own name left out."""
    event = words[0] if words else ""
    name, line = _option(words[1]) if len(words) > 1 else ("", "")
    if name != "line":
        return Arguments(event, _known(_of_form_1(words[1:])))
    if line != FORM:
        return Arguments(event, _known(_of_form_1(words[1:])), line)
    return _of_form_2(event, words[1:])


def _of_form_2(event: str, words: Sequence[str]) -> Arguments:
    names = line_check.present(words, options_of(event))
    clean = line_check.is_clean(words, names)
    sure = len(names) if clean else line_check.trusted(words, names)
    told = zip(names[:sure], words, strict=False)
    options = {name: word.partition("=")[2] for name, word in told if name not in _FRAME}
    return Arguments(event, _known(options), FORM, tampered=not clean)


def distrusted(given: Arguments) -> Arguments:
    """Return a line's arguments without all that users choose, as tampered."""
    options = {name: value for name, value in given.options.items() if name in SERVERS}
    return given._replace(options=options, tampered=True)


def _of_form_1(words: Sequence[str]) -> dict[str, str]:
    taken: dict[str, str] = {}
    accepted: Iterable[str] = OURS + USERS
    for word in words:
        name, value = _option(word)
        if name in accepted:
            taken.setdefault(name, value)
            if name in USERS or (name == "user" and _broken_out(value)):
                accepted = USERS
    return taken


def _known(options: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if value and not _unexpanded(value)}


def _option(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    return (name[2:], value) if equals and name.startswith("--") else ("", "")


def _broken_out(user: str) -> bool:
    """Tell whether a user's name has run on into what follows it.

    p4d writes blanks in a name as `_`. A name that ends in a quote makes one word of its own
    option and the next ones, and what a user chooses behind them would look like ours.
    """
    return '"' in user or " " in user


def _unexpanded(value: str) -> bool:
    """Tell whether p4d left the value as `%name%`, for servers do not know every variable."""
    return len(value) > 2 and value[0] == value[-1] == "%" and "%" not in value[1:-1]  # noqa: PLR2004
