"""A protections table with fewer lines that gives everybody the same access; p4warden writes none.

Lines without effect are left out, neighbours of equal subject, host and rights become one line.
Lines that give super access stay as they are.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.patterns import fold
from p4warden.workbench.audit.protections import SUPER, dead, folded
from p4warden.workbench.tune.path_patterns import merged, wildcard_count
from p4warden.workbench.tune.protection_check import changes_access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from p4warden.workbench.audit.groups import Group
    from p4warden.workbench.audit.protections import Protection
    from p4warden.workbench.tune.server_state import ProtectionTable

_UNKNOWN = "rights "


class TableSize(NamedTuple):
    lines: int
    wildcards: int


class SmallerTable(NamedTuple):
    """`lines` is the whole proposed table as in the form; empty where there is none.

    `diff` has `-3 LINE` for line 3 of the present table and `+ LINE`. `problem` says why there is
    no proposal, if not because the table is as small as it can be.
    """

    before: TableSize
    after: TableSize
    diff: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    problem: str = ""


class _Line(NamedTuple):
    numbers: tuple[int, ...]  # of the present lines that it stands for, from 1
    protection: Protection


def smaller(
    table: ProtectionTable, groups: Sequence[Group] | None, *, case_sensitive: bool
) -> SmallerTable:
    """Propose a smaller table, if a check finds that it gives everybody the same access."""
    present = [_Line((n,), line) for n, line in enumerate(table.lines, 1)]
    size = _size(present)
    if table.problem:
        return SmallerTable(size, size, problem=table.problem)
    fold_name = functools.partial(fold, case_sensitive=case_sensitive)
    folded_lines = [folded(line, fold_name) for line in table.lines]
    removed = {one.number for one in dead(folded_lines)}
    rest = [
        _Line((n,), line)
        for n, line in enumerate(folded_lines, 1)
        if n not in removed or line.rights & SUPER
    ]
    # Without any line everybody would have super access.
    proposed = _merged(rest) or present
    people = [_folded_group(group, fold_name) for group in groups or ()]
    if changes_access(folded_lines, [line.protection for line in proposed], people):
        return SmallerTable(size, size, problem="a check of the smaller table found other access")
    proposed = [_unfolded(line, table.lines) for line in proposed]
    return SmallerTable(
        size, _size(proposed), tuple(_diff(table, proposed)), tuple(_texts(table, proposed))
    )


def line_text(line: Protection) -> str:
    """Return a line as in the p4 protect form; words with blanks are quoted."""
    rights, *words = line.parts()
    return " ".join([rights, *(f'"{word}"' if " " in word else word for word in words)])


def _merged(lines: Sequence[_Line]) -> list[_Line]:
    """Merge each line with those before it, as long as only equal subjects stand between."""
    found: list[_Line] = []
    for line in lines:
        new = line
        while found and (path := _common_path(found[-1].protection, new.protection)) is not None:
            before = found.pop()
            numbers = before.numbers + new.numbers
            new = _Line(numbers, new.protection._replace(path=path))
        found.append(new)
    return found


def _common_path(one: Protection, other: Protection) -> str | None:
    is_equal = one._replace(path="") == other._replace(path="")
    if not is_equal or one.rights & SUPER or line_text(one).startswith(_UNKNOWN):
        return None
    return merged(one.path, other.path)


def _unfolded(line: _Line, present: Sequence[Protection]) -> _Line:
    """Return a line in the spelling of the present table, if it has this path."""
    for number in line.numbers:
        own = present[number - 1]
        if own.path.lower() == line.protection.path.lower():
            return line._replace(protection=own)
    return line._replace(
        protection=present[line.numbers[0] - 1]._replace(path=line.protection.path)
    )


def _diff(table: ProtectionTable, proposed: Sequence[_Line]) -> Iterator[str]:
    texts = table.texts or [line_text(line) for line in table.lines]
    by_last = {line.numbers[-1]: line for line in proposed}
    kept = {line.numbers[0] for line in proposed if len(line.numbers) == 1}
    for number, text in enumerate(texts, 1):
        if number not in kept:
            yield f"-{number} {text}"
        line = by_last.get(number)
        if line is not None and len(line.numbers) > 1:
            yield f"+ {line_text(line.protection)}"


def _texts(table: ProtectionTable, proposed: Sequence[_Line]) -> Iterator[str]:
    """Yield the proposed lines; none if the table stays, or the name of a right is not known."""
    if len(proposed) == len(table.lines):
        return
    texts = [
        table.texts[line.numbers[0] - 1]
        if table.texts and len(line.numbers) == 1
        else line_text(line.protection)
        for line in proposed
    ]
    if not any(text.startswith(_UNKNOWN) for text in texts):
        yield from texts


def _size(lines: Sequence[_Line]) -> TableSize:
    return TableSize(len(lines), sum(wildcard_count(line.protection.path) for line in lines))


def _folded_group(group: Group, fold_name: Callable[[str], str]) -> Group:
    users, groups = (frozenset(map(fold_name, names)) for names in (group.users, group.groups))
    return group._replace(name=fold_name(group.name), users=users, groups=groups)
