# Names, defaults and limits: Perforce API source support/debug.cc and msgs/msgconfig.cc. Defaults
# of 2026.1: P4 Server Administration Guide, "Secure by default", and the tunables of the P4API
# 2026.1; that its p4d has those of its client library is inferred. Those of which no other module
# knows the name are only stored and shown.

from __future__ import annotations

from typing import NamedTuple

from p4warden_sandbox.words import is_whole_number


class Configurable(NamedTuple):
    """`secure` is the default of 2026.1; `default` is None for one that is new in 2026.1."""

    default: int | None
    maximum: int
    secure: int


ANY_SERVER = "any"
_MANY = 2**31 - 1
CONFIGURABLES = {
    "db.monitor.interval": Configurable(30, _MANY, 30),
    "db.monitor.minruntime": Configurable(10, _MANY, 10),
    "db.monitor.shared": Configurable(256, 32_768, 1024),
    "db.monitor.term.allow": Configurable(0, 2, 0),
    "db.partition.dropondelete": Configurable(0, 1, 1),
    "db.peeking": Configurable(2, 3, 2),
    "dm.configure.comment.mandatory": Configurable(0, 1, 0),
    "dm.flushforce": Configurable(10_000, _MANY, 100_000),
    "dm.flushtry": Configurable(100, _MANY, 10_000),
    "dm.have.preload": Configurable(None, _MANY, 0),
    "dm.info.hide": Configurable(0, 1, 1),
    "dm.obliterate.skiphave": Configurable(None, 1, 1),
    "dm.obliterate.skiplabel": Configurable(None, 1, 1),
    "dm.password.minlength": Configurable(8, 1024, 8),
    "dm.reopen.batch": Configurable(None, _MANY, 1000),
    "dm.user.autoprotections": Configurable(0, 1, 1),
    "dm.user.hideinvalid": Configurable(0, 1, 1),
    "dm.user.noautocreate": Configurable(0, 2, 2),
    "dm.user.resetpassword": Configurable(0, 1, 1),
    "dm.user.setinitialpasswd": Configurable(1, 1, 0),
    "monitor": Configurable(0, 25, 0),
    "net.autotune": Configurable(1, 2, 1),
    "net.keepalive.count": Configurable(0, _MANY, 6),
    "net.keepalive.idle": Configurable(0, _MANY, 180),
    "net.keepalive.interval": Configurable(0, _MANY, 20),
    "net.maxwait": Configurable(0, _MANY, 0),
    "net.nagle": Configurable(None, 2, 2),
    "net.parallel.max": Configurable(0, 100, 0),
    "net.quickack": Configurable(None, 1, 0),
    "rpl.filter.expand": Configurable(None, 1, 1),
    "rpl.filter.restrict": Configurable(None, 1, 1),
    "run.users.authorize": Configurable(0, 1, 1),
    "security": Configurable(0, 6, 4),
    "server": Configurable(0, 5, 0),
    "server.allowfetch": Configurable(0, 3, 0),
    "server.allowpush": Configurable(0, 3, 0),
    "server.commandlimits": Configurable(0, 2, 0),
    "server.locks.sync": Configurable(0, 1, 0),
    "server.maxcommands": Configurable(0, _MANY, 0),
    "sys.pressure.max.pause.time": Configurable(300, _MANY, 300),
    "track": Configurable(-1, 5, -1),
    "triggers.io": Configurable(0, 1, 0),
}
TEXTS = frozenset(
    {"filesys.P4JOURNAL.min", "filesys.P4ROOT.min", "minClient", "net.tcpsize", "rejectList"}
)
"""Configurables that take any text in the sandbox."""


class Setting(NamedTuple):
    """`server` is a server id or ANY_SERVER; `origin` is `configure`, or `default` if not set."""

    server: str
    origin: str
    value: int | str


class Configurables:
    """`server_id` is empty without one; `is_secure` is as new servers are from 2026.1 on."""

    def __init__(self, server_id: str = "", *, is_secure: bool = False) -> None:
        self.server_id = server_id
        self.is_secure = is_secure
        self._values: dict[tuple[str, str], int | str] = {}

    def __contains__(self, name: str) -> bool:
        """Tell whether this server has a configurable, as far as the sandbox knows."""
        return name in TEXTS or (name in CONFIGURABLES and self._default(name) is not None)

    def _default(self, name: str) -> int | None:
        configurable = CONFIGURABLES[name]
        return configurable.secure if self.is_secure else configurable.default

    def __getitem__(self, name: str) -> int:
        return int(self.settings_of(name)[0].value)

    def settings_of(self, name: str) -> list[Setting]:
        """The first is in effect: that for the server's id precedes (`p4 help configure`)."""
        default = "" if name in TEXTS else self._default(name)
        if default is None:
            raise KeyError(name)
        servers = [*filter(None, [self.server_id]), ANY_SERVER]
        values = [(server, self._values.get((server, name))) for server in servers]
        settings = [Setting(server, "configure", n) for server, n in values if n is not None]
        return [*settings, Setting(ANY_SERVER, "default", default)]

    @property
    def set_values(self) -> dict[tuple[str, str], int | str]:
        """Values by server and name."""
        return dict(self._values)

    def set(self, name: str, text: str, server: str = ANY_SERVER) -> bool:
        """Return whether the value is valid; an unknown name is a KeyError."""
        if name in TEXTS:
            self._values[server, name] = text
            return bool(text)
        highest = CONFIGURABLES[name].maximum
        is_good = is_whole_number(text) and int(text) <= highest
        if is_good:
            self._values[server, name] = int(text)
        return is_good

    def unset(self, name: str, server: str) -> None:
        self._values.pop((server, name), None)
