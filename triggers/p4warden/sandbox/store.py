"""What the server keeps, all of it in memory: forms, counters, triggers.io and pressure.

Specs are never changed in place, so a reader needs no lock; writers take one for the moment of the
change and never while a trigger runs.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from p4warden.sandbox.specdefs import TRIGGERS
from p4warden.sandbox.specs import Spec

if TYPE_CHECKING:
    from p4warden.sandbox.settings import Settings

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class Store:
    """The tables of one server."""

    def __init__(self, settings: Settings) -> None:
        self.case_sensitive = settings.case_sensitive
        self.triggers_io = settings.triggers_io
        self.pressure = settings.pressure
        self.counters: dict[str, str] = {}
        self._specs: dict[tuple[str, str], Spec] = {}
        self._lock = threading.Lock()

    def fold(self, name: str) -> str:
        """Return the name as it is compared: a case-insensitive server folds ASCII letters."""
        return name if self.case_sensitive else name.translate(_LOWER)

    def find(self, form: str, name: str) -> Spec | None:
        """Return the stored spec of that type and name; None when there is none."""
        return self._specs.get((form, self.fold(name)))

    def save(self, spec: Spec) -> None:
        """Store the spec in place of the one of its name."""
        with self._lock:
            self._specs[spec.form.name, self.fold(spec.name)] = spec

    def delete(self, form: str, name: str) -> None:
        """Forget the spec of that name."""
        with self._lock:
            del self._specs[form, self.fold(name)]

    def next_number(self, counter: str) -> str:
        """Increase a counter that only the server changes, and return its value."""
        with self._lock:
            self.counters[counter] = str(int(self.counters.get(counter, "0")) + 1)
            return self.counters[counter]

    def all(self, form: str) -> list[Spec]:
        """Return the stored specs of that type, by name."""
        with self._lock:
            found = [(key, spec) for key, spec in self._specs.items() if key[0] == form]
        return [spec for _, spec in sorted(found, key=lambda item: item[0])]

    @property
    def triggers(self) -> Spec:
        """The triggers table; empty as long as none was saved."""
        return self.find(TRIGGERS.name, TRIGGERS.name) or Spec(TRIGGERS, {"Triggers": ()})

    def groups_of(self, user: str) -> list[str]:
        """Return the names of the groups a user is in, also by way of a subgroup."""
        found = {g.name for g in self.all("group") if self._lists(g, "Users", user)}
        while outer := {
            g.name
            for g in self.all("group")
            if g.name not in found and any(self._lists(g, "Subgroups", name) for name in found)
        }:
            found |= outer
        return sorted(found)

    def _lists(self, group: Spec, field: str, name: str) -> bool:
        return self.fold(name) in map(self.fold, group.lines(field))
