"""A line that maps too much, and the lines that it becomes on the way to a narrower one."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.depot_path import MalformedPath, Scope, scope, split_words, view_line
from p4warden.rules.proposals import narrow_path
from p4warden.rules.proposals.placeholders import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.effort import Effort
    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Facts
    from p4warden.forms.view_lines import Mapped

# The greatest depth that a policy can ask for (`min_depth` in its schema), and one step more.
_MAX_DEPTH = 21


class WideMapping(NamedTuple):
    """A line that maps too much, cut into its parts.

    Attributes:
        flag: `+`, `&` or nothing.
        left: the depot path.
        right: what the depot path is mapped to, or None where that stays or there is none.
        depot: the depot's name, or None where a wildcard stands in its place.
        lead: words of the line that stand before the paths and stay as they are.
        side: which side of a branch's line the depot path is, `left` or `right`; else nothing.
        place: where it stands: its field, and the number of its line there.
        revision: the revision behind the depot path, with its `@`, or nothing.
    """

    flag: str
    left: str
    right: str | None
    depot: str | None
    lead: tuple[str, ...] = ()
    side: str = ""
    place: tuple[str, int] = ("View", 0)
    revision: str = ""


class Asked(NamedTuple):
    """The context of all lines that are proposed for one.

    Attributes:
        need_of: from a depot's name to the complete directories that a line of it must name.
        facts: the known facts of the server's depots.
        names: the names of the facts.
        client: the client's name, for the right side where it cannot be derived; None in a form
            that is no client, where nothing is proposed then.
        effort: the work that may still be done.
    """

    need_of: Callable[[str], int]
    facts: Facts
    names: FoldedNames
    client: str | None
    effort: Effort


def mapping_of(mapped: Mapped, span: Scope | None) -> WideMapping:
    """Cut a line into its parts; without a span a wildcard stands in its depot's name."""
    place = mapped.field, mapped.line.number
    right = mapped.right if mapped.side != "left" else mapped.beside
    depot = span.depot if span else None
    parts = WideMapping(mapped.flag, mapped.path, right, depot, side=mapped.side, place=place)
    if mapped.field == "Paths":
        kind, _, path = split_words(mapped.line.text)[:3]
        revision = path.removeprefix(mapped.path)
        return parts._replace(right=mapped.beside, lead=(kind,), revision=revision)
    return parts._replace(lead=(mapped.beside or "",)) if mapped.side == "right" else parts


def simplified(mapping: WideMapping, asked: Asked) -> WideMapping | None:
    """Return the mapping with all below its directories; None where there is no such line."""
    if mapping.side == "right":
        return None  # its wildcards are those of the left side
    left = narrow_path.everything(mapping.left) or mapping.left
    wildcard = narrow_path.first_wildcard(mapping.left)
    right = mapping.right and narrow_path.everything(mapping.right, wildcard)
    return _checked(mapping, left, right, asked)


def whole_depot(mapping: WideMapping, asked: Asked) -> WideMapping | None:
    """Return the mapping with all of its depot, at a place of its own in the client."""
    in_client = _checked(mapping._replace(depot=None), f"//{mapping.depot}/...", None, asked)
    return in_client and in_client._replace(depot=mapping.depot)


def deepened(mapping: WideMapping | None, asked: Asked) -> WideMapping | None:
    """Return the mapping with words in capitals for the directories that it has to name.

    None where that many words do not help: a branch's right side stays as it is where it has other
    wildcards than the left one.
    """
    for _ in range(_MAX_DEPTH):
        if mapping is None or is_narrow(mapping, asked):
            return mapping
        readable = all(map(is_readable, judged(mapping)))
        mapping = within(mapping, guess(mapping), asked) if readable else None
    return None


def within(mapping: WideMapping, name: str, asked: Asked) -> WideMapping | None:
    """Return the mapping within a directory; where a branch's right is too wide its left stays."""
    if mapping.side == "right":
        return mapping._replace(left=narrow_path.below(mapping.left, name))
    right = mapping.right and narrow_path.beside(mapping.left, mapping.right, name)
    return _checked(mapping, narrow_path.within(mapping.left, name), right, asked)


def _checked(
    mapping: WideMapping, left: str, right: str | None, asked: Asked
) -> WideMapping | None:
    """Return the mapping with other sides; the client's own where the right has not come along."""
    if mapping.right is None:
        return mapping._replace(left=left)
    if right is None or not narrow_path.have_the_same_wildcards(left, right):
        below = left[2:] if mapping.depot is None else left[2:].partition("/")[2]
        right = f"//{asked.client}/{below}" if asked.client else None
    return mapping._replace(left=left, right=right) if right else None


def is_narrow(mapping: WideMapping, asked: Asked) -> bool:
    """Tell whether all of a line's paths that are judged name enough directories."""
    return all(is_deep(path, asked.need_of) for path in judged(mapping))


def judged(mapping: WideMapping) -> tuple[str, ...]:
    """Return the paths of the line that are judged."""
    if mapping.side == "left":
        return (mapping.left, mapping.right or "")
    return (*mapping.lead, mapping.left) if mapping.side == "right" else (mapping.left,)


def is_deep(word: str, need_of: Callable[[str], int]) -> bool:
    """Tell whether a word is a depot path that names enough directories."""
    try:
        span = scope(word)
    except MalformedPath:
        return False
    return span.exact or len(span.directories) >= need_of(span.depot)


def is_readable(path: str) -> bool:
    """Tell whether p4d could read a path, and its depot has a name."""
    try:
        scope(path)
    except MalformedPath:
        return False
    return True


def written(mapping: WideMapping) -> str | None:
    """Return the mapping as a line; None where it cannot be told to anyone."""
    left = f"{mapping.flag}{mapping.left}{mapping.revision}"
    right = () if mapping.right is None else (mapping.right,)
    paths = (*right, left) if mapping.place[0] == "Paths" else (left, *right)
    return view_line((*mapping.lead, *paths))


def guess(mapping: WideMapping) -> str:
    """Return a name to narrow a mapping by where the facts tell none."""
    return narrow_path.guess(mapping.left) or PLACEHOLDER
