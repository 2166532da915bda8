"""The commands that list what is stored: `p4 clients` and its kind. Each row says no more than a list needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from p4warden.sandbox import dates
from p4warden.sandbox.call import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden.sandbox.call import Call, Options
    from p4warden.sandbox.specs import Spec

_WILDCARD = re.compile(r"\.\.\.|\*")


@dataclass(frozen=True)
class ListCommand:
    """A command that lists specs of one form. `pairs` are a tagged row, `line` is a plain one."""

    form: str
    usage: Usage
    pairs: Callable[[Spec], dict[str, str]]
    line: Callable[[Spec], str]

    def __call__(self, call: Call) -> None:
        """Run the command."""
        options = self.usage.read(call.request.arguments)
        for spec in _chosen(call, self.form, options)[: options.limit()]:
            if call.reply.tagged:
                call.reply.row(self.pairs(spec).items())
            else:
                call.reply.line(self.line(spec))


def _chosen(call: Call, form: str, options: Options) -> list[Spec]:
    """Return the specs the filters leave: -e and -E by name, -u by owner, -t by type, -S by stream."""
    specs = call.store.all(form)
    if "e" in options:
        specs = _named(
            specs, [options.given["e"]], 0 if call.store.case_sensitive else re.IGNORECASE
        )
    if "E" in options:
        specs = _named(specs, [options.given["E"]], re.IGNORECASE)
    if options.arguments:
        specs = _named(specs, options.arguments, 0 if call.store.case_sensitive else re.IGNORECASE)
    fields = {"u": "Owner", "t": "Type", "S": "Stream"}
    for letter, field in fields.items():
        if letter in options:
            wanted = call.store.fold(options.given[letter])
            specs = [spec for spec in specs if call.store.fold(spec.get(field)) == wanted]
    return specs


def _named(specs: Iterable[Spec], filters: list[str], flags: int) -> list[Spec]:
    """Return the specs whose name one of the filters matches as a whole; `*` and `...` stand for anything."""
    expression = "|".join(".*".join(map(re.escape, _WILDCARD.split(name))) for name in filters)
    matches = re.compile(expression, re.ASCII | flags).fullmatch
    return [spec for spec in specs if matches(spec.name)]


def _dated(spec: Spec) -> dict[str, str]:
    return {name: dates.seconds(spec.get(name)) for name in ("Update", "Access")}


def _shared(spec: Spec) -> dict[str, str]:
    return {
        **_dated(spec),
        "Owner": spec.get("Owner"),
        "Options": spec.get("Options"),
        "Description": spec.get("Description"),
    }


def _summary(spec: Spec) -> str:
    return spec.get("Description").replace("\n", " ")


def _client_pairs(spec: Spec) -> dict[str, str]:
    optional = {name: spec.get(name) for name in ("Stream", "Type") if spec.get(name)}
    fields = ("SubmitOptions", "LineEnd", "Root", "Host")
    return {
        "client": spec.name,
        **_shared(spec),
        **{name: spec.get(name) for name in fields},
        **optional,
    }


def _client_line(spec: Spec) -> str:
    day = dates.day(spec.get("Update"))
    return f"Client {spec.name} {day} root {spec.get('Root')} '{_summary(spec)}'"


def _domain_line(spec: Spec) -> str:
    day = dates.day(spec.get("Update"))
    return f"{spec.form.name.capitalize()} {spec.name} {day} '{_summary(spec)}'"


def _depot_pairs(spec: Spec) -> dict[str, str]:
    optional = {"depth": spec.get("StreamDepth")} if spec.get("StreamDepth") else {}
    return {
        "name": spec.name,
        "time": dates.seconds(spec.get("Date")),
        "type": spec.get("Type"),
        **optional,
        "map": spec.get("Map"),
        "desc": spec.get("Description"),
    }


def _depot_line(spec: Spec) -> str:
    day = dates.day(spec.get("Date"))
    place = f"subdir {spec.get('Map')}"
    return f"Depot {spec.name} {day} {spec.get('Type')} {place} '{_summary(spec)}'"


def _stream_pairs(spec: Spec) -> dict[str, str]:
    words = spec.get("Options").split(" ")
    return {
        "Stream": spec.name,
        **_dated(spec),
        "Owner": spec.get("Owner"),
        "Name": spec.get("Name"),
        "Parent": spec.get("Parent"),
        "Type": spec.get("Type"),
        "desc": spec.get("Description"),
        "Options": spec.get("Options"),
        "changeFlowsToParent": str("toparent" in words).lower(),
        "changeFlowsFromParent": str("fromparent" in words).lower(),
    }


def _stream_line(spec: Spec) -> str:
    about = f"{spec.get('Type')} {spec.get('Parent')} '{spec.get('Name')}'"
    return f"Stream {spec.name} {about}"


def _user_pairs(spec: Spec) -> dict[str, str]:
    fields = ("Email", "FullName", "Type")
    return {"User": spec.name, **_dated(spec), **{name: spec.get(name) for name in fields}}


def _user_line(spec: Spec) -> str:
    who = f"{spec.name} <{spec.get('Email')}> ({spec.get('FullName')})"
    return f"{who} accessed {dates.day(spec.get('Access'))}"


def _domain_list(form: str, key: str, usage: Usage) -> ListCommand:
    return ListCommand(form, usage, lambda spec: {key: spec.name, **_shared(spec)}, _domain_line)


CLIENTS = ListCommand(
    "client",
    Usage(
        "clients [ -t ] [ -u user ] [ [ -e | -E ] filter ] [ -m max ] [ -S stream ]",
        "u:e:E:m:S:",
        refused="taUs:",
    ),
    _client_pairs,
    _client_line,
)
BRANCHES = _domain_list(
    "branch",
    "branch",
    Usage("branches [ -u user ] [ [ -e | -E ] filter ] [ -m max ]", "u:e:E:m:", refused="t"),
)
LABELS = _domain_list(
    "label",
    "label",
    Usage("labels [ -u user ] [ [ -e | -E ] filter ] [ -m max ]", "u:e:E:m:", refused="taUs:"),
)
DEPOTS = ListCommand(
    "depot",
    Usage("depots [ -t type ] [ [ -e | -E ] filter ] [ -m max ]", "t:e:E:m:a"),
    _depot_pairs,
    _depot_line,
)
STREAMS = ListCommand(
    "stream",
    Usage("streams [ -m max ] [ path ... ]", "m:", refused="UF:T:a", most=None),
    _stream_pairs,
    _stream_line,
)
USERS = ListCommand(
    "user",
    Usage("users [ -m max ] [ user ... ]", "m:a", refused="lrc", most=None),
    _user_pairs,
    _user_line,
)
