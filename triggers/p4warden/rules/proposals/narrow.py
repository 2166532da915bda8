"""Propose view lines in place of one that maps too much.

Once the placeholder words are replaced, the proposed lines keep the rule's limits on depth, on the
number of lines, on `...` within paths and on shares of depots. Files and the rows of p4d's map are
not counted. Directory names come from the facts about the server; where the facts have none, a
placeholder word in capitals stands for a name that the developer knows.
"""

from __future__ import annotations

from itertools import zip_longest

from p4warden.core.effort import EffortSpentError
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.visible import is_unchanged
from p4warden.forms.depot_path import path_span
from p4warden.rules.proposals import narrow_path
from p4warden.rules.proposals.candidate import (
    Context,
    WideMapping,
    deepened,
    guess,
    is_deep,
    is_narrow,
    is_readable,
    judged,
    line_text,
    simplified,
    whole_depot,
    within,
)
from p4warden.rules.proposals.placeholders import PLACEHOLDER, UNKNOWN_DEPOT
from p4warden.rules.proposals.remaining_limits import RemainingLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_PROPOSALS = 6
# Maximum number of possible lines for one refused view line that are checked against the view's
# limits; further ones are only counted.
_MAX_TRIES = 50
# Computing steps spent on each depot that can replace a depot wildcard: for writing the view line
# within the depot, and for looking up its directory.
_STEPS_OF_A_START = 4
# Number of characters of a view line's paths above which nothing is proposed for it, because a
# refusal shows at most `MAX_FIX_BYTES` of proposals.
_MAX_CHARACTERS = 1000
# Types of depots with files that people map into clients (p4 help depot).
MAPPED_TYPES = ("local", "stream", "remote", "graph")


class Proposal(NamedTuple):
    """Proposed view lines in place of a refused one.

    Attributes:
        lines: the proposed view lines, the most important first.
        further_count: the number of further possible lines to choose from, which are not proposed.
            With all of them the view could exceed its limits.
        is_already_mapped: whether no line is proposed because other lines of the view map
            everything.
    """

    lines: tuple[str, ...] = ()
    further_count: int = 0
    is_already_mapped: bool = False


class _Choice(NamedTuple):
    """A possible view line to propose: a mapping, and a directory name that narrows it.

    The name is None if the mapping is narrow enough.
    """

    mapping: WideMapping
    name: str | None

    @property
    def path(self) -> str:
        """The depot path of the possible view line, narrowed to its directory name, if any."""
        left_path = self.mapping.depot_path
        return narrow_path.within(left_path, self.name) if self.name else left_path


class _ProposedLines:
    """Collector of view lines proposed for a refused one; counts the possible lines left out."""

    def __init__(self, mapping: WideMapping, context: Context, remaining: RemainingLimits) -> None:
        self._mapping, self._context, self._remaining = mapping, context, remaining
        self.lines: list[str] = []
        self.further_count = self.mapped_count = self._try_count = 0

    def take(self, choice: _Choice) -> None:
        """Add a possible view line to the proposed ones, or count it if it is left out."""
        if self._is_mapped(choice):
            self.mapped_count += 1
        elif len(self.lines) == MAX_PROPOSALS or self._try_count == _MAX_TRIES:
            self.further_count += 1
        else:
            self._try_count += 1
            line = _line(choice, self._context, self._remaining, is_first=not self.lines)
            self.lines += [line] if line else []
            self.further_count += line is None

    def count(self, choice: _Choice, used_directories: Iterable[str]) -> None:
        """Count a possible view line without proposing it.

        Not counted are lines that map a directory in `used_directories`, lines with a placeholder,
        and lines whose files other lines of the view map already.
        """
        start = self._context.names.folded(narrow_path.literal(choice.path))
        is_placeholder = f"/{PLACEHOLDER}/" in choice.path
        if not (is_placeholder or self._is_mapped(choice)):
            self.further_count += not any(one.startswith(start) for one in used_directories)

    def _is_mapped(self, choice: _Choice) -> bool:
        self._context.effort.spend(1)
        mapping = self._mapping
        return mapping.side != "right" and self._remaining.has(choice.path, mapping.place[1])


def propose(
    mapping: WideMapping, context: Context, remaining: RemainingLimits | None = None
) -> Proposal:
    """Propose at most `MAX_PROPOSALS` view lines, each deep enough for its depot.

    If the user has files from some directories, only these are proposed, and the others are
    counted.

    Args:
        mapping: the view line to replace.
        context: the facts, required depths and effort that all proposals for the line share.
        remaining: the unused part of the view's limits; None for no limit.

    Raises:
        EffortSpentError: the remaining effort does not suffice for one line.
    """
    remaining = remaining or RemainingLimits(context.names)
    start = _start(mapping, context, remaining)
    if start is None:
        return Proposal()
    proposed_lines = _ProposedLines(mapping, context, remaining)
    try:
        used_directories = _take_used(start, context, proposed_lines)
        for choice in _choices(start, context):
            if used_directories:
                proposed_lines.count(choice, used_directories)
            else:
                proposed_lines.take(choice)
    except EffortSpentError:
        if not proposed_lines.lines:
            raise
        # The number is unknown: computing steps ran out before all possible lines were counted.
        proposed_lines.further_count = 0
    lines, more = proposed_lines.lines, proposed_lines.further_count
    is_mapped = proposed_lines.mapped_count > 0 and not (lines or more)
    return Proposal((*lines,), more if lines else 0, is_already_mapped=is_mapped)


def propose_used(mapping: WideMapping, context: Context, remaining: RemainingLimits) -> Proposal:
    """Propose view lines only for directories from which the user has files.

    Raises:
        EffortSpentError: the remaining effort is too small.
    """
    start = _start(mapping, context, remaining)
    if start is None:
        return Proposal()
    proposed_lines = _ProposedLines(mapping, context, remaining)
    _take_used(start, context, proposed_lines)
    return Proposal((*proposed_lines.lines,))


def _start(
    mapping: WideMapping, context: Context, remaining: RemainingLimits
) -> WideMapping | None:
    is_short = len(mapping.depot_path) + len(mapping.target_path or "") <= _MAX_CHARACTERS
    if not is_short or not remaining.begins() or not _other_side_is_deep(mapping, context.need_of):
        return None
    return (
        simplified(mapping, context)
        if remaining.has_too_much_embedded(mapping.depot_path)
        else mapping
    )


def _take_used(start: WideMapping, context: Context, proposed_lines: _ProposedLines) -> list[str]:
    """Propose view lines for directories that the user has files from.

    Return the directories of the proposed lines, folded if the server folds case.
    """
    if not context.used_directories():
        return []
    from p4warden.rules.proposals.directories_in_use import narrowed_mappings  # noqa: PLC0415 - few sites have an index

    directories = []
    for mapping in narrowed_mappings(start, context):
        old_count = len(proposed_lines.lines)
        proposed_lines.take(_Choice(mapping, None))
        if len(proposed_lines.lines) > old_count:
            directories.append(context.names.folded(narrow_path.literal(mapping.depot_path)))
    return directories


def propose_within(
    mapping: WideMapping, directories: Iterable[str], context: Context, remaining: RemainingLimits
) -> Proposal:
    """Propose lines in place of a view line: one for each given directory, if it can have one.

    A directory is written as `//depot/main/lib/`.

    Raises:
        EffortSpentError: the remaining effort is too small.
    """
    lines: list[str] = []
    for directory in directories:
        context.effort.spend(1)
        inner = _inner(mapping, directory, context)
        is_good = inner is not None and is_narrow(inner, context)
        line = _line_text(inner, context) if is_good else None
        if inner and line and remaining.reserve(judged(inner), is_first=not lines):
            lines.append(line)
    return Proposal((*lines,))


def _inner(mapping: WideMapping, directory: str, context: Context) -> WideMapping | None:
    """Return a view line's mapping narrowed to a directory below its literal text.

    None if that is not possible, for example because the directory is elsewhere.
    """
    start = narrow_path.literal(mapping.depot_path)
    if not start.endswith("/") or not context.names.folded(directory).startswith(
        context.names.folded(start)
    ):
        return None
    inner: WideMapping | None = mapping
    for name in directory[len(start) :].strip("/").split("/"):
        if inner is None or not narrow_path.is_name(name):
            return None
        inner = within(inner, name, context)
    return inner


def _other_side_is_deep(mapping: WideMapping, need_of: Callable[[str], int]) -> bool:
    """Tell whether the unchanged side of a view line names enough directories.

    Only a branch's line whose right side is replaced has such a side; for others the result is
    true.
    """
    return mapping.side != "right" or all(is_deep(path, need_of) for path in mapping.leading_words)


def _choices(mapping: WideMapping, context: Context) -> Iterator[_Choice]:
    """Yield the possible view lines to propose, each narrowed to a directory if it is too wide.

    If the depot is a wildcard, the first line of each depot comes before the second of any depot.
    """
    turns = (_in_depot(start, context) for start in _starts(mapping, context))
    return (choice for turn in zip_longest(*turns) for choice in turn if choice)


def _starts(mapping: WideMapping, context: Context) -> Iterator[WideMapping]:
    """Yield a view line's mapping once for each known depot that its depot wildcard can match.

    Without such a depot the placeholder `DEPOT` stands for one. Depots that certainly lack the
    line's first directory are left out; if all lack it, each depot is mapped whole. A line with a
    literal depot name is yielded unchanged.
    """
    if mapping.depot:
        yield mapping
        return
    mapped_depots = {
        n: d for n, d in sorted(context.facts.depots.items()) if d.type in MAPPED_TYPES
    }
    fits = [
        *narrow_path.fitting(
            mapping.depot_path,
            _displayable_names(mapped_depots, context),
            context.names,
            context.effort,
        )
    ]
    starts = []
    for name in fits or [UNKNOWN_DEPOT]:
        context.effort.spend(_STEPS_OF_A_START)
        start = within(mapping, name, context)
        if start and is_readable(start.depot_path):
            starts.append(start._replace(depot=name))
    populated_starts = [start for start in starts if _may_have(start, context)]
    yield from populated_starts or (
        depot_start for start in starts if (depot_start := whole_depot(start, context))
    )


def _may_have(start: WideMapping, context: Context) -> bool:
    """Tell whether a depot has the first directory that a view line names.

    True if the line names no directory, or if the facts do not list the depot's directories.
    """
    first = path_span(start.depot_path).directories[:1]
    if not first or start.depot is None:
        return True
    depot = context.names.depot(start.depot)
    if depot is None or depot.directories is None:
        return True
    return context.names.has_directory(depot, first[0], context.effort)


def _in_depot(mapping: WideMapping, context: Context) -> Iterator[_Choice]:
    if is_narrow(mapping, context):
        yield _Choice(mapping, None)
        return
    depot = context.names.depot(mapping.depot or "")
    names = depot.directories if depot and not path_span(mapping.depot_path).directories else None
    shown_names = _displayable_names(names or (), context)
    fits = narrow_path.fitting(mapping.depot_path, shown_names, context.names, context.effort)
    choices = (_Choice(mapping, name) for name in fits)
    yield next(choices, _Choice(mapping, guess(mapping)))
    yield from choices


def _displayable_names(names: Iterable[str], context: Context) -> Iterator[str]:
    """Yield the names that a proposed view line may contain.

    A refusal shows them unchanged, and they have no quotes or wildcards.
    """
    for name in names:
        context.effort.spend(1 if name.isascii() else len(name))
        if is_unchanged(name, unicode=context.facts.unicode) and narrow_path.is_name(name):
            yield name


def _line(
    choice: _Choice, context: Context, remaining: RemainingLimits, *, is_first: bool
) -> str | None:
    """Return the text of a possible view line; None if the view would then exceed its limits.

    None also if the line cannot be made narrow enough, or a refusal could not display it.
    """
    narrowed = within(choice.mapping, choice.name, context) if choice.name else choice.mapping
    mapping = deepened(narrowed, context)
    line = _line_text(mapping, context)
    if not mapping or not line or remaining.reserve(judged(mapping), is_first=is_first):
        return line
    # A view line that is one directory deeper does not count towards the view's share of the
    # depot's top directories, so there may still be room for it.
    mapping = within(mapping, PLACEHOLDER, context) if is_first else None
    if mapping and remaining.reserve(judged(mapping), is_first=True):
        return _line_text(mapping, context)
    return None


def _line_text(mapping: WideMapping | None, context: Context) -> str | None:
    return line_text(mapping, unicode=context.facts.unicode) if mapping else None
