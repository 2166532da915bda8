"""The data file of judged settings, `judged.yaml`, which describes its fields."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core import shipped_yaml
from p4warden.core.releases import Release, parsed
from p4warden.workbench.tune.values import number, percentage

if TYPE_CHECKING:
    from collections.abc import Mapping


class Advice(NamedTuple):
    recommends: str
    sources: tuple[str, ...]
    why: str = ""
    risk: str = ""


class Bounds(NamedTuple):
    least: int | None
    most: int | None
    never: int | None
    percent: int | None  # the least percentage; None where p4d takes none

    def understand(self, value: str) -> bool:
        """Tell whether a value is a number or a percentage that can be judged."""
        return number(value) is not None or self._percentage(value) is not None

    def accept(self, value: str) -> bool:
        size = number(value)
        if size is None:
            return (self._percentage(value) or 0) >= (self.percent or 1)
        if size == self.never:
            return False
        return (self.least is None or size >= self.least) and (
            self.most is None or size <= self.most
        )

    def _percentage(self, value: str) -> int | None:
        return None if self.percent is None else percentage(value)


class Configurable(NamedTuple):
    name: str
    advice: Advice
    value: str | None  # to set; None to unset it
    judged_from: Release | None
    defaults: Mapping[str, str | None]  # by release
    bounds: Bounds | None  # None: every value is accepted, if there is one
    has_offline_undo: bool

    def accepts(self, value: str) -> bool:
        """Tell whether a value needs no change."""
        return value != "" if self.bounds is None else self.bounds.accept(value)

    def understands(self, value: str) -> bool:
        return self.bounds is None or self.bounds.understand(value)


class Limit(NamedTuple):
    name: str  # a field of the group form
    advice: Advice
    since: Release | None


class Property(NamedTuple):
    name: str
    advice: Advice
    least: int
    value: str


class Known(NamedTuple):
    configurables: tuple[Configurable, ...]
    limits: tuple[Limit, ...]
    program_words: frozenset[str]  # in the names of accounts and groups that are programs
    properties: tuple[Property, ...]
    host: tuple[Advice, ...]  # `recommends` and `sources` only


@cache
def known() -> Known:
    """Return the content of the data file."""
    file = resources.files("p4warden.workbench.tune") / "judged.yaml"
    document = shipped_yaml.load(file.read_text("utf-8"))
    names = document["sources"]
    return Known(
        tuple(_configurable(row, names) for row in document["configurables"]),
        tuple(
            Limit(row["name"], _advice(row, names), _release(row, "since"))
            for row in document["limits"]
        ),
        frozenset(document["programs"]),
        tuple(
            Property(row["name"], _advice(row, names), row["least"], row["value"])
            for row in document["properties"]
        ),
        tuple(Advice(row["text"], _sources(row, names)) for row in document["host"]),
    )


def _configurable(row: Mapping[str, Any], names: Mapping[str, str]) -> Configurable:
    return Configurable(
        row["name"],
        _advice(row, names),
        row.get("value"),
        _release(row, "judged_from") or _release(row, "since"),
        row.get("defaults", {}),
        _bounds(row["accepts"]) if "accepts" in row else None,
        row.get("offline", False),
    )


def _bounds(accepts: Mapping[str, Any]) -> Bounds:
    keys = ("least", "most", "not", "percent")
    return Bounds(*(number(str(accepts.get(key, ""))) for key in keys))


def _advice(row: Mapping[str, Any], names: Mapping[str, str]) -> Advice:
    recommends = str(row["recommends"])
    return Advice(recommends, _sources(row, names), row.get("why", ""), row.get("risk", ""))


def _sources(row: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[name] for name in row["sources"])


def _release(row: Mapping[str, Any], key: str) -> Release | None:
    return parsed(row[key]) if key in row else None
