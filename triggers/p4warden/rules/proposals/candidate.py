"""Parts of a view line that maps too much, and functions that narrow it step by step."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.records import no_directories
from p4warden.forms.depot_path import MalformedPath, Span, path_span, split_words, view_line
from p4warden.rules.proposals import narrow_path
from p4warden.rules.proposals.placeholders import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Facts
    from p4warden.forms.view_lines import ViewLinePath

# Maximum number of directories by which a view line is narrowed: the greatest `min_depth` that a
# policy can demand, plus one.
_MAX_DEPTH = 21


class WideMapping(NamedTuple):
    """A view line that maps too much, cut into its parts.

    Attributes:
        flag: `+`, `&` or nothing.
        depot_path: the depot path.
        target_path: the path that the depot path is mapped to, or None if there is none or it
            stays.
        depot: the depot's name, or None if a wildcard stands in its place.
        leading_words: words of the line before the depot path, which stay unchanged.
        side: the side of a branch's line with the depot path, `left` or `right`; else nothing.
        place: the form field of the line, and the line's number in the field.
        revision: the revision after the depot path, with its `@`, or nothing.
    """

    flag: str
    depot_path: str
    target_path: str | None
    depot: str | None
    leading_words: tuple[str, ...] = ()
    side: str = ""
    place: tuple[str, int] = ("View", 0)
    revision: str = ""


class Context(NamedTuple):
    """The context shared by all proposals for one view line.

    Attributes:
        need_of: maps a depot's name to the number of complete directories that its view lines must
            name.
        facts: the known facts about the server's depots.
        names: the names in the facts, compared as the server compares them.
        client: the client's name, used if the client path cannot be derived; None in a form that
            is not a client, for which nothing is proposed then.
        effort: the remaining computing steps.
        used_directories: returns the directories that the user has files from, which are proposed
            first.
    """

    need_of: Callable[[str], int]
    facts: Facts
    names: FoldedNames
    client: str | None
    effort: Effort
    used_directories: Callable[[], Sequence[str]] = no_directories


def mapping_of(parsed_line: ViewLinePath, span: Span | None) -> WideMapping:
    """Cut a view line into its parts.

    `span` is its parsed depot path; None if a wildcard stands in the depot's name.
    """
    place = parsed_line.field, parsed_line.line.number
    right = parsed_line.client_path if parsed_line.side != "left" else parsed_line.other_path
    depot = span.depot if span else None
    parts = WideMapping(
        parsed_line.flag, parsed_line.path, right, depot, side=parsed_line.side, place=place
    )
    if parsed_line.field == "Paths":
        kind, _, path = split_words(parsed_line.line.text)[:3]
        revision = path.removeprefix(parsed_line.path)
        return parts._replace(
            target_path=parsed_line.other_path, leading_words=(kind,), revision=revision
        )
    return (
        parts._replace(leading_words=(parsed_line.other_path or "",))
        if parsed_line.side == "right"
        else parts
    )


def simplified(mapping: WideMapping, context: Context) -> WideMapping | None:
    """Return a view line's mapping of everything in the directory above its first wildcard.

    `//depot/a/.../x/*` becomes `//depot/a/...`. None if no such line can be written.
    """
    if mapping.side == "right":
        # None is returned, because without its other wildcards the right side of a branch's line
        # would not match the left side.
        return None
    left_path = narrow_path.everything(mapping.depot_path) or mapping.depot_path
    wildcard = next(iter(narrow_path.wildcard_texts(mapping.depot_path)), None)
    right = mapping.target_path and narrow_path.everything(mapping.target_path, wildcard)
    return _checked(mapping, left_path, right, context)


def whole_depot(mapping: WideMapping, context: Context) -> WideMapping | None:
    """Return a mapping of the whole depot to a separate directory of the client.

    None if the mapping has a client path, and the client's name is unknown.
    """
    in_client = _checked(mapping._replace(depot=None), f"//{mapping.depot}/...", None, context)
    return in_client and in_client._replace(depot=mapping.depot)


def deepened(mapping: WideMapping | None, context: Context) -> WideMapping | None:
    """Return a view line's mapping narrowed by guessed names until it names enough directories.

    None if placeholders do not help, as for a branch's line whose sides have different wildcards.
    """
    for _ in range(_MAX_DEPTH):
        if mapping is None or is_narrow(mapping, context):
            return mapping
        readable = all(map(is_readable, judged(mapping)))
        mapping = within(mapping, guess(mapping), context) if readable else None
    return None


def within(mapping: WideMapping, name: str, context: Context) -> WideMapping | None:
    """Return the mapping of a view line narrowed to a directory; None if that is not possible.

    If the right side of a branch's line is the side to narrow, the left side stays unchanged.
    """
    if mapping.side == "right":
        return mapping._replace(depot_path=narrow_path.below(mapping.depot_path, name))
    right = mapping.target_path and narrow_path.beside(
        mapping.depot_path, mapping.target_path, name
    )
    return _checked(mapping, narrow_path.within(mapping.depot_path, name), right, context)


def _checked(
    mapping: WideMapping, left: str, right: str | None, context: Context
) -> WideMapping | None:
    """Return the mapping of a view line with a new depot path and, if it has one, client path.

    If `right` is None or has other wildcards than `left`, the client path is derived from `left`
    and the client's name; the result is None if that name is unknown.
    """
    if mapping.target_path is None:
        return mapping._replace(depot_path=left)
    if right is None or not narrow_path.have_the_same_wildcards(left, right):
        rest = left[2:] if mapping.depot is None else left[2:].partition("/")[2]
        right = f"//{context.client}/{rest}" if context.client else None
    return mapping._replace(depot_path=left, target_path=right) if right else None


def is_narrow(mapping: WideMapping, context: Context) -> bool:
    """Tell whether each depot path of a view line names enough directories or has no wildcard."""
    return all(is_deep(path, context.need_of) for path in judged(mapping))


def judged(mapping: WideMapping) -> tuple[str, ...]:
    """Return the depot paths of a view line: for a branch, those of both sides."""
    if mapping.side == "left":
        return (mapping.depot_path, mapping.target_path or "")
    return (
        (*mapping.leading_words, mapping.depot_path)
        if mapping.side == "right"
        else (mapping.depot_path,)
    )


def is_deep(word: str, need_of: Callable[[str], int]) -> bool:
    """Tell whether a word of a view line is a depot path that names enough directories.

    A depot path without a wildcard always does.
    """
    try:
        span = path_span(word)
    except MalformedPath:
        return False
    return span.is_exact or len(span.directories) >= need_of(span.depot)


def is_readable(path: str) -> bool:
    """Tell whether p4d could read a depot path, and its depot has a literal name."""
    try:
        path_span(path)
    except MalformedPath:
        return False
    return True


def line_text(mapping: WideMapping, *, unicode: bool) -> str | None:
    """Return a mapping as the text of a view line; None if a refusal could not display it.

    `unicode` is whether the server is in unicode mode.
    """
    left_path = f"{mapping.flag}{mapping.depot_path}{mapping.revision}"
    right = () if mapping.target_path is None else (mapping.target_path,)
    paths = (*right, left_path) if mapping.place[0] == "Paths" else (left_path, *right)
    return view_line((*mapping.leading_words, *paths), unicode=unicode)


def guess(mapping: WideMapping) -> str:
    """Return the directory name to narrow a view line by if no real name is known.

    For `//depot/main...` that is `main`; a placeholder word if no text precedes the `...`.
    """
    return narrow_path.guess(mapping.depot_path) or PLACEHOLDER
