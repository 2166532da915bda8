"""Counts of a home's last census: the number of specs that each rule objects to, by owner.

Shape: `{"format": 2, "taken_s": N, "rules": {NAME: {"settings": DIGEST, "found": {"client":
{OWNER: N}}, "outside": {"client": {OWNER: N}}}}}`. The digest identifies the rule's settings; the
counts are valid for those settings only. `outside` counts the specs with findings outside the
baseline.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.home import json_file, trusted_files

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from p4warden.policy.compiled import Policy, PolicyRule

    _Counts = defaultdict[str, Counter[str]]

FILE_NAME = "census.json"
FORMAT = 2
_MAX_OWNERS = 5


class Objections(NamedTuple):
    """Numbers are of specs, by spec type and owner; `settings` is a digest."""

    settings: str
    found: Mapping[str, Mapping[str, int]]
    outside: Mapping[str, Mapping[str, int]]

    @property
    def specs(self) -> dict[str, int]:
        return {kind: sum(owners.values()) for kind, owners in self.found.items() if owners}

    @property
    def owners(self) -> dict[str, int]:
        numbers = Counter[str]()
        for owners in self.found.values():
            numbers.update(owners)
        return numbers

    @property
    def outside_baseline(self) -> Objections:
        return self._replace(found=self.outside)

    def of_owners(self, is_concerned: Callable[[str], bool]) -> Objections:
        inside, outside = (
            {
                kind: {owner: n for owner, n in owners.items() if is_concerned(owner)}
                for kind, owners in counts.items()
            }
            for counts in (self.found, self.outside)
        )
        return self._replace(found=inside, outside=outside)

    @property
    def words(self) -> str:
        numbers = (amount(n, kind, plural(kind)) for kind, n in sorted(self.specs.items()))
        return f"{', '.join(numbers) or 'nothing'} of {amount(len(self.owners), 'owner')}"

    @property
    def main_owners(self) -> str:
        """The 5 owners with most specs that a rule objects to: `ann (12), bob (3), 128 more`."""
        ranking = sorted(self.owners.items(), key=lambda one: (-one[1], one[0]))
        first = [f"{cut(owner) or 'nobody'} ({number})" for owner, number in ranking[:_MAX_OWNERS]]
        more = [f"{len(ranking) - _MAX_OWNERS} more"] if len(ranking) > _MAX_OWNERS else []
        return ", ".join(first + more)


class Census(NamedTuple):
    """Counts of a census by rule name, and the census's time in seconds since the epoch."""

    taken_s: float
    rules: Mapping[str, Objections]

    def of(self, rule: PolicyRule) -> Objections | None:
        """None if the rule did not exist then, or had other settings."""
        objections = self.rules.get(rule.name)
        return objections if objections and objections.settings == settings_digest(rule) else None


class ObjectionCounter:
    def __init__(self, policy: Policy) -> None:
        self._digests = {rule.name: settings_digest(rule) for rule in policy.rules}
        self._found: dict[str, _Counts] = {name: defaultdict(Counter) for name in self._digests}
        self._outside: dict[str, _Counts] = {name: defaultdict(Counter) for name in self._digests}

    def count(
        self,
        spec_type: str,
        owner: str | None,
        objecting_rules: Collection[str],
        tolerated_rules: Collection[str],
    ) -> None:
        """`tolerated_rules` names the rules whose findings in the spec the baseline tolerates."""
        for rule in objecting_rules:
            self._found[rule][spec_type][owner or ""] += 1
            if rule not in tolerated_rules:
                self._outside[rule][spec_type][owner or ""] += 1

    def counts(self) -> dict[str, Objections]:
        return {
            name: Objections(digest, self._found[name], self._outside[name])
            for name, digest in self._digests.items()
        }

    def keep(self, home: str, now_s: float) -> None:
        rules = {name: counts._asdict() for name, counts in self.counts().items()}
        document = {"format": FORMAT, "taken_s": now_s, "rules": rules}
        trusted_files.replace(home, FILE_NAME, (json.dumps(document) + "\n").encode())


def last(home: str) -> Census | None:
    """Return the counts of the last census in a home folder: by rule, spec type and owner.

    None without a readable file of the present format.
    """
    try:
        return json_file.load(home, FILE_NAME, _census, "")
    except trusted_files.HomeError:
        return None


def _census(document: Any) -> Census | None:
    if document["format"] != FORMAT:
        return None
    rules = {name: Objections(**rule) for name, rule in document["rules"].items()}
    return Census(float(document["taken_s"]), rules)


def settings_digest(rule: PolicyRule) -> str:
    """Return a digest of a policy rule's kind and settings: 16 hexadecimal digits."""
    content: Any = [rule.rule, rule.settings]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def plural(kind: str) -> str:
    """Return the plural of a spec type's name, such as `branches`."""
    return f"{kind}es" if kind.endswith("ch") else f"{kind}s"
