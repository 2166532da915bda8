"""Whether the words of a trigger line of form 2 are exactly the ones that the line asks for.

p4d expands a line before it splits it into words, so a quotation mark in a name that a user
chooses can glue words together or make new ones. A line whose words are not as they should be is
tampered. No check sees quotation marks in pairs, which vanish without a trace (`p4"ad"min` arrives
as `p4admin`), nor a NUL byte behind a forged end. So identity rests on groups, which users cannot
choose.
"""

from collections.abc import Sequence

from p4warden.core.trigger_options import ARGS, END, END_VALUE, MAY_BE_ABSENT, ORDER, USERS

_END = f"--{END}="
_ARGS = f"--{ARGS}="
_LINE_END = _END + END_VALUE
_NAMES = tuple(f"--{name}=" for name in ORDER)


def present(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without those that the server may have dropped and has."""
    there: list[str] = []
    for name in names:
        at = len(there)
        dropped = at >= len(words) or not words[at].startswith(f"--{name}=")
        if name not in MAY_BE_ABSENT or not dropped:
            there.append(name)
    return tuple(there)


def is_clean(words: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether each word is the one it should be; `names` are those of `present`."""
    closed = names.index(ARGS) if ARGS in names else len(names) - 1
    if ARGS not in names and len(words) != len(names):
        return False
    return (
        len(words) > closed
        and words[-1].endswith(_LINE_END)
        and _count(words, _END) == 1
        and _count(words, _ARGS) == (ARGS in names)
        and words[closed].startswith(f"--{names[closed]}=")
        and all(map(_holds, words[:closed], names))
    )


def trusted(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how many words of a tampered line are certain: those before the break.

    The server's own words always are. One with a name that a user chose is where the next word is
    the line's own: there, and nowhere else in the line, does its option stand.
    """
    sure = 0
    for at, name in enumerate(names[:-1]):
        if at >= len(words) or not _holds(words[at], name):
            break
        if name in (*USERS, ARGS) and not _is_followed(words, at, names[at + 1]):
            break
        sure = at + 1
    return sure


def _is_followed(words: Sequence[str], at: int, name: str) -> bool:
    option = f"--{name}="
    begins = at + 1 < len(words) and words[at + 1].startswith(option)
    return begins and _count(words, option) == 1 and words[-1].endswith(_LINE_END)


def _holds(word: str, name: str) -> bool:
    """Tell whether a word is the option's, and its value holds nothing that is not its own."""
    option = f"--{name}="
    value = word[len(option) :]
    if not word.startswith(option) or '"' in value:
        return False
    return "--" not in value or not any(known in value for known in _NAMES)


def _count(words: Sequence[str], option: str) -> int:
    return sum(word.count(option) for word in words)
