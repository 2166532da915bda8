"""Narrow a view line's mapping to one directory and keep the rest of its pattern.

The directory replaces the name with the first wildcard, or precedes it, the same on both sides:

    //depot/... //ws/...                    -> //depot/docs/... //ws/docs/...
    //depot/.../src/... //ws/.../src/...    -> //depot/docs/.../src/... //ws/docs/.../src/...
    //depot/*.c //ws/*.c                    -> //depot/docs/*.c //ws/docs/*.c
    //depot/*/main/... //ws/x/*/...         -> //depot/docs/main/... //ws/x/docs/...
    //depot/main... //ws/main...            -> //depot/main/... //ws/main/...
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.patterns import matches
from p4warden.forms.depot_path import first_wildcard, wildcards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames


class _Cut(NamedTuple):
    """A depot or client path, cut around a file or directory name that contains a wildcard."""

    head: str
    part: str
    tail: str
    wildcard: str

    @property
    def is_directory(self) -> bool:
        """Whether the name with the wildcard matches one whole directory name (no `...`)."""
        return bool(self.tail) and "..." not in self.part

    @property
    def beginning(self) -> str:
        """The text with which a matching directory name must begin, such as `main` for `main...`.

        Empty for other wildcards than `...`.
        """
        return self.part.partition("...")[0] if self.wildcard == "..." else ""


# Number of pairs of a pattern's and a name's characters for which one computing step is spent: the
# time of `matches` grows with the number of pairs.
_CHARACTERS_OF_A_STEP = 32


def fitting(
    path: str, names: Iterable[str], folded_names: FoldedNames, effort: Effort
) -> Iterator[str]:
    """Yield the names to which a depot path can be narrowed at its first wildcard.

    Args:
        path: the depot path.
        names: the depot or directory names to choose from.
        folded_names: the facts' names, compared as the server compares them.
        effort: the remaining computing steps.

    Raises:
        EffortSpentError: the remaining effort is too small.
    """
    cut = _cut(path)
    if cut is None:
        return
    if cut.is_directory:
        pattern = _with_stars(cut.part)
    elif cut.beginning:
        pattern = f"{cut.beginning}*"
    else:
        yield from names
        return
    pattern = folded_names.folded(pattern)
    for name in names:
        effort.spend(len(pattern) * len(name) // _CHARACTERS_OF_A_STEP)
        if matches(pattern, folded_names.folded(name)):
            yield name


def guess(path: str) -> str | None:
    """Return the text before `...` in a directory name, if `...` is the path's first wildcard.

    For `//depot/main...` that is `main`. None if there is no such text, or another first wildcard.
    """
    cut = _cut(path)
    return (cut.beginning or None) if cut else None


def within(path: str, name: str) -> str:
    """Return a depot path narrowed to a directory name at its first wildcard.

    `//depot/...` and `docs` make `//depot/docs/...`.
    """
    cut = _cut(path)
    return f"{cut.head}{_part(cut, name)}{cut.tail}" if cut else path


def below(path: str, name: str) -> str:
    """Return a depot path with a directory inserted above the name that has its first wildcard."""
    cut = _cut(path)
    return f"{cut.head}{name}/{cut.part}{cut.tail}" if cut else path


def beside(left: str, right: str, name: str) -> str | None:
    """Return the right side of a view line narrowed to a directory, as `within` narrows `left`.

    None if the wildcards of the two sides do not correspond.
    """
    cut = _cut(left)
    its = _cut(right, cut.wildcard) if cut else None
    if cut is None or its is None:
        return None
    part: str | None = f"{name}/{its.part}"
    if its.part == cut.part:
        part = _part(cut, name)
    elif cut.is_directory:
        part = its.part.replace(cut.wildcard, name, 1) if cut.part == cut.wildcard else None
    elif cut.beginning and its.part != cut.part.removeprefix(cut.beginning):
        part = None
    return None if part is None else f"{its.head}{part}{its.tail}"


def everything(path: str, wildcard: str | None = None) -> str | None:
    """Return a path to everything in the directory that contains a path's first wildcard.

    `wildcard` selects the first wildcard with that text instead. None without a wildcard.
    """
    cut = _cut(path, wildcard)
    return f"{cut.head}..." if cut else None


def is_name(text: str) -> bool:
    """Tell whether a text can stand in a view line as the name of one depot or directory."""
    is_plain = '"' not in text and "/" not in text and first_wildcard(text) is None
    return is_plain and text not in {"", ".", ".."}


def literal(path: str) -> str:
    """Return the part of a depot path before its first wildcard, or all of it."""
    wildcard = first_wildcard(path)
    return path[: wildcard[0]] if wildcard else path


def wildcard_texts(path: str) -> list[str]:
    """Return the wildcards of a depot or client path, from left to right."""
    return [path[start:end] for start, end in wildcards(path)]


def have_the_same_wildcards(left: str, right: str) -> bool:
    """Tell whether two paths have the same wildcards, as p4d requires of a view line's two sides.

    (Validate in map/*.cc of Perforce's C++ API.)
    """
    return sorted(wildcard_texts(left)) == sorted(wildcard_texts(right))


def _with_stars(part: str) -> str:
    for wildcard in wildcard_texts(part):
        part = part.replace(wildcard, "*", 1)
    return part


def _cut(path: str, wildcard: str | None = None) -> _Cut | None:
    """Cut a path around the directory name with its first wildcard; None without a wildcard.

    `wildcard` selects the first wildcard with that text instead.
    """
    for begin, end in wildcards(path):
        if wildcard in (None, path[begin:end]):
            start = path.rfind("/", 0, begin) + 1
            stop = path.find("/", end)
            stop = len(path) if stop < 0 else stop
            return _Cut(path[:start], path[start:stop], path[stop:], path[begin:end])
    return None


def _part(cut: _Cut, name: str) -> str:
    if cut.is_directory:
        return name
    rest = cut.part.removeprefix(cut.beginning) if name.startswith(cut.beginning) else cut.part
    return f"{name}/{rest}"
