"""What a configurable means for this site: when it matters, which value fits, and in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core import releases
from p4warden.core.plural import amount
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.server_state import ANY_SERVER
from p4warden.workbench.tune.values import number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.workbench.tune.known_settings import Configurable
    from p4warden.workbench.tune.server_state import ServerState
    from p4warden.workbench.tune.site import LogUse, Site

_PEAKS = 3
"""200 % above the observed peak (P4 Server Administrator Guide, server.maxcommands)."""
_AUTOTUNE = "net.autotune"
_FIRST_AUTOTUNE: releases.Release = (2017, 1)


def matters(name: str, state: ServerState, site: Site) -> bool:
    """Tell whether a configurable is judged at all."""
    if name == "net.tcpsize":
        return not _autotunes(state)
    if name == "sys.pressure.max.pause.time":
        return site.log is not None and site.log.pauses[0] > 0
    return True


def is_for_analysis(name: str, site: Site) -> bool:
    """Tell whether track is to be raised, because the log has no track lines."""
    return name == "track" and site.log is not None and site.log.locks is None


def value(one: Configurable, site: Site) -> str | None:
    """Return the value to set; None to unset it."""
    log = site.log
    if log is None or one.value is None:
        return one.value
    if one.name == "server.maxcommands":
        return str(max(int(one.value), _PEAKS * log.most_at_once))
    if one.name == "minClient" and log.oldest_client is not None:
        return releases.text(min(releases.parsed(one.value), log.oldest_client))
    return one.value


def sentence(name: str, state: ServerState, site: Site) -> str:
    """Return numbers of the site; empty without any."""
    if name == "server.commandlimits" and state.groups is not None:
        count = sum(any((n or 0) > 0 for n in g.limits.values()) for g in state.groups)
        if not count:
            return "No group sets a limit yet"
        return f"{amount(count, 'group sets a limit', 'groups set limits')} that users can lift"
    return _SENTENCES[name](site.log) if site.log and name in _SENTENCES else ""


def _at_once(log: LogUse) -> str:
    return f"In the log at most {amount(log.most_at_once, 'command')} ran at once"


def _syncs(log: LogUse) -> str:
    return f"The log has {amount(log.syncs, 'sync')} of {amount(log.sync_users, 'user')}"


def _track_lines(log: LogUse) -> str:
    return "The log has no such lines" if log.locks is None else ""


def _pauses(log: LogUse) -> str:
    commands, seconds = log.pauses
    return f"In the log p4d paused {amount(commands, 'command')}, for {seconds:,.0f} s together"


def _oldest(log: LogUse) -> str:
    if log.oldest_client is None:
        return "The log names no release of a client"
    return f"The oldest release of a client in the log is {releases.text(log.oldest_client)}"


_SENTENCES: Mapping[str, Callable[[LogUse], str]] = {
    "server.maxcommands": _at_once,
    "net.parallel.max": _syncs,
    "net.tcpsize": _syncs,
    _AUTOTUNE: _syncs,
    "track": _track_lines,
    "sys.pressure.max.pause.time": _pauses,
    "minClient": _oldest,
}


def _autotunes(state: ServerState) -> bool:
    """Tell whether p4d ignores net.tcpsize; True if it is unknown."""
    if state.is_before(_FIRST_AUTOTUNE):
        return False
    values = [one.value for one in state.overrides if one.name == _AUTOTUNE]
    values += [
        one.value
        for one in state.values or ()
        if (one.name, one.server) == (_AUTOTUNE, ANY_SERVER)
    ]
    return number(next(iter(values), _default(state) or "1")) != 0


def _default(state: ServerState) -> str | None:
    if _AUTOTUNE in state.defaults or state.releases is None:
        return state.defaults.get(_AUTOTUNE)
    [one] = [one for one in known().configurables if one.name == _AUTOTUNE]
    return releases.value_in(one.defaults, state.releases)
