"""Narrow a view line to directories that its user has files from, or choose lines for them."""

from __future__ import annotations

from p4warden.core.facts import folded
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.rules.proposals import narrow_path
from p4warden.rules.proposals.candidate import (
    Context,
    WideMapping,
    is_narrow,
    line_text,
    mapping_of,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from p4warden.core.effort import Effort
    from p4warden.core.records import Facts
    from p4warden.forms.depot_path import Span
    from p4warden.forms.view_lines import ViewLinePath


def narrowed_mappings(mapping: WideMapping, context: Context) -> Iterator[WideMapping]:
    """Yield a view line narrowed to each directory that it maps and the user has files from.

    Of directories within each other only one is taken. Lines that are deep enough for the rule
    come first.

    Raises:
        EffortSpentError: the remaining effort is too small.
    """
    inner = [_toward(mapping, directory, context) for directory in context.used_directories()]
    kept_starts: list[str] = []
    for is_deep in (True, False):
        for one in inner:
            if one is None or is_narrow(one, context) != is_deep:
                continue
            start = context.names.folded(narrow_path.literal(one.depot_path))
            if not any(
                start.startswith(other) or other.startswith(start) for other in kept_starts
            ):
                kept_starts.append(start)
                yield one


def _toward(mapping: WideMapping, directory: str, context: Context) -> WideMapping | None:
    """Return a view line narrowed to a directory; None if that is not possible.

    Each round replaces one wildcard by a name of the directory, or puts the name before it. After
    `...` within a path only one name is inserted: `//depot/.../src/...` has no file of
    `//depot/main/src/` below `//depot/main/src/.../src/`.
    """
    fold, inner = context.names.folded, mapping
    while True:
        context.effort.spend(1)
        start = narrow_path.literal(inner.depot_path)
        if inner is not mapping and fold(start).startswith(fold(directory)):
            return inner
        if start == inner.depot_path or not fold(directory).startswith(fold(start)):
            return None
        is_dots = inner.depot_path.startswith("...", len(start))
        if not is_dots and "/" not in inner.depot_path[len(start) :]:
            return None  # a wildcard in the file name cannot be narrowed to a directory
        is_last = is_dots and inner.depot_path != f"{start}..."
        name = directory[start.rfind("/") + 1 :].partition("/")[0]
        narrower = _within(inner, name, context)
        if narrower is None or is_last:
            return narrower
        inner = narrower


def _within(mapping: WideMapping, name: str, context: Context) -> WideMapping | None:
    """Return a view line narrowed to a directory name; None if that name does not fit it."""
    if not narrow_path.is_name(name):
        return None
    fits = narrow_path.fitting(mapping.depot_path, [name], context.names, context.effort)
    if not list(fits):
        return None
    inner = within(mapping, name, context)
    return inner if inner is None or inner.depot else inner._replace(depot=name)


def lines_in_use(
    lines: Iterable[tuple[ViewLinePath, Span]],
    used_directories: Sequence[str],
    facts: Facts,
    most: int,
    effort: Effort,
) -> tuple[str, ...]:
    """Return, in view order, the given lines that map directories the user has files from.

    Args:
        lines: lines of a view with the depot directories that they span.
        used_directories: the directories from which the user has files, folded.
        facts: the known facts about the server.
        most: the maximum number of lines to return.
        effort: the remaining computing steps.

    Raises:
        EffortSpentError: the remaining effort is too small.
    """
    proposed_lines: list[str] = []
    for parsed_line, span in lines:
        effort.spend(1)
        start = folded("/".join(("/", span.depot, *span.directories, "")), facts)
        if not span.is_exact and any(one.startswith(start) for one in used_directories):
            line = line_text(mapping_of(parsed_line, span), unicode=facts.unicode)
            proposed_lines += [line] if line else []
        if len(proposed_lines) >= most:
            break
    return (*proposed_lines,)
