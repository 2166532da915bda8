"""Split and join view lines, and measure depot paths by the tables' rows that p4d must scan.

For a path p4d scans the rows that begin with its literal text before the first wildcard (map/*.cc
of Perforce's C++ API; compared for some 250 real and crafted views). So a path is measured by its
complete literal directories before the first wildcard. Exclusions, overlays and shadowing in the
view do not change that.

P4Python's own `P4.Map` is not used: it crashes and hangs on text that a user may write.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

FLAGS = "-+&"
WILDCARD = r"\.\.\.|\*|%%[0-9]"
"""Regular expression for a wildcard in a depot path; `first_wildcard` does without it, because
importing `re` is slow.
"""
_PLACED = tuple(f"%%{digit}" for digit in "0123456789")
_SIDE_BY_SIDE = ("**", "*...", "...*", "......")
# Blanks between words of a view line: SpecWords::Split of Perforce's C++ API separates at ASCII
# blanks only, so a no-break space is part of a name.
BLANKS = " \t\n\v\f\r"
_AS_SPACES = {ord(blank): " " for blank in BLANKS}
# p4d's own limits on wildcards in a path (Validate in map/*.cc of Perforce's C++ API; configurable
# map.maxwild).
MAX_DOTS = 3
MAX_WILDCARDS = 10
_NO_NAMES = frozenset({"", ".", ".."})


class Span(NamedTuple):
    """The part of the server that a depot path spans, by the text before its first wildcard.

    Attributes:
        depot: the depot's name.
        directories: the complete literal directories below the depot, before the first wildcard.
        is_exact: whether the path has no wildcard and so names one file.
    """

    depot: str
    directories: tuple[str, ...]
    is_exact: bool


class MalformedPath(ValueError):  # noqa: N818 - it is a finding, not an error of ours
    """Error: p4d would refuse a depot path, or it has no meaning; the text gives the reason."""


class WildcardDepot(MalformedPath):
    """Error: a path has a wildcard in the depot's name, so that it spans every matching depot."""


def split_words(value: str) -> tuple[str, ...]:
    """Split a line of a form field into words as the server does.

    A quote counts at the start of a word only, the next quote ends the word, and a word may follow
    it without a blank. There are no escapes (SpecWords::Split, support/specdata.cc of Perforce's
    C++ API).
    """
    if '"' not in value:
        return tuple(word for word in value.translate(_AS_SPACES).split(" ") if word) or ("",)
    return tuple(_quoted_words(value))


def _quoted_words(value: str) -> Iterator[str]:
    spaced, at = value.translate(_AS_SPACES), 0
    while at < len(value):
        if spaced[at] == " ":
            at += 1
        elif value[at] == '"':
            end = _end(value, '"', at + 1)
            yield value[at + 1 : end]
            at = end + 1
        else:
            end = _end(spaced, " ", at)
            yield value[at:end]
            at = end


def _end(text: str, mark: str, start: int) -> int:
    """Return the index from `start` on at which `mark` stands in a text, else its length."""
    place = text.find(mark, start)
    return len(text) if place < 0 else place


def view_line(words: tuple[str, ...], *, unicode: bool) -> str | None:
    """Join the paths of a view line, quoting those with a space or `#`; None if that is unsafe.

    It is unsafe if the server would read the line differently or refuse a path, or if a refusal
    could not show the line unchanged: names come from users, and such a line is never proposed.
    `unicode` is whether refusals may show visible characters beyond ASCII.
    """
    from p4warden.core.visible import is_unchanged  # noqa: PLC0415 - for proposed lines only

    line = " ".join(f'"{word}"' if " " in word or "#" in word else word for word in words)
    try:
        for path in (split_flag(word)[1] for word in words):
            # Put `//` before a relative path, as in a stream's line: `path_span` requires it.
            path_span(path if path.startswith("//") else f"//{path}")
    except MalformedPath:
        return None
    is_whole = (*split_words(line),) == words
    return line if is_whole and is_unchanged(line, unicode=unicode) else None


def split_flag(word: str) -> tuple[str, str]:
    """Split the left side of a view line into its flag (`-`, `+`, `&` or nothing) and its path."""
    return (word[0], word[1:]) if word[:1] and word[0] in FLAGS else ("", word)


def path_span(path: str) -> Span:
    """Parse a depot path without flag (`-`, `+`, `&`) up to its first wildcard.

    Raises:
        WildcardDepot: the first wildcard is in the depot's name.
        MalformedPath: the path does not start with //, has an empty or relative depot or directory
            name before its first wildcard, a control character, more wildcards than p4d accepts,
            or two side by side.
    """
    wildcard = first_wildcard(path)
    literal = path[: wildcard[0]] if wildcard else path
    if not path.startswith("//"):
        raise MalformedPath("does not start with // (write a path such as //depot/main/...)")
    depot, slash, rest = literal[2:].partition("/")
    if wildcard and not slash:
        raise WildcardDepot(f"maps {_extent(path)}")
    directories = tuple(rest.split("/")[:-1])
    if depot in _NO_NAMES or not _NO_NAMES.isdisjoint(directories):
        raise MalformedPath(
            "contains // (other than at its start), /./ or /../; write single slashes, and no . "
            "or .. as a directory"
        )
    if not path.isprintable() and any(mark < " " or mark == "\x7f" for mark in path):
        raise MalformedPath("contains a control character, such as a tab; remove it")
    if wildcard and wildcard[1] < len(path):
        _check_wildcards(path)
    return Span(depot, directories, is_exact=wildcard is None)


def _extent(path: str) -> str:
    """Return words for the files that a depot path spans, if the depot's name has a wildcard."""
    if path == "//...":
        return "all depots"
    name = path[2:].partition("/")[0]
    is_any = name in ("...", "*", *_PLACED)
    return "paths in all depots" if is_any else f"paths in all depots that match {name}"


def first_wildcard(path: str, start: int = 0) -> tuple[int, int] | None:
    """Return start and end of a path's first wildcard from index `start` on; None without one."""
    positions = [path.find("*", start), path.find("...", start)]
    if "%%" in path:
        positions += [path.find(specifier, start) for specifier in _PLACED]
    first = min((place for place in positions if place >= 0), default=None)
    if first is None:
        return None
    return first, first + len("*" if path[first] == "*" else "...")


def wildcards(path: str) -> Iterator[tuple[int, int]]:
    """Yield start and end index of each wildcard in a path, from left to right."""
    wildcard = first_wildcard(path)
    while wildcard:
        yield wildcard
        wildcard = first_wildcard(path, wildcard[1])


def is_wild_within(path: str) -> bool:
    """Tell whether a path has any text, even another wildcard, after its first wildcard."""
    wildcard = first_wildcard(path)
    return wildcard is not None and wildcard[1] < len(path)


def is_embedded(path: str) -> bool:
    """Tell whether a path has `...` anywhere but at its end."""
    return "..." in path.removesuffix("...")


def _check_wildcards(path: str) -> None:
    for specifier in _PLACED if "%%" in path else ():
        path = path.replace(specifier, "*")
    dots = path.count("...")
    if dots > MAX_DOTS or dots + path.count("*") > MAX_WILDCARDS:
        raise MalformedPath(
            f"has more than {MAX_DOTS} ... or more than {MAX_WILDCARDS} wildcards; write names of "
            "directories in their place"
        )
    if any(pair in path for pair in _SIDE_BY_SIDE):
        raise MalformedPath("has two wildcards side by side; keep one of them")
