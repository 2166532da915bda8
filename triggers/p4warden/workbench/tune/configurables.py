from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core import releases
from p4warden.workbench.tune import site_meaning
from p4warden.workbench.tune.finding import Finding, Unjudged, finding, shown
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.server_state import ANY_SERVER, Value
from p4warden.workbench.tune.values import is_same, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.workbench.tune.finding import Commands
    from p4warden.workbench.tune.known_settings import Configurable
    from p4warden.workbench.tune.server_state import Override, ServerState
    from p4warden.workbench.tune.site import Site

_NOT_SET = "not set"


def judge(state: ServerState, site: Site) -> Iterator[Finding | Unjudged]:
    """Judge each configurable of the data file, first where it is set, then where it is not."""
    for one in known().configurables:
        if state.values is None:
            yield Unjudged(one.name, "a record of db.config cannot be read")
        elif _matters(one, state, site):
            yield from filter(None, _Judge(one, state, site).all())


def _matters(one: Configurable, state: ServerState, site: Site) -> bool:
    is_set = one.name in {value.name for value in state.values or ()}
    if state.is_before(one.judged_from) and not is_set:
        return False
    return site_meaning.matters(one.name, state, site)


class _Judge(NamedTuple):
    configurable: Configurable
    state: ServerState
    site: Site

    def all(self) -> Iterator[Finding | Unjudged | None]:
        name = self.configurable.name
        override = next((one for one in self.state.overrides if one.name == name), None)
        values = [one for one in self.state.values or () if one.name == name]
        for value in values:
            where = "" if value.server == ANY_SERVER else f" for {shown(value.server)}"
            yield self._of_number(value.value, f"{shown(value.value)}{where}", value)
        of_all = next((one for one in values if one.server == ANY_SERVER), None)
        if override is not None:
            yield self._of_override(override, of_all)
        elif of_all is None:
            yield self._of_default()

    def _of_override(self, override: Override, old: Value | None) -> Finding | Unjudged | None:
        present = f"{shown(override.value)} by {shown(override.origin)}"
        one = self._of_number(override.value, present, old)
        if not isinstance(one, Finding):
            return one
        risk = f"{one.risk}; change it where it is set, if p4 configure set has no effect"
        return one._replace(risk=risk)

    def _of_default(self) -> Finding | Unjudged | None:
        one, known_releases = self.configurable, self.state.releases
        if own := self.state.defaults.get(one.name):
            return self._of_number(own, f"not set; the default is {shown(own)}", None)
        if known_releases is None:
            return Unjudged(one.name, "not set; the server's release is unknown")
        first = max(known_releases.first, one.judged_from or known_releases.first)
        default = releases.value_in(one.defaults, releases.Releases(first, known_releases.last))
        if default is None:
            text = f"not set; its default in {known_releases.text()} is not known"
            return Unjudged(one.name, text)
        condition = "" if first == known_releases.first else f", from {releases.text(first)} on"
        present = f"not set; the default is {default}{condition}" if default else _NOT_SET
        return None if self._accepts(default) else self._finding(present, None)

    def _of_number(self, text: str, present: str, old: Value | None) -> Finding | Unjudged | None:
        if not self.configurable.understands(text):
            return Unjudged(self.configurable.name, f"{present} is no number")
        return None if self._accepts(text) else self._finding(present, old)

    def _accepts(self, value: str) -> bool:
        if site_meaning.is_for_analysis(self.configurable.name, self.site):
            return is_same(value, "1")
        vendor = self._vendor_value()
        return self.configurable.accepts(value) if vendor is None else is_same(value, vendor)

    def _value(self) -> str | None:
        if site_meaning.is_for_analysis(self.configurable.name, self.site):
            return "1"
        return self._vendor_value() or site_meaning.value(self.configurable, self.site)

    def _vendor_value(self) -> str | None:
        """Return the recommendation of `p4 configure help`, if it is a number."""
        vendor = self.state.recommended.get(self.configurable.name, "")
        return vendor if number(vendor) is not None else None

    def _finding(self, present: str, old: Value | None) -> Finding:
        one = self.configurable
        server = ANY_SERVER if old is None else old.server
        old_value = None if old is None else old.value
        here = (one.advice.why, site_meaning.sentence(one.name, self.state, self.site))
        vendor = self.state.recommended.get(one.name, "")
        commands = self._commands(server, self._value(), old_value)
        return finding(one.name, present, one.advice, here, commands, vendor)

    def _commands(self, server: str, value: str | None, old: str | None) -> Commands:
        """Return none if a word has unprintable characters."""
        if not f"{server}{old or ''}".isprintable():
            return (), ()
        undo = [self._line(server, old)]
        if self.configurable.has_offline_undo:
            undo.append(self._offline(server, old))
        return (self._line(server, value),), tuple(undo)

    def _line(self, server: str, value: str | None) -> str:
        options = ["--comment=p4warden tune"] if self.state.needs_comment else []
        action, name = self._change(server, value)
        return shlex.join(["p4", "configure", action, *options, name])

    def _offline(self, server: str, value: str | None) -> str:
        """Return the line for a shell of the server, where p4d refuses `p4 configure`."""
        action, name = self._change(server, value)
        return f'p4d -r "$P4ROOT" {shlex.quote(f"-c{action} {name}")}'

    def _change(self, server: str, value: str | None) -> tuple[str, str]:
        where = "" if server == ANY_SERVER else f"{server}#"
        action, text = ("unset", "") if value is None else ("set", f"={value}")
        return action, f"{where}{self.configurable.name}{text}"
