# Stored specs are replaced and never changed in place. While a trigger runs, no lock is held
# except that of `Store.turn`.

from __future__ import annotations

import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING

from p4warden_sandbox.configurables import Configurables
from p4warden_sandbox.properties import Properties
from p4warden_sandbox.protections import SUPER, Protections
from p4warden_sandbox.specdefs import PROTECT, TRIGGERS
from p4warden_sandbox.specs import Spec

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from p4warden_sandbox.settings import Settings

_LEVELS = ("1", "2", "3", "4")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class Store:
    def __init__(self, settings: Settings) -> None:
        self.case_sensitive = settings.case_sensitive
        self.configurables = _configurables(settings)
        self.pressure = settings.pressure
        self.counters: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.properties = Properties()
        self.unloaded_clients: dict[str, Spec] = {}
        self._specs: dict[str, dict[str, Spec]] = {}
        self._lock = threading.Lock()
        self._turns: dict[str, threading.RLock] = {}
        self._super_user = self.fold(settings.super_user)
        self._one_save_at_a_time = settings.behaves("saves", "serial")

    @property
    def triggers_io(self) -> bool:
        return self.configurables["triggers.io"] == 1

    def fold(self, name: str) -> str:
        """Return a name as compared: ASCII letters in lower case on a case-insensitive server."""
        return name if self.case_sensitive else name.translate(_LOWER)

    def find(self, form: str, name: str) -> Spec | None:
        return self._specs.get(form, {}).get(self.fold(name))

    def save(self, spec: Spec) -> None:
        with self._lock:
            self._specs.setdefault(spec.form.name, {})[self.fold(spec.name)] = spec

    def delete(self, form: str, name: str) -> None:
        with self._lock:
            self._specs.get(form, {}).pop(self.fold(name), None)

    def turn(self, form: str) -> AbstractContextManager[object]:
        """Return a lock for a save and its triggers; it locks only with variant `saves=serial`."""
        if not self._one_save_at_a_time:
            return nullcontext()
        with self._lock:
            return self._turns.setdefault(form, threading.RLock())

    def next_number(self, counter: str) -> str:
        with self._lock:
            self.counters[counter] = str(int(self.counters.get(counter, "0")) + 1)
            return self.counters[counter]

    def all(self, form: str) -> list[Spec]:
        with self._lock:
            entries = list(self._specs.get(form, {}).items())
        return [spec for _, spec in sorted(entries, key=lambda item: item[0])]

    @property
    def triggers(self) -> Spec:
        return self.find(TRIGGERS.name, TRIGGERS.name) or Spec(TRIGGERS, {"Triggers": ()})

    @property
    def protections(self) -> Protections:
        protections = self.find(PROTECT.name, PROTECT.name)
        return Protections(protections.lines("Protections") if protections else [], self.fold)

    def is_super(self, user: str) -> bool:
        # While the table is empty, any user of the host could write trigger lines, which run as
        # the account of the sandbox. So a sandbox with a super user gives super access to no
        # other.
        if self._super_user and not self.protections.lines:
            return self.fold(user) == self._super_user
        return self.protections.level(user, self.groups_of(user)) == SUPER

    def groups_of(self, user: str) -> list[str]:
        return sorted(self.with_outer_groups(self.groups_listing({user}, "Users")))

    def groups_listing(self, names: set[str], *fields: str) -> set[str]:
        folded = set(map(self.fold, names))
        return {
            group.name
            for group in self.all("group")
            if any(folded & set(map(self.fold, group.lines(field))) for field in fields)
        }

    def with_outer_groups(self, names: set[str]) -> set[str]:
        groups = set(names)
        while outer := self.groups_listing(groups, "Subgroups") - groups:
            groups |= outer
        return groups


def _configurables(settings: Settings) -> Configurables:
    values = Configurables(
        settings.server_id, is_secure=settings.behaves("security", "by-default")
    )
    for level in _LEVELS:
        if settings.behaves("security", level):
            values.set("security", level)
    if settings.triggers_io:
        values.set("triggers.io", "1")
    for name, value in settings.configurables.items():
        values.set(name, value)
    return values
