"""Check that a trigger line consists of the expected words.

p4d expands a line before it splits it into words, so a quotation mark in a user-chosen name can
join words or create new ones. A line with unexpected words is tampered. Two changes cannot be
detected: pairs of quotation marks, which vanish without a trace (`p4"ad"min` arrives as
`p4admin`), and a NUL byte behind a forged end.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import BrokenName
from p4warden.core.trigger_options import ARGS, END, END_VALUE, MAY_BE_ABSENT, ORDER, USERS

if TYPE_CHECKING:
    from collections.abc import Sequence

_END = f"--{END}="
_ARGS = f"--{ARGS}="
_LINE_END = _END + END_VALUE
_NAMES = tuple(f"--{name}=" for name in ORDER)


def present(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the options to expect in a trigger line, in their order.

    Options that older servers do not know are left out if they are absent, because such servers
    may omit those words from the line.
    """
    present_names: list[str] = []
    for name in names:
        at = len(present_names)
        is_dropped = at >= len(words) or not words[at].startswith(f"--{name}=")
        if name not in MAY_BE_ABSENT or not is_dropped:
            present_names.append(name)
    return tuple(present_names)


def is_clean(words: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether the words of a trigger line are the expected options.

    `names` are the options that `present` returns. The arguments of a p4 command, between `--args`
    and `--end`, may be any words without these two options.
    """
    end = names.index(ARGS) if ARGS in names else len(names) - 1
    if ARGS not in names and len(words) != len(names):
        return False
    return (
        len(words) > end
        and words[-1].endswith(_LINE_END)
        and _count(words, _END) == 1
        and _count(words, _ARGS) == (ARGS in names)
        and words[end].startswith(f"--{names[end]}=")
        and all(map(_holds, words[:end], names))
    )


def trusted_word_count(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how many words at the start of a tampered trigger line are certain to be unforged.

    A word whose value p4warden or the server chose is certain if it is the expected option. For a
    word with a user-chosen value the line's next option must also follow, occur nowhere else in
    the line, and the line must have the expected end.
    """
    count = 0
    for at, name in enumerate(names[:-1]):
        if at >= len(words) or not _holds(words[at], name):
            break
        if name in (*USERS, ARGS) and not _is_followed(words, at, names[at + 1]):
            break
        count = at + 1
    return count


def broken_name(words: Sequence[str], names: Sequence[str]) -> BrokenName | None:
    """Return the last user-chosen option up to a tampered trigger line's first unexpected word.

    A user who forges the following words can shift the result to a later option, so it is for
    messages only. None if no user-chosen option comes so early.
    """
    last = None
    for word, name, next_name in zip(words, names, (*names[1:], ""), strict=False):
        option = f"--{name}="
        if not word.startswith(option):
            break
        if name in (*USERS, ARGS):
            value = word[len(option) :].partition(f" --{next_name}=")[0]
            last = BrokenName(name, value.removesuffix(" "))
        if not _holds(word, name):
            break
    return last


def _is_followed(words: Sequence[str], at: int, name: str) -> bool:
    option = f"--{name}="
    is_start = at + 1 < len(words) and words[at + 1].startswith(option)
    return is_start and _count(words, option) == 1 and words[-1].endswith(_LINE_END)


def _holds(word: str, name: str) -> bool:
    """Tell whether a word of a trigger line is the option `name`, without another option in it.

    A quotation mark in the value makes the result false, too.
    """
    option = f"--{name}="
    value = word[len(option) :]
    if not word.startswith(option) or '"' in value:
        return False
    return "--" not in value or not any(option_start in value for option_start in _NAMES)


def _count(words: Sequence[str], option: str) -> int:
    return sum(word.count(option) for word in words)
