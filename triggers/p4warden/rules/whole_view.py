"""Judge a view as a whole: numbers of lines, p4d's map rows and files, and shares of depots."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import about, amount, at_most, spelled
from p4warden.core.printable import shortened
from p4warden.core.records import Finding
from p4warden.forms import view_lines
from p4warden.forms.depot_path import is_embedded, is_wild_within
from p4warden.forms.view_lines import ViewLinePath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.facts import FoldedNames
    from p4warden.core.records import Form, SpannedFiles, WideLine
    from p4warden.forms.shares import Shares


# By form type: words before and after the number of include lines in a finding, and the remedy.
_LINES = {
    "client": (
        "maps files with",
        "lines (lines that start with - do not count)",
        "Remove lines you do not need, or split the work between two clients",
    ),
    "branch": (
        "has",
        "depot paths (two in each line; lines that start with - do not count)",
        "Remove lines you do not need, or split the view between two branches",
    ),
    "label": (
        "maps files with",
        "lines (lines that start with - do not count)",
        "Remove lines you do not need, or split the view between two labels",
    ),
    "stream": ("has", "lines that import files", "Remove imports that are not needed"),
}


def too_many_lines(limit: int | None, count: int, form_type: str) -> Iterator[Finding]:
    """Yield a finding if the view of a form has more include lines than allowed."""
    if limit is not None and count > limit:
        verb, lines, remedy = _LINES[form_type]
        problem = f"{verb} {count:,} {lines}; {at_most(limit)}. {remedy}"
        measured = "include lines"
        yield Finding(
            "", "The view", problem, count, limit, counted_things=measured, is_decisive=True
        )


def too_large_shares(shares: Shares | None, depots: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each depot of which a view names too many top directories."""
    for share in shares.too_large(depots) if shares else ():
        count, most = len(share.named_directories), share.max_directories
        problem = (
            f"maps {count} of the {len(share.tops)} directories directly below //{share.depot}; "
            f"{at_most(most)}. Remove the view lines of at least {spelled(count - most)} of these "
            "directories"
        )
        yield Finding(f"//{share.depot}/...", "The view", problem, count, most)


def too_many_rows(
    limit: int | None,
    embedded: tuple[str, ...],
    form: Form | None,
    form_type: str | None,
    names: FoldedNames,
) -> Iterator[Finding]:
    """Yield a finding if a view has too many lines with `...` inside, or too many map rows.

    A view may have `limit` lines with `...` before their end, and p4d's map of the view may have
    `2 * limit**2` more rows than the view has lines (`forms/map_rows.py` counts them).

    Args:
        limit: `max_embedded` of the rule; None for no limit.
        embedded: the depot paths of the include lines with `...` before their end.
        form: the form with the view.
        form_type: the form's type, as p4d names it.
        names: names as the server compares them.
    """
    if limit is None:
        return
    if (count := len(embedded)) > limit:
        problem = (
            f"has {amount(count, 'path')} with ... in the middle; {at_most(limit)}. In at least "
            f"{spelled(count - limit)} of them, write the names of directories in place of the "
            f"... in the middle, such as in {shortened(embedded[0])}"
        )
        yield Finding("", "The view", problem, count, limit, counted_things="embedded")
    elif form and form_type and _has_more_rows(form, form_type, most := 2 * limit**2, names):
        problem = (
            "combines too many wildcards in the middle of paths. Write the names of directories "
            "in place of each ... and * in the middle, or remove lines with a leading - that "
            "contain them"
        )
        yield Finding("", "The view", problem, most + 1, most, counted_things="map rows")


def embedded_paths(lines: Iterable[object]) -> tuple[str, ...]:
    """Return the depot paths of include lines that have `...` before their end, in view order."""
    paths = (line.path for line in lines if isinstance(line, ViewLinePath))
    return tuple(path for path in paths if is_embedded(path))


def _has_more_rows(form: Form, form_type: str, most: int, names: FoldedNames) -> bool:
    lines = [*view_lines.map_lines(form, form_type)]
    include_count = sum(flag != "-" for flag, _, _ in lines)
    is_wild = any(is_wild_within(path) for _, left, right in lines for path in (left, right))
    # Two lines with wildcards only at their ends make at most two rows.
    if not is_wild and 2 * include_count * len(lines) <= most:
        return False
    from p4warden.forms.map_rows import Line, has_more_rows  # noqa: PLC0415 - most views are plain

    folded_lines = [Line(flag, *map(names.folded, paths)) for flag, *paths in lines]
    return has_more_rows(folded_lines, most)


def include_lines(form: Form, form_type: str) -> tuple[ViewLinePath, ...]:
    """Return the include lines of a view, whose files the checkpoint index counts, in form order.

    `WideLine.line` is an index into them.
    """
    mapped_paths = view_lines.view_line_paths(form, form_type)
    return tuple(
        parsed_line for parsed_line in mapped_paths if isinstance(parsed_line, ViewLinePath)
    )


def too_many_files(
    limit: int | None, lines: tuple[ViewLinePath, ...], spanned: SpannedFiles | None
) -> Iterator[tuple[Finding, WideLine | None]]:
    """Yield findings for a view that spans too many files: one for each wide line, widest first.

    Each comes with the estimate for its line. Estimates for lines that the form does not have are
    ignored. If no line has an estimate, there is one finding about the whole view.
    """
    if limit is None or spanned is None or spanned.files <= limit:
        return
    problem = f"covers about {about(spanned.files)} files; {at_most(limit)}"
    finding = Finding("", "The view", problem, spanned.files, limit, is_growing=True)
    wide_lines = [wide for wide in spanned.wide_lines if wide.line < len(lines)]
    for wide in wide_lines:
        parsed_line = lines[wide.line]
        alone = (
            f"covers about {about(wide.files)} files, and the whole view about "
            f"{about(spanned.files)}; a view may cover at most {limit:,}"
        )
        is_all = about(wide.files) == about(spanned.files)
        problem = finding.problem if is_all else alone
        yield (
            finding._replace(item=parsed_line.line.text, place=parsed_line.place, problem=problem),
            wide,
        )
    if not wide_lines:
        yield finding._replace(counted_things="files"), None
