"""Facts about the server as JSON, as in facts.json.

Shape: `{"case_sensitive": true, "depots": {"depot": {"type": "local", "directories": [...]}}}`,
and optionally `"unicode": true`, `"server_id": "commit"`, `"release": "2026.1"` and
`"limit_view": true`; null is unknown. A depot with more than `MAX_DIRECTORIES` top directories has
`"directories": null, "count": N` instead. A stream depot may have `"stream_depth": 1` and
`"streams": ["//depot/main"]`, its first `MAX_STREAMS`. Unknown keys are ignored: an older release
can read the file of a newer one. The file's modification time tells the age of the facts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from p4warden.core.patterns import fold
from p4warden.core.records import Depot, Facts

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "facts.json"
MAX_DIRECTORIES = 1000
MAX_STREAMS = 100


class FactsError(ValueError):
    """Error: a JSON document does not have the shape of facts; the text names the wrong part."""


def from_document(document: object) -> Facts:
    """Raise `FactsError` if a part of a document has the wrong type."""
    top = _mapping(document, "the document")
    depots = _mapping(top.get("depots", {}), "depots")
    by_name = {name: _depot(name, depot) for name, depot in depots.items()}
    server_id = top.get("server_id")
    if not isinstance(server_id, str | None):
        raise FactsError("server_id is not text")
    release = top.get("release")
    return Facts(
        _truth(top, "case_sensitive", if_unknown=True),
        by_name,
        server_id=server_id,
        unicode=_truth(top, "unicode", if_unknown=False),
        release=release if isinstance(release, str) else None,
        limit_view=_truth(top, "limit_view", if_unknown=False),
    )


def to_document(facts: Facts) -> dict[str, Any]:
    """Convert facts for `from_document`."""
    depots = {name: _depot_document(depot) for name, depot in sorted(facts.depots.items())}
    return {**_head(facts), "depots": depots}


def to_text(facts: Facts) -> str:
    """Return facts about a server as the text of facts.json.

    The first line has all but the directories of the depots, so that the gate need not read on for
    most events: `{"case_sensitive": ..., "unicode": ..., "server_id": ..., "release": ...,
    "limit_view": ..., "types": {"depot": "local"}, "depots": {`. A line for each depot follows,
    sorted by its quoted name.
    """
    quoted = sorted((json.dumps(name), depot) for name, depot in facts.depots.items())
    head = {**_head(facts), "types": {json.loads(name): depot.type for name, depot in quoted}}
    lines = [f"{name}: {json.dumps(_depot_document(depot))}" for name, depot in quoted]
    return json.dumps(head)[:-1] + ', "depots": {\n' + ",\n".join(lines) + "\n}}\n"


def _head(facts: Facts) -> dict[str, Any]:
    return {
        "case_sensitive": facts.case_sensitive,
        "unicode": facts.unicode,
        "server_id": facts.server_id,
        "release": facts.release,
        "limit_view": facts.limit_view,
    }


def with_own(site: Facts, own: Facts) -> Facts:
    """Replace what is of one server alone, as far as facts have it, by that of `own`."""
    return site._replace(
        server_id=own.server_id,
        release=own.release,
        unicode=own.unicode,
        limit_view=own.limit_view,
    )


def folded(name: str, facts: Facts) -> str:
    """Return a name as the server compares it: in lower case if the server ignores case."""
    return fold(name, case_sensitive=facts.case_sensitive)


def depot_named(facts: Facts, name: str) -> Depot | None:
    """Compare names as the server does; None if the depot is unknown."""
    key = folded(name, facts)
    named = (
        depot for depot_name, depot in facts.depots.items() if folded(depot_name, facts) == key
    )
    return next(named, None)


def with_depots(facts: Facts, types: Mapping[str, str], as_of: str = "") -> Facts:
    """Replace the depots by those of `types`, by name; known ones keep their directories."""
    unknown = Depot("", None, 0)
    depots = {
        name: facts.depots.get(name, unknown)._replace(type=depot_type)
        for name, depot_type in types.items()
    }
    return facts._replace(depots=depots, depots_as_of=as_of)


def _truth(top: Mapping[str, Any], name: str, *, if_unknown: bool) -> bool:
    value = top.get(name)
    if not isinstance(value, bool | None):
        raise FactsError(f"{name} is neither true nor false")
    return if_unknown if value is None else value


def _mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FactsError(f"{where} is not an object")
    return value


def _depot(name: str, document: object) -> Depot:
    fields = _mapping(document, f"depots.{name}")
    directories = _names(fields, "directories", name)
    count = fields.get("count", 0)
    if directories is None and (not isinstance(count, int) or count < 0):
        raise FactsError(f"depots.{name}.count is not a count")
    depth = fields.get("stream_depth")
    return Depot(
        str(fields.get("type", "")),
        directories,
        count if directories is None else len(directories),
        depth if isinstance(depth, int) else None,
        _names(fields, "streams", name),
    )


def _names(fields: Mapping[str, Any], key: str, depot: str) -> tuple[str, ...] | None:
    names = fields.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not {*map(type, names)} <= {str}:
        raise FactsError(f"depots.{depot}.{key} is not a list of names")
    return tuple(names)


def _depot_document(depot: Depot) -> dict[str, Any]:
    document: dict[str, Any] = {"type": depot.type}
    if depot.directories is None:
        document |= {"directories": None, "count": depot.directory_count}
    else:
        document["directories"] = list(depot.directories)
    if depot.stream_depth is not None:
        document["stream_depth"] = depot.stream_depth
    if depot.streams is not None:
        document["streams"] = list(depot.streams)
    return document
