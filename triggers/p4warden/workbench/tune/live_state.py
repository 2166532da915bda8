"""Ask a server for the state that `p4warden tune` judges; nothing is changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import P4

from p4warden.core.releases import of_version
from p4warden.server.questions import ask, form, setting
from p4warden.workbench.audit.groups import Group
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.protections_form import protections
from p4warden.workbench.tune.server_state import (
    ANY_SERVER,
    COMMENTS,
    Note,
    Override,
    ServerState,
    StoredProperty,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from p4warden.core.releases import Release

_HAS_CONFIGURE_HELP: Release = (2023, 2)
"""Release notes of 2023.2, #2486366."""
_LIMITS = {
    "MaxResults": "maxResults",
    "MaxScanRows": "maxScanRows",
    "MaxLockTime": "maxLockTime",
    "MaxOpenFiles": "maxOpenFiles",
    "MaxMemory": "maxMemory",
}


_PERSON = "standard"


class LiveServer(NamedTuple):
    port: str
    state: ServerState
    case_sensitive: bool


class _Settings(NamedTuple):
    values: list[Value]
    overrides: list[Override]
    defaults: dict[str, str]


def read(p4: P4.P4) -> LiveServer:
    """Ask a server; super access is needed.

    Raises:
        P4.P4Exception: the server refuses a question.
    """
    info = _asked(p4, "info")[0]
    version = of_version(info.get("serverVersion", ""))
    settings, users = _settings(p4), _asked(p4, "users", "-a")
    notes: list[Note] = []
    recommended = {}
    if version is not None and version.first >= _HAS_CONFIGURE_HELP:
        recommended = _recommended(p4, notes)
    state = ServerState(
        version,
        settings.values,
        groups(_asked(p4, "groups")),
        _properties(_asked(p4, "property", "-l", "-A")),
        protections(form(p4, "protect")),
        settings.overrides,
        recommended,
        [row["User"] for row in users],
        [row["User"] for row in users if row.get("Type", _PERSON) != _PERSON],
        notes,
        is_live=True,
        defaults=settings.defaults,
        needs_comment=setting(p4, COMMENTS) == "1",
    )
    return LiveServer(p4.port, state, info.get("caseHandling") != "insensitive")


def _settings(p4: P4.P4) -> _Settings:
    """Ask for the listed names only: values of others may be secrets."""
    found = _Settings([], [], {})
    for one in known().configurables:
        _take(one.name, _asked(p4, "configure", "show", one.name), found)
    own = {(value.server, value.name) for value in found.values}
    names = {one.name for one in known().configurables}
    others = [
        Value(row.get("ServerName", ANY_SERVER), row["Name"], row["Value"])
        for row in _asked(p4, "configure", "show", "allservers")
        if row.get("Name") in names
    ]
    values = [*found.values, *(one for one in others if (one.server, one.name) not in own)]
    return found._replace(values=values)


def _take(name: str, rows: Iterable[dict[str, str]], found: _Settings) -> None:
    """The first row is in effect (p4 help configure)."""
    for place, row in enumerate(rows):
        origin, value = row.get("Type", ""), row.get("Value", "")
        if origin == "configure":
            server = row.get("ServerName", ANY_SERVER)
            found.values.append(Value(server, name, value))
        elif origin == "default":
            found.defaults[name] = value
        elif place == 0:
            found.overrides.append(Override(name, value, origin or "an unknown origin"))


def _asked(p4: P4.P4, *words: str) -> list[dict[str, Any]]:
    """Ask with names read as bytes, because P4Python fails on one that is not UTF-8."""
    rows = ask(p4, *words, encoding="raw")
    return [{name: _text(value) for name, value in row.items()} for row in rows]


def _text(value: Any) -> Any:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _recommended(p4: P4.P4, notes: list[Note]) -> dict[str, str]:
    try:
        rows = _asked(p4, "configure", "help")
    except P4.P4Exception:
        notes.append(Note("", "the server does not answer p4 configure help"))
        return {}
    recommended = recommended_values(rows)
    if not recommended:
        text = "the answer to p4 configure help has no recommendations that are understood"
        notes.append(Note("", text))
    return recommended


def recommended_values(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the recommended values in the answer to `p4 configure help`, by configurable.

    Its tags are not documented: a recommendation is a field whose tag contains `recommend`, the
    name one whose value is a judged configurable.
    """
    names = {one.name for one in known().configurables}
    found = {}
    for row in rows:
        name = next((text for text in row.values() if text in names), None)
        values = [text for tag, text in row.items() if "recommend" in tag.lower()]
        if name is not None and len(values) == 1 and isinstance(values[0], str) and values[0]:
            found[name] = values[0]
    return found


def groups(rows: Iterable[dict[str, str]]) -> list[Group]:
    """Build groups from the rows of `p4 groups`, one for each member."""
    members: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        members.setdefault(row["group"], []).append(row)
    return [
        Group(
            name,
            frozenset(row["user"] for row in its if row.get("isUser") == "1"),
            frozenset(row["user"] for row in its if row.get("isSubGroup") == "1"),
            {field: _integer(its[0].get(tag)) for field, tag in _LIMITS.items()},
        )
        for name, its in sorted(members.items())
    ]


def _properties(rows: Iterable[dict[str, str]]) -> list[StoredProperty]:
    names = {one.name for one in known().properties}
    return [
        StoredProperty(
            row["name"],
            _integer(row.get("sequence")) or 0,
            f"{row.get('appliesToType')} {row['appliesTo']}" if row.get("appliesTo") else "",
            row.get("value", ""),
        )
        for row in rows
        if row.get("name") in names
    ]


def _integer(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,18}", text) else None
