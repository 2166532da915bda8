"""The specs, depots and groups of a checkpoint and the journals after it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from p4warden.census import Spec
from p4warden.census.form_of import (
    COMPONENTS,
    DEPOT_TYPES,
    PATHS,
    ViewRow,
    client_options,
    form,
    stream_paths,
    text,
    view,
)
from p4warden.census.kept import grouped
from p4warden.records import Depot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from p4warden.census.kept import Kept, Row
    from p4warden.records import Facts, Form

_DOMAIN_TYPES = {"client": 99, "stream": 115, "branch": 98, "label": 108, "depot": 100}
_UNLOADED = {67: "client", 76: "label", 83: "stream"}
_WORDS = {"client": 2, "branch": 2, "label": 1}
_MEMBER, _SUBGROUP = 1, 2
_DOMAIN = "d.name, d.owner, d.access, d.host, d.stream, d.options, d.contents, d.key"
_COLUMNS = 8


def specs(kept: Kept, types: Collection[str]) -> Iterator[Spec]:
    """Yield the specs of some types, by type and then in the order of their names."""
    for spec_type in types:
        domains = kept.rows(_query(spec_type), _DOMAIN_TYPES[spec_type])
        for domain, rows in grouped(domains, _COLUMNS):
            name, owner, access_s = domain[:3]
            made = _form(spec_type, domain, [row for row in rows if row[0] is not None])
            yield Spec(spec_type, text(name), text(owner) or None, access_s or None, made)


def count(kept: Kept, types: Collection[str]) -> int:
    """Return how many specs there are of some types."""
    numbers = [_DOMAIN_TYPES[name] for name in types]
    return sum(_number(kept, number) for number in numbers)


def unloaded(kept: Kept) -> int:
    """Return how many specs are unloaded; their views are not in the database."""
    return sum(_number(kept, number) for number in _UNLOADED)


def with_depots(facts: Facts, kept: Kept) -> Facts:
    """Return facts with the depots that the checkpoint has, and what was known of each."""
    depots = {}
    for name, number in kept.rows("select name, type from depot"):
        known = facts.depots.get(text(name), Depot("", None, 0))
        depots[text(name)] = known._replace(type=DEPOT_TYPES.get(number, "local"))
    return facts._replace(depots=depots, counted_by="the checkpoint")


class Groups:
    """Who is in which groups, by way of a subgroup too, as `%groups%` has them."""

    def __init__(self, kept: Kept) -> None:
        """Ask the records for it, for each user once as long as others do not push him out."""
        self._kept = kept
        self.of = functools.lru_cache(maxsize=10_000)(self._of)

    def _of(self, user: str | None) -> tuple[str, ...]:
        if user is None:
            return ()
        found = self._holding(user.encode("utf-8", "surrogateescape"), _MEMBER)
        new = found
        while new:
            outer = {group for name in new for group in self._holding(name, _SUBGROUP)}
            new = outer - found
            found = found | outer
        return tuple(sorted(map(text, found)))

    def _holding(self, name: bytes, role: int) -> set[bytes]:
        query = "select in_group from member where key = ? and role & ?"
        return {group for (group,) in self._kept.rows(query, self._kept.fold(name), role)}


def _number(kept: Kept, domain_type: int) -> int:
    query = "select count(*) from domain where type = ?"
    return int(next(kept.rows(query, domain_type))[0])


def _query(spec_type: str) -> str:
    """Return the query of a type's domains, each with the rows that its form has lines of."""
    joined = {
        "stream": "t.path_type, t.right, t.depot_path from domain d left join template t on "
        "t.key = d.key and t.change = (select max(change) from template where key = d.key)",
        "depot": "t.type, t.map from domain d left join depot t on t.key = d.key",
    }.get(
        spec_type,
        "t.flag, t.right, t.depot_path from domain d left join view t on t.key = d.key",
    )
    seq = "" if spec_type == "depot" else ", t.seq"
    return f"select {_DOMAIN}, {joined} where d.type = ? order by d.key{seq}"  # noqa: S608 - ours


def _form(spec_type: str, domain: Row, rows: Sequence[Row]) -> Form:
    name, owner, _, host, stream, options, contents, _ = domain
    fields = {spec_type: [text(name)], "owner": [text(owner)]}
    if spec_type == "depot":
        kinds = [DEPOT_TYPES.get(row[0], "local") for row in rows]
        return form({**fields, "type": kinds, "map": [text(row[1]) for row in rows]})
    lines = [ViewRow(*row) for row in rows]
    if spec_type == "stream":
        paths, components = stream_paths(lines, PATHS), stream_paths(lines, COMPONENTS)
        return form({**fields, "paths": paths, "components": components})
    fields["view"] = view(lines, _WORDS[spec_type])
    if spec_type == "client":
        fields |= {"host": [text(host)], "stream": [text(stream)]}
        fields |= client_options(options, contents)
    return form(fields)
