from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.variant_definitions import DEFECTS
from p4warden_sandbox.variants import checked, has_value, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION = re.compile(r"(2019|20[2-9][0-9])\.([12])")
# Protocol level that p4d 2020.1 sends; each later release, two a year, sends one more (Perforce
# API source msgs/p4tagl.cc up to 2024.2 = 59, later ones inferred).
_LEVEL_2020_1 = 50


class ServerVersion(NamedTuple):
    year: int
    release: int

    @classmethod
    def of(cls, text: str) -> ServerVersion:
        """Raise P4WardenError if the text is not a release that the sandbox supports."""
        match = _VERSION.fullmatch(text)
        if match is None:
            raise P4WardenError(
                f"server version {text!r}: write a release from 2019.1 on, such as 2024.2"
            )
        return cls(int(match[1]), int(match[2]))

    @property
    def level(self) -> int:
        return _LEVEL_2020_1 + 2 * (self.year - 2020) + self.release - 1

    def __str__(self) -> str:
        return f"{self.year}.{self.release}"


class Pressure(NamedTuple):
    """None as on a server that does not measure the pressure: the variable is missing."""

    cpu: str | None = None
    mem: str | None = None


class UserSeed(NamedTuple):
    name: str
    has_password: bool = False


class GroupSeed(NamedTuple):
    name: str
    users: tuple[str, ...]


class DepotSeed(NamedTuple):
    """`stream_depth` applies to stream depots only."""

    name: str
    type: str = "local"
    stream_depth: int = 1


class StreamSeed(NamedTuple):
    path: str
    type: str = "mainline"
    parent: str = "none"


_USERS = (
    UserSeed("ann"),
    UserSeed("bob"),
    UserSeed("build"),
    UserSeed("carol", has_password=True),
)
_DEPOTS = (DepotSeed("depot"), DepotSeed("thirdparty"), DepotSeed("streams", "stream"))
_STREAMS = (
    StreamSeed("//streams/main"),
    StreamSeed("//streams/dev", "development", "//streams/main"),
)
_FILES = (
    "//depot/main/src/engine.c",
    "//depot/main/src/engine.h",
    "//depot/main/src/net/socket.c",
    "//depot/main/README",
    "//depot/rel/1.0/src/engine.c",
    "//depot/tools/build/make.py",
    "//depot/docs/guide/index.md",
    "//depot/libs/zip/zip.c",
    "//depot/tests/unit/test_engine.c",
    "//thirdparty/acme/json/1.2/json.c",
    "//thirdparty/acme/yaml/0.9/yaml.c",
    "//thirdparty/globex/png/1.6/png.c",
    "//streams/main/src/app.c",
    "//streams/dev/src/app.c",
)


_NOTHING: Mapping[str, str] = MappingProxyType({})
_SERVER_IDS = {"none": "", "set": "sandbox"}


class Settings(NamedTuple):
    """Without a `root` the sandbox creates a temporary folder.

    Without a `super_user` every user is a super user until protections are saved. `defects` are
    faults that the sandbox shows so that tests can check that they are found. `log` is for the
    tracking output of commands, written if the configurable `track` is set. For `p4 monitor`,
    commands began `aged_s` seconds earlier than they did.
    """

    root: Path | None = None
    unicode: bool = False
    case_sensitive: bool = True
    server_version: ServerVersion = ServerVersion(2024, 2)
    server_id: str = ""
    triggers_io: bool = False
    pressure: Pressure = Pressure()
    super_user: str = "p4admin"
    users: tuple[UserSeed, ...] = _USERS
    groups: tuple[GroupSeed, ...] = (GroupSeed("build-farm", ("build",)),)
    depots: tuple[DepotSeed, ...] = _DEPOTS
    streams: tuple[StreamSeed, ...] = _STREAMS
    files: tuple[str, ...] = _FILES
    variants: Mapping[str, str] = _NOTHING
    configurables: Mapping[str, str] = _NOTHING
    defects: tuple[str, ...] = ()
    log: Path | None = None
    aged_s: int = 0

    def variant(self, name: str) -> str:
        return value_of(self.variants, name)

    def behaves(self, name: str, value: str) -> bool:
        return has_value(self.variants, name, value)

    def settled(self) -> Settings:
        """Return settings that agree with the variants; raise P4WardenError for an unknown one."""
        if unknown := {*self.defects} - {*DEFECTS}:
            raise P4WardenError(f"no defect {min(unknown)!r}: choose one of {', '.join(DEFECTS)}")
        variants = checked(self.variants)
        return self._replace(
            unicode=_decided(variants, "unicode", "on", otherwise=self.unicode),
            case_sensitive=_decided(variants, "case", "sensitive", otherwise=self.case_sensitive),
            triggers_io=_decided(variants, "triggers-io", "1", otherwise=self.triggers_io),
            server_id=self.server_id or _SERVER_IDS[value_of(variants, "server-id")],
        )


def _decided(variants: Mapping[str, str], name: str, value: str, *, otherwise: bool) -> bool:
    return variants[name] == value if name in variants else otherwise
