"""facts.json, and the `facts` of an event line: the known facts of the server, as a document.

Shape: `{"case_sensitive": true, "depots": {"depot": {"type": "local", "directories": [...]}}}`.
A depot with more than `MAX_DIRECTORIES` has `"directories": null, "count": N` instead. Those of an
event may have `"baseline": [[rule, place, item, value]]`, of the spec it is about, and `"view"`,
the files that its form spans (`core/spanned.py` has the shape). Unknown
keys are ignored, so that an older release reads what a newer one wrote. The file is written anew
by each refresh that worked, so its time of modification is how old the facts are.
"""

from __future__ import annotations

from p4warden.core import spanned
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import fold
from p4warden.core.records import Depot, Facts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from p4warden.core.effort import Effort

FILE_NAME = "facts.json"
MAX_DIRECTORIES = 1000
_FOLDED_IN_A_STEP = 20


class FactsError(ValueError):
    """The document has not the shape of facts; the text says where."""


def from_document(document: object) -> Facts:
    """Read facts.

    Raises:
        FactsError: a part has the wrong type.
    """
    top = _mapping(document, "the document")
    case_sensitive = top.get("case_sensitive", True)
    if not isinstance(case_sensitive, bool):
        raise FactsError("case_sensitive is neither true nor false")
    depots = _mapping(top.get("depots", {}), "depots")
    known = {name: _depot(name, depot) for name, depot in depots.items()}
    marks = _marks(top.get("baseline", []))
    try:
        view = None if top.get("view") is None else spanned.from_document(top["view"])
    except ValueError as error:
        raise FactsError(f"view: {error}") from error
    server_id = top.get("server_id")
    if not isinstance(server_id, str | None):
        raise FactsError("server_id is no text")
    return Facts(case_sensitive, known, baseline=marks, spanned=view, server_id=server_id)


def to_document(facts: Facts) -> dict[str, Any]:
    """Write facts in the shape that `from_document` reads."""
    depots = {name: _depot_document(depot) for name, depot in sorted(facts.depots.items())}
    document: dict[str, Any] = {"case_sensitive": facts.case_sensitive, "depots": depots}
    if facts.server_id is not None:
        document["server_id"] = facts.server_id
    if facts.baseline:
        document["baseline"] = [[*mark, value] for mark, value in facts.baseline.items()]
    return document


def folded(name: str, facts: Facts) -> str:
    """Return a name as the server compares it."""
    return fold(name, case_sensitive=facts.case_sensitive)


def by_depot(values: Mapping[str, int], facts: Facts) -> dict[str, int]:
    """Return a policy's values by depot name, the names as `folded` gives them."""
    return {folded(name, facts): value for name, value in values.items()}


def depot_named(facts: Facts, name: str) -> Depot | None:
    """Return the depot of that name, in any case where the server does not tell cases apart."""
    wanted = folded(name, facts)
    for known, depot in facts.depots.items():
        if folded(known, facts) == wanted:
            return depot
    return None


class FoldedNames:
    """The names of depots and directories as the server compares them, each folded once."""

    def __init__(self, facts: Facts) -> None:
        """Take the names of `facts`; a depot's directories are folded when they are asked for."""
        self._facts = facts
        self._depots: dict[str, Depot] = {}
        for name, depot in facts.depots.items():
            self._depots.setdefault(folded(name, facts), depot)
        self._directories: dict[str, frozenset[str] | None] = {}

    def folded(self, name: str) -> str:
        """Return a name as the server compares it."""
        return folded(name, self._facts)

    def depot(self, name: str) -> Depot | None:
        """Return the depot of that name, in any case where the server folds case."""
        return self._depots.get(self.folded(name))

    def has_directory(self, depot: Depot, name: str, effort: Effort) -> bool:
        """Tell whether a depot whose directories are known has one of that name.

        Raises:
            EffortSpentError: too little effort is left to compare the names folded.
        """
        names = depot.directories or ()
        if self._facts.case_sensitive or name in names:
            return name in names
        effort.spend(len(names) // _FOLDED_IN_A_STEP)
        return self.folded(name) in map(self.folded, names)

    def directories(self, depot_name: str) -> frozenset[str] | None:
        """Return a depot's top directories, folded; None where they are not known."""
        key = self.folded(depot_name)
        if key not in self._directories:
            depot = self._depots.get(key)
            known = depot.directories if depot else None
            self._directories[key] = None if known is None else frozenset(map(self.folded, known))
        return self._directories[key]


def with_depots(facts: Facts, types: Mapping[str, str], counted_by: str) -> Facts:
    """Return facts with the depots that there are now; of new ones only the type is known.

    Args:
        facts: the facts known already.
        types: each depot's type, by its name.
        counted_by: who says so, as in `Facts`.
    """
    known = facts.depots
    depots = {
        name: known[name]._replace(type=depot_type)
        if name in known
        else Depot(depot_type, None, 0)
        for name, depot_type in types.items()
    }
    return facts._replace(depots=depots, counted_by=counted_by)


def _marks(entries: object) -> dict[tuple[str, str, str], int | None]:
    """Return what a census noted of the one spec that an event is about."""
    marks: dict[tuple[str, str, str], int | None] = {}
    for entry in entries if isinstance(entries, list) else [None]:
        match entry:
            case [str() as rule, str() as place, str() as item, (int() | None) as value]:
                marks[rule, place, item] = value
            case _:
                raise FactsError("baseline is no list of [rule, place, item, value]")
    return marks


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
            raise FactsError(f"depots.{name}.count is no count")
        return Depot(str(fields.get("type", "")), None, count)
    # By their types at once: a site can have half a million names, and each form trigger looks.
    if not isinstance(directories, list) or not {*map(type, directories)} <= {str}:
        raise FactsError(f"depots.{name}.directories is no list of names")
    return Depot(str(fields.get("type", "")), tuple(directories), len(directories))


def _depot_document(depot: Depot) -> dict[str, Any]:
    if depot.directories is None:
        return {"type": depot.type, "directories": None, "count": depot.directory_count}
    return {"type": depot.type, "directories": list(depot.directories)}
