"""Facts about the server as JSON: facts.json, and `facts` of an event.

Shape: `{"case_sensitive": true, "depots": {"depot": {"type": "local", "directories": [...]}}}`,
and optionally `"unicode": true` and `"server_id": "commit"`; null is unknown. A depot with more
than `MAX_DIRECTORIES` top directories has `"directories": null, "count": N` instead. Only those of
an event have `"baseline": [[rule, place, item, value]]`, `"view"` (`core/spanned_files.py`),
`"used": ["//depot/main/"]` and `"client_exists": true`. Unknown keys are ignored: an older release
can read the file of a newer one. The file's modification time tells the age of the facts.
"""

from __future__ import annotations

from p4warden.core import spanned_files
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import fold
from p4warden.core.records import Depot, Facts, no_directories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from p4warden.core.effort import Effort

FILE_NAME = "facts.json"
MAX_DIRECTORIES = 1000
_FOLDED_IN_A_STEP = 20


class FactsError(ValueError):
    """Error: a JSON document does not have the shape of facts; the text names the wrong part."""


def from_document(document: object) -> Facts:
    """Raise `FactsError` if a part of a document has the wrong type."""
    top = _mapping(document, "the document")
    depots = _mapping(top.get("depots", {}), "depots")
    by_name = {name: _depot(name, depot) for name, depot in depots.items()}
    marks = _marks(top.get("baseline", []))
    try:
        view = None if top.get("view") is None else spanned_files.from_document(top["view"])
    except ValueError as error:
        raise FactsError(f"view: {error}") from error
    server_id = top.get("server_id")
    if not isinstance(server_id, str | None):
        raise FactsError("server_id is not text")
    return Facts(
        _truth(top, "case_sensitive", if_unknown=True),
        by_name,
        baseline=marks,
        spanned_files=view,
        server_id=server_id,
        unicode=_truth(top, "unicode", if_unknown=False),
        used_directories=_used_directories(top.get("used", [])),
        client_exists=_client_exists(top),
    )


def to_document(facts: Facts) -> dict[str, Any]:
    """Convert facts for `from_document`; of the facts of an event only `baseline` is kept."""
    depots = {name: _depot_document(depot) for name, depot in sorted(facts.depots.items())}
    document: dict[str, Any] = {"case_sensitive": facts.case_sensitive, "unicode": facts.unicode}
    document["depots"] = depots
    if facts.server_id is not None:
        document["server_id"] = facts.server_id
    if facts.baseline:
        document["baseline"] = [[*mark, value] for mark, value in facts.baseline.items()]
    return document


def to_text(facts: Facts) -> str:
    """Return facts about a server as the text of facts.json.

    The first line has all but the directories of the depots, so that the gate need not read on for
    most events: `{"case_sensitive": ..., "unicode": ..., "server_id": ..., "types": {"depot":
    "local"}, "depots": {`. A line for each depot follows, sorted by its quoted name.
    """
    import json  # noqa: PLC0415 - triggers write no facts

    quoted = sorted((json.dumps(name), depot) for name, depot in facts.depots.items())
    head = {
        "case_sensitive": facts.case_sensitive,
        "unicode": facts.unicode,
        "server_id": facts.server_id,
        "types": {json.loads(name): depot.type for name, depot in quoted},
    }
    lines = [f"{name}: {json.dumps(_depot_document(depot))}" for name, depot in quoted]
    return json.dumps(head)[:-1] + ', "depots": {\n' + ",\n".join(lines) + "\n}}\n"


def folded(name: str, facts: Facts) -> str:
    """Return a name as the server compares it: in lower case if the server ignores case."""
    return fold(name, case_sensitive=facts.case_sensitive)


def by_depot(values: Mapping[str, int], facts: Facts) -> dict[str, int]:
    """Key the numbers of a policy setting by `folded` depot names."""
    return {folded(name, facts): value for name, value in values.items()}


def limit_in(
    depot: str,
    limits: Mapping[str, int],
    otherwise: int,
    facts: Facts,
    strictest: Callable[[Iterable[int]], int],
) -> int:
    """Return the number of a policy setting for a depot, from the numbers `by_depot`.

    Whether a server that ignores case also ignores that of letters beyond ASCII is unknown. So the
    number of a depot whose name is equal but for such letters counts where it is stricter.
    """
    own = limits.get(folded(depot, facts), otherwise)
    if facts.case_sensitive:
        return own
    lower = depot.lower()
    return strictest([own, *(limit for name, limit in limits.items() if name.lower() == lower)])


def depot_named(facts: Facts, name: str) -> Depot | None:
    """Compare names as the server does; None if the depot is unknown."""
    key = folded(name, facts)
    for depot_name, depot in facts.depots.items():
        if folded(depot_name, facts) == key:
            return depot
    return None


class FoldedNames:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._depots: dict[str, Depot] = {}
        for name, depot in facts.depots.items():
            self._depots.setdefault(folded(name, facts), depot)
        self._directories: dict[str, frozenset[str] | None] = {}

    def folded(self, name: str) -> str:
        return folded(name, self._facts)

    def counted(self, name: str) -> str:
        """Return a name as it counts: names that the server may take for one are equal."""
        return name if self._facts.case_sensitive else name.lower()

    def depot(self, name: str) -> Depot | None:
        return self._depots.get(self.folded(name))

    def has_directory(self, depot: Depot, name: str, effort: Effort) -> bool:
        """Raise `EffortSpentError` if too little work remains to compare folded names."""
        names = depot.directories or ()
        if self._facts.case_sensitive or name in names:
            return name in names
        effort.spend(len(names) // _FOLDED_IN_A_STEP)
        return self.folded(name) in map(self.folded, names)

    def directories(self, depot_name: str) -> frozenset[str] | None:
        key = self.folded(depot_name)
        if key not in self._directories:
            depot = self._depots.get(key)
            names = depot.directories if depot else None
            self._directories[key] = None if names is None else frozenset(map(self.counted, names))
        return self._directories[key]


def with_depots(facts: Facts, types: Mapping[str, str], as_of: str = "") -> Facts:
    """Replace the depots by those of `types`, by name; known ones keep their directories."""
    old_depots = facts.depots
    depots = {
        name: old_depots[name]._replace(type=depot_type)
        if name in old_depots
        else Depot(depot_type, None, 0)
        for name, depot_type in types.items()
    }
    return facts._replace(depots=depots, depots_as_of=as_of)


def _used_directories(directories: object) -> Callable[[], tuple[str, ...]]:
    if not isinstance(directories, list) or not all(isinstance(one, str) for one in directories):
        raise FactsError("used is not a list of directories")
    return (lambda: tuple(directories)) if directories else no_directories


def _client_exists(top: Mapping[str, Any]) -> Callable[[], bool | None]:
    exists = top.get("client_exists")
    if not isinstance(exists, bool | None):
        raise FactsError("client_exists is neither true nor false")
    return lambda: exists


def _marks(entries: object) -> dict[tuple[str, str, str], int | None]:
    marks: dict[tuple[str, str, str], int | None] = {}
    for entry in entries if isinstance(entries, list) else [None]:
        match entry:
            case [str() as rule, str() as place, str() as item, (int() | None) as value]:
                marks[rule, place, item] = value
            case _:
                raise FactsError("baseline is not a list of [rule, place, item, value]")
    return marks


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
    directories = fields.get("directories")
    if directories is None:
        count = fields.get("count", 0)
        if not isinstance(count, int) or count < 0:
            raise FactsError(f"depots.{name}.count is not a count")
        return Depot(str(fields.get("type", "")), None, count)
    # One comparison of sets checks the types of all directory names, because a facts file may list
    # half a million names and is read in triggers.
    if not isinstance(directories, list) or not {*map(type, directories)} <= {str}:
        raise FactsError(f"depots.{name}.directories is not a list of names")
    return Depot(str(fields.get("type", "")), tuple(directories), len(directories))


def _depot_document(depot: Depot) -> dict[str, Any]:
    if depot.directories is None:
        return {"type": depot.type, "directories": None, "count": depot.directory_count}
    return {"type": depot.type, "directories": list(depot.directories)}
