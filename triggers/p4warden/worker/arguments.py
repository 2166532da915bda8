"""The arguments of a trigger line.

p4d expands `%variables%` before it splits words (StrOps::Expand and Words, support/strops.cc), so
whatever a user chooses may break out of its word and add words of its own. Therefore: options come
by name, ours before the users'; from the first user-chosen option on ours are not accepted any
more; the first occurrence of each wins, an empty one too; stray words mean nothing.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OURS = ("home", "on-error", "triggers-io", "type", "form", "user", "ip", "groups", "change")
USERS = ("client", "name", "version", "prog")


class Arguments(NamedTuple):
    """A trigger line's event and options; an option that p4d left empty is absent."""

    event: str
    options: dict[str, str]

    def get(self, name: str) -> str | None:
        """Return an option's value, or None when it is absent."""
        return self.options.get(name)


def parse(words: Sequence[str]) -> Arguments:
    """Read a trigger's arguments, the program's own name left out."""
    taken: dict[str, str] = {}
    accepted: Iterable[str] = OURS + USERS
    for word in words[1:]:
        name, value = _option(word)
        if name in accepted:
            taken.setdefault(name, value)
            if name in USERS or (name == "user" and _broken_out(value)):
                accepted = USERS
    options = {name: value for name, value in taken.items() if value and not _unexpanded(value)}
    return Arguments(words[0] if words else "", options)


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
