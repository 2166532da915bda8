from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.specs import Groups, Spec
from p4warden.workbench.census.spec_form import (
    COMPONENTS,
    DEPOT_TYPES,
    DOMAIN_TYPES,
    MEMBER,
    PATHS,
    SUBGROUP,
    UNLOADED_TYPES,
    ViewRow,
    client_options,
    stream_paths,
    view,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from p4warden.workbench.checkpoint.small_tables import SmallTables
    from p4warden.workbench.checkpoint.table_list import Row

TABLES = ("group", "depot", "domain", "view", "template")

_WORDS = {"client": 2, "branch": 2, "label": 1}
_DOMAINS = (
    "select name, owner, accessed_s, host, stream, options, contents from domain "
    "where type = ? order by key"
)
_VIEW = "select flag, right, depot_path from view where key = ? order by seq"
_LINES = {
    "stream": "select path_type, right, depot_path from template as paths where key = ? and "
    "change = (select max(change) from template where key = paths.key) order by seq",
    "depot": "select type, map from depot where key = ?",
}


class _Domain(NamedTuple):
    name: str
    owner: str
    accessed_s: int
    host: str
    stream: str | None
    options: int
    contents: int


def specs(tables: SmallTables, types: Collection[str]) -> Iterator[Spec]:
    """Yield the loaded specs, in the order of `types`; those of a type by name."""
    for spec_type in types:
        domains = tables.rows(_DOMAINS, (DOMAIN_TYPES[spec_type],))
        for domain in map(_Domain._make, domains):
            rows = tables.rows(_LINES.get(spec_type, _VIEW), (tables.key(domain.name),))
            fields = _fields(spec_type, domain, list(rows))
            fields = {name: lines for name, lines in fields.items() if any(lines)}
            owner = domain.owner or None
            yield Spec(spec_type, domain.name, owner, domain.accessed_s or None, fields)


def count(tables: SmallTables, types: Collection[str]) -> int:
    """Count the loaded specs of the given types."""
    return _count(tables, [DOMAIN_TYPES[name] for name in types])


def unloaded(tables: SmallTables) -> int:
    """Count the unloaded specs, whose views a checkpoint does not contain."""
    return _count(tables, UNLOADED_TYPES.values())


def depots(tables: SmallTables) -> dict[str, str]:
    """Return depot types by name; `local` for an unknown number."""
    rows = tables.rows("select name, type from depot")
    return {name: DEPOT_TYPES.get(number, "local") for name, number in rows}


def groups(tables: SmallTables) -> Groups:
    """Return a lookup of a user's groups, those by subgroups too."""

    def groups_of(name: str, is_group: bool) -> set[str]:  # noqa: FBT001 - as Groups asks
        query = 'select in_group from "group" where key = ? and role & ?'
        values = tables.key(name), SUBGROUP if is_group else MEMBER
        return {in_group for (in_group,) in tables.rows(query, values)}

    return Groups(groups_of)


def _count(tables: SmallTables, numbers: Iterable[int]) -> int:
    query = "select count(*) from domain where type = ?"
    return sum(next(tables.rows(query, (number,)))[0] for number in numbers)


def _fields(spec_type: str, domain: _Domain, rows: Sequence[Row]) -> dict[str, list[str]]:
    fields = {spec_type: [domain.name], "owner": [domain.owner]}
    if spec_type == "depot":
        kinds = [DEPOT_TYPES.get(row[0], "local") for row in rows]
        return {**fields, "type": kinds, "map": [row[1] for row in rows]}
    lines = list(map(ViewRow._make, rows))
    if spec_type == "stream":
        paths, components = stream_paths(lines, PATHS), stream_paths(lines, COMPONENTS)
        return {**fields, "paths": paths, "components": components}
    fields["view"] = view(lines, _WORDS[spec_type])
    if spec_type == "client":
        fields |= {"host": [domain.host], "stream": [domain.stream or ""]}
        fields |= client_options(domain.options, domain.contents)
    return fields
