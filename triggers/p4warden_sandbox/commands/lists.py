from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from p4warden_sandbox.commands.list_rows import (
    client_pairs,
    depot_pairs,
    shared_pairs,
    stream_pairs,
    user_pairs,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.usage import Options

_WILDCARD = re.compile(r"\.\.\.|\*")


@dataclass(frozen=True)
class ListCommand:
    """`pairs` returns a spec's fields."""

    form: str
    usage: Usage
    pairs: Callable[[Spec], dict[str, str]]

    def __call__(self, call: Call) -> None:
        options = self.usage.read(call.request.arguments)
        for spec in _selected_specs(call, self.form, options)[: options.limit()]:
            call.reply.row(self.pairs(spec).items())


def _selected_specs(call: Call, form: str, options: Options) -> list[Spec]:
    """-a, which includes specs bound to other servers, has no effect."""
    specs = call.store.all(form)
    own_case = 0 if call.store.case_sensitive else re.IGNORECASE
    if "e" in options:
        specs = _matching_specs(specs, [options.values["e"]], own_case)
    if options.arguments:
        specs = _matching_specs(specs, options.arguments, own_case)
    fields = {"u": "Owner", "t": "Type", "S": "Stream"}
    for letter, field in fields.items():
        if letter in options:
            value = call.store.fold(options.values[letter])
            specs = [spec for spec in specs if call.store.fold(spec.get(field)) == value]
    return specs


def _matching_specs(specs: Iterable[Spec], filters: list[str], flags: int) -> list[Spec]:
    """`*` and `...` match any text in a whole name."""
    expression = "|".join(".*".join(map(re.escape, _WILDCARD.split(name))) for name in filters)
    matches = re.compile(expression, re.ASCII | flags).fullmatch
    return [spec for spec in specs if matches(spec.name)]


def _domain_list(form: str, key: str, usage: Usage) -> ListCommand:
    return ListCommand(form, usage, lambda spec: {key: spec.name, **shared_pairs(spec)})


CLIENTS = ListCommand(
    "client",
    Usage(
        "clients [ -t ] [ -u user ] [ -e filter ] [ -m max ] [ -S stream ] [ -a ]",
        "u:e:m:S:a",
        refused_options="tUs:E:",
    ),
    client_pairs,
)
BRANCHES = _domain_list(
    "branch",
    "branch",
    Usage("branches [ -u user ] [ -e filter ] [ -m max ]", "u:e:m:", refused_options="tE:"),
)
LABELS = _domain_list(
    "label",
    "label",
    Usage(
        "labels [ -u user ] [ -e filter ] [ -m max ] [ -a ]",
        "u:e:m:a",
        refused_options="tUs:E:",
    ),
)
DEPOTS = ListCommand(
    "depot",
    Usage("depots [ -t type ] [ -e filter ] [ -m max ]", "t:e:m:a", refused_options="E:"),
    depot_pairs,
)
STREAMS = ListCommand(
    "stream",
    Usage("streams [ -m max ] [ path ... ]", "m:", refused_options="UF:T:a", max_arguments=None),
    stream_pairs,
)
USERS = ListCommand(
    "user",
    Usage("users [ -m max ] [ user ... ]", "m:a", refused_options="lrc", max_arguments=None),
    user_pairs,
)
